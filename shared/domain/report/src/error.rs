//! What can go wrong between a result and its document or table.

use countersign_failure::Failure;

use crate::fields::{Problem, listed};

/// Why a result cannot take the asked form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    /// A layout, destination or mapping has problems; all of them are listed.
    #[error("the output is not valid: {}", listed(.0))]
    Invalid(Vec<Problem>),
    /// CSV and tables need a list of records.
    #[error("`{path}` is not a list of records, which {wanted} needs")]
    NotRecords {
        /// The path in the data; `data` for the whole.
        path: String,
        /// What needed it.
        wanted: &'static str,
    },
    /// Values that do not fit their columns; nothing of the data was written.
    #[error("{count} values do not fit their columns, the first: {}", listed(.first))]
    Rows {
        /// How many values.
        count: usize,
        /// The first five, as `[row].column`.
        first: Vec<Problem>,
    },
    /// The table exists and its columns differ.
    #[error("the table `{table}` does not fit: {}", listed(.problems))]
    Schema {
        /// The table's name.
        table: String,
        /// What differs, by column.
        problems: Vec<Problem>,
    },
    /// The table's key was fixed when it was made.
    #[error("the table `{table}` tells its rows apart by [{existing}], not by [{asked}]")]
    Key {
        /// The table's name.
        table: String,
        /// Its key columns.
        existing: String,
        /// The key columns asked for.
        asked: String,
    },
}

impl Failure for ReportError {
    fn code(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "OUTPUT_INVALID",
            Self::NotRecords { .. } => "OUTPUT_NOT_RECORDS",
            Self::Rows { .. } => "TABLE_ROW_INVALID",
            Self::Schema { .. } => "TABLE_SCHEMA_MISMATCH",
            Self::Key { .. } => "TABLE_KEY_MISMATCH",
        }
    }

    fn http_status(&self) -> u16 {
        match self {
            Self::Schema { .. } | Self::Key { .. } => 409,
            _ => 422,
        }
    }

    fn help(&self) -> Option<String> {
        let text = match self {
            Self::Invalid(_) => "correct the named fields; docs/outputs.md describes each of them",
            Self::NotRecords { .. } => "route a list of objects, or name one with `source`",
            Self::Rows { .. } => {
                "correct the values, or declare the column as TEXT in `schema_mapping`"
            }
            Self::Schema { .. } => {
                "map the rows to the table's columns, or choose another table name"
            }
            Self::Key { .. } => "use the table's own key, or choose another table name",
        };
        Some(text.to_owned())
    }
}
