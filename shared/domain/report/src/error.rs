//! What can go wrong between a result and its document or table.

use std::fmt;

use countersign_failure::Failure;

/// Why a result cannot take the asked form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 422)]
pub enum ReportError {
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
    /// A field would get the name of another one of its record; nothing was written.
    #[error("the field `{from}` cannot be renamed to `{to}`: records have both")]
    #[failure(
        code = "OUTPUT_FIELD_TAKEN",
        help = "choose a name that no field has, or leave the other field out with `select` first"
    )]
    FieldTaken {
        /// The field.
        from: String,
        /// The name it would get.
        to: String,
    },
    /// The columns of a table cannot be read off the records; nothing was written.
    #[error("the records do not make a table: {0}")]
    #[failure(
        code = "TABLE_COLUMNS_INVALID",
        help = "name the columns with `schema_mapping` of `route_output`, or keep other fields"
    )]
    Columns(String),
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
        first: Vec<Misfit>,
    },
    /// The table exists and its columns differ.
    #[error("the table `{table}` does not fit: {}; its columns are {columns}", listed(.problems))]
    #[failure(
        code = "TABLE_SCHEMA_MISMATCH",
        status = 409,
        help = "map the rows to the table's columns, or choose another table name"
    )]
    Schema {
        /// The table's name.
        table: String,
        /// What differs, by column.
        problems: Vec<Misfit>,
        /// The table's columns with their types.
        columns: String,
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

/// A value or a column that does not fit a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// Which, such as `[3].amount`.
    pub place: String,
    /// What is wrong with it.
    pub message: String,
}

impl Misfit {
    pub(crate) fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// All of them in one line.
fn listed(misfits: &[Misfit]) -> String {
    misfits.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
