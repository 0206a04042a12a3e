//! What can go wrong between a result and its document or table.

use countersign_failure::Failure;

use crate::fields::{Problem, listed};

/// Why a result cannot take the asked form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 422)]
pub enum ReportError {
    /// A layout, destination or mapping has problems; all of them are listed.
    #[error("the output is not valid: {}", listed(.0))]
    #[failure(
        code = "OUTPUT_INVALID",
        help = "correct the named fields; docs/outputs.md describes each of them"
    )]
    Invalid(Vec<Problem>),
    /// CSV and tables need a list of records.
    #[error("`{path}` is not a list of records, which {wanted} needs")]
    #[failure(
        code = "OUTPUT_NOT_RECORDS",
        help = "route a list of objects, or name one with `source`"
    )]
    NotRecords {
        /// The path in the data; `data` for the whole.
        path: String,
        /// What needed it.
        wanted: &'static str,
    },
    /// Values that do not fit their columns; nothing of the data was written.
    #[error("{count} values do not fit their columns, the first: {}", listed(.first))]
    #[failure(
        code = "TABLE_ROW_INVALID",
        help = "correct the values, or declare the column as TEXT in `schema_mapping`"
    )]
    Rows {
        /// How many values.
        count: usize,
        /// The first five, as `[row].column`.
        first: Vec<Problem>,
    },
    /// The table exists and its columns differ.
    #[error("the table `{table}` does not fit: {}", listed(.problems))]
    #[failure(
        code = "TABLE_SCHEMA_MISMATCH",
        status = 409,
        help = "map the rows to the table's columns, or choose another table name"
    )]
    Schema {
        /// The table's name.
        table: String,
        /// What differs, by column.
        problems: Vec<Problem>,
    },
    /// The table's key was fixed when it was made.
    #[error("the table `{table}` tells its rows apart by [{existing}], not by [{asked}]")]
    #[failure(
        code = "TABLE_KEY_MISMATCH",
        status = 409,
        help = "use the table's own key, or choose another table name"
    )]
    Key {
        /// The table's name.
        table: String,
        /// Its key columns.
        existing: String,
        /// The key columns asked for.
        asked: String,
    },
}
