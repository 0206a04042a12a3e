//! Which field of a record becomes which column.

use countersign_decimal::Decimal;

use serde_json::Value;

use super::{ColumnType, TableColumn, real, time};

/// A table has at most so many columns.
const MAX_COLUMNS: usize = 100;

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
    /// One column per field, in the order of first sight: REAL when every value is a number, DECIMAL when every value
    /// is a number or a text that is a decimal and one has a point, TIMESTAMP when every value is a date or time, else TEXT. Field names become column names; `-`, `.` and spaces become underscores.
    #[must_use]
    pub fn inferred(records: &[&Value]) -> Self {
        let mut columns: Vec<MappedColumn> = Vec::new();
        for name in
            records.iter().filter_map(|record| record.as_object()).flat_map(serde_json::Map::keys)
        {
            if columns.len() < MAX_COLUMNS && !columns.iter().any(|known| known.from == *name) {
                let plain = plain_name(name);
                if !plain.is_empty() && !columns.iter().any(|known| known.column.name == plain) {
                    let column = TableColumn { name: plain, column_type: type_of(name, records) };
                    columns.push(MappedColumn { column, from: name.clone() });
                }
            }
        }
        Self { columns }
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

    /// Whether there is none: the records have no fields.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }
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
