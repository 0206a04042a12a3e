//! Which field of a record becomes which column.

use std::collections::HashMap;

use countersign_decimal::Decimal;
use countersign_document::words::shortened;
use serde_json::Value;

use super::{ColumnType, TableColumn, real, time};
use crate::error::ReportError;
use crate::path::{all_fields, at};

/// A table has at most so many columns.
const MAX_COLUMNS: usize = 100;

/// The name of a column is at most 64 characters.
const MAX_DIGITS: usize = 64 - "column_".len();

/// Columns and the paths of their values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    pub(crate) columns: Vec<MappedColumn>,
}

/// A column and the path of its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MappedColumn {
    pub(crate) column: TableColumn,
    pub(crate) from: String,
}

impl Mapping {
    /// The columns whose values none of the records has, with where they would come from.
    #[must_use]
    pub fn unknown(&self, records: &[&Value]) -> Vec<(&str, &str)> {
        let is_unknown = |from: &str| records.iter().all(|record| at(record, from).is_none());
        let columns = self.columns.iter().filter(|mapped| is_unknown(&mapped.from));
        columns.map(|mapped| (mapped.column.name.as_str(), mapped.from.as_str())).collect()
    }

    /// One column per field, in the order of first sight: REAL when every value is a number, DECIMAL when every value
    /// is a number or a text that is a decimal and one has a point, TIMESTAMP when every value is a date or time, else
    /// TEXT. Field names become column names; `-`, `.` and spaces become underscores.
    ///
    /// # Errors
    /// [`ReportError::Columns`] when a field has no column of its own, or there is none or too many.
    pub fn inferred(records: &[&Value]) -> Result<Self, ReportError> {
        let fields = all_fields(records);
        match fields.len() {
            0 => return Err(ReportError::Columns("the records have no fields".to_owned())),
            count if count > MAX_COLUMNS => {
                let message = format!("{count} fields; a table has at most {MAX_COLUMNS} columns");
                return Err(ReportError::Columns(message));
            }
            _ => {}
        }
        let mut known: HashMap<String, &str> = HashMap::new();
        let mut columns = Vec::with_capacity(fields.len());
        for field in fields {
            let name = column_name(field)?;
            if let Some(other) = known.insert(name.clone(), field) {
                let (one, two) = (shortened(other), shortened(field));
                let message = format!("`{one}` and `{two}` would both be the column `{name}`");
                return Err(ReportError::Columns(message));
            }
            let column = TableColumn { name, column_type: type_of(field, records) };
            columns.push(MappedColumn { column, from: field.to_owned() });
        }
        Ok(Self { columns })
    }

    /// Whether there is such a column.
    #[must_use]
    pub fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|mapped| mapped.column.name == column)
    }

    /// How many columns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }
}

/// The column of a field. It follows from the field's name alone, so that every call gives it the same one: `2024` is
/// `column_2024`.
fn column_name(field: &str) -> Result<String, ReportError> {
    let plain = plain_name(field);
    if !plain.is_empty() {
        return Ok(plain);
    }
    let digits: String = field.chars().filter(char::is_ascii_digit).take(MAX_DIGITS).collect();
    if digits.is_empty() {
        let message = format!("`{}` has no Latin letter to name a column", shortened(field));
        return Err(ReportError::Columns(message));
    }
    Ok(format!("column_{digits}"))
}

/// The part of a name that may name a column: added columns begin with an underscore, others never do.
pub(crate) fn plain_name(name: &str) -> String {
    let kept = |c: char| {
        if c.is_ascii_alphanumeric() {
            Some(c)
        } else {
            matches!(c, '_' | '-' | '.' | ' ').then_some('_')
        }
    };
    let text: String = name.chars().filter_map(kept).collect();
    text.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).chars().take(64).collect()
}

/// Whether all are exact numbers. Texts without a point, such as numbers of accounts, are not: they may be names.
fn are_decimals(values: &[&Value]) -> bool {
    let fits = |value: &&Value| match value {
        Value::String(text) => Decimal::canonical(text).is_some(),
        other => other.is_number(),
    };
    let has_point = |value: &&Value| value.as_str().is_some_and(|text| text.contains('.'));
    values.iter().all(fits) && values.iter().any(has_point)
}

fn type_of(name: &str, records: &[&Value]) -> ColumnType {
    let mut values = records
        .iter()
        .filter_map(|record| record.get(name))
        .filter(|value| !value.is_null())
        .peekable();
    if values.peek().is_none() {
        return ColumnType::Text;
    }
    let values: Vec<&Value> = values.collect();
    if values.iter().all(|value| value.is_number()) {
        ColumnType::Real
    } else if are_decimals(&values) {
        ColumnType::Decimal
    } else if values.iter().all(|value| {
        value.as_str().is_some_and(|text| real(text).is_none() && time(text).is_some())
    }) {
        ColumnType::Timestamp
    } else {
        ColumnType::Text
    }
}
