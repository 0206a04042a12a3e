//! Rows, columns and keys of workspace tables (F-052, F-282, F-289…F-291).

use countersign_canonical::canonical;
use countersign_decimal::{Decimal, InvalidDecimal};
use countersign_document::words::{found, shortened};
use jiff::Timestamp;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::error::{Misfit, ReportError};
use crate::path::at;

mod mapping;

pub use mapping::Mapping;
pub(crate) use mapping::{MappedColumn, plain_name};

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "UPPERCASE")]
pub enum ColumnType {
    /// Any text.
    Text,
    /// A number.
    Real,
    /// An exact number, as text with its digits.
    Decimal,
    /// A date `yyyy-mm-dd` or a time in RFC 3339.
    Timestamp,
}

impl ColumnType {
    fn name(self) -> &'static str {
        self.into()
    }
}

/// One column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TableColumn {
    /// Letters, digits and underscores.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub column_type: ColumnType,
}

/// The columns of a table and the key that tells its rows apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TableSchema")]
pub struct Schema {
    /// The columns, in order.
    pub columns: Vec<TableColumn>,
    /// Key columns; none means that every row is a new one.
    #[serde(default)]
    pub key: Vec<String>,
}

impl Schema {
    /// Whether rows of `incoming` may be written into this table: every column is known and of the same type, and the
    /// key is the table's. An incoming schema without a key takes the table's.
    ///
    /// # Errors
    /// [`ReportError::Schema`] with every column that differs, or [`ReportError::Key`].
    pub fn accepts(&self, table: &str, incoming: &Schema) -> Result<(), ReportError> {
        let problems: Vec<Misfit> = incoming
            .columns
            .iter()
            .filter_map(|column| match self.columns.iter().find(|own| own.name == column.name) {
                None => Some(Misfit::new(&column.name, "is not a column of the table")),
                Some(own) if own.column_type != column.column_type => {
                    let (own, new) = (own.column_type.name(), column.column_type.name());
                    Some(Misfit::new(&column.name, format!("is {own} in the table and {new} here")))
                }
                Some(_) => None,
            })
            .collect();
        if !problems.is_empty() {
            return Err(self.misfit(table, problems));
        }
        if !incoming.key.is_empty() && incoming.key != self.key {
            let (existing, asked) = (self.key.join(", "), incoming.key.join(", "));
            return Err(ReportError::Key { table: table.to_owned(), existing, asked });
        }
        let missing = self
            .key
            .iter()
            .filter(|key| !incoming.columns.iter().any(|column| column.name == **key));
        let problems: Vec<Misfit> = missing
            .map(|key| Misfit::new(key, "is part of the table's key and missing here"))
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(self.misfit(table, problems)) }
    }

    /// What differs, with the columns there are: whoever writes a mapping need not look them up (F-314).
    fn misfit(&self, table: &str, problems: Vec<Misfit>) -> ReportError {
        let own = self.columns.iter().filter(|column| !column.name.starts_with('_'));
        let own = own.map(|column| format!("`{}` {}", column.name, column.column_type.name()));
        let columns = own.collect::<Vec<_>>().join(", ");
        ReportError::Schema { table: table.to_owned(), problems, columns }
    }
}

/// What the three added columns say of every row (F-289).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowOrigin {
    /// `_source`: the run and step.
    pub source: String,
    /// `_query`: what was asked.
    pub query: String,
    /// `_timestamp`: when.
    pub at: Timestamp,
}

impl RowOrigin {
    const COLUMNS: [(&'static str, ColumnType); 3] = [
        ("_source", ColumnType::Text),
        ("_query", ColumnType::Text),
        ("_timestamp", ColumnType::Timestamp),
    ];
}

/// One row, ready to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The same for the same values of the key columns, or for the same place in the same call.
    pub id: String,
    /// The values by column.
    pub cells: Map<String, Value>,
}

/// The schema of mapped rows, with the columns of F-289.
#[must_use]
pub fn schema(mapping: &Mapping, key: &[String]) -> Schema {
    let added = RowOrigin::COLUMNS
        .map(|(name, column_type)| TableColumn { name: name.to_owned(), column_type });
    let columns = mapping.columns.iter().map(|mapped| mapped.column.clone()).chain(added).collect();
    Schema { columns, key: key.to_vec() }
}

/// Turns records into rows: mapped columns only, plus `_source`, `_query` and `_timestamp`; values take their column's
/// type. `key` is the table's key, `idempotency_key` names the rows of a table without one.
///
/// # Errors
/// [`ReportError::Rows`] when any value does not fit: then no row is to be written.
pub fn rows(
    records: &[&Value],
    mapping: &Mapping,
    key: &[String],
    origin: &RowOrigin,
    idempotency_key: &str,
) -> Result<Vec<Row>, ReportError> {
    let mut problems = Vec::new();
    let mut count = 0;
    let columns: Vec<&TableColumn> = mapping.columns.iter().map(|mapped| &mapped.column).collect();
    let mut rows = Vec::with_capacity(records.len());
    for (index, record) in records.iter().enumerate() {
        let mut cells = Map::new();
        for mapped in &mapping.columns {
            let value = at(record, &mapped.from).unwrap_or(&Value::Null);
            let cell = typed(value, mapped.column.column_type).unwrap_or_else(|message| {
                count += 1;
                if problems.len() < 5 {
                    problems
                        .push(Misfit::new(format!("[{index}].{}", mapped.column.name), message));
                }
                Value::Null
            });
            cells.insert(mapped.column.name.clone(), cell);
        }
        let (source, query, at) =
            (json!(origin.source), json!(origin.query), origin.at.to_string());
        let from = [("_source", source), ("_query", query), ("_timestamp", at.into())];
        cells.extend(from.map(|(name, value)| (name.to_owned(), value)));
        let id = if key.is_empty() {
            hashed(&json!(["call", idempotency_key, index]))
        } else {
            by_key(&cells, key, &columns)
        };
        rows.push(Row { id, cells });
    }
    if count == 0 { Ok(rows) } else { Err(ReportError::Rows { count, first: problems }) }
}

/// Rows of a call that named no key, told apart by the key of their table.
#[must_use]
pub fn keyed(rows: Vec<Row>, table: &Schema) -> Vec<Row> {
    let columns: Vec<&TableColumn> = table.columns.iter().collect();
    let keyed = |row: Row| Row { id: by_key(&row.cells, &table.key, &columns), ..row };
    rows.into_iter().map(keyed).collect()
}

/// The id of a row by its key. `10` and `10.00` are the same decimal.
fn by_key(cells: &Map<String, Value>, key: &[String], columns: &[&TableColumn]) -> String {
    let value = |column: &String| {
        let cell = cells.get(column).cloned().unwrap_or_default();
        let is_decimal =
            columns.iter().any(|own| own.name == *column && own.column_type == ColumnType::Decimal);
        let text = cell.as_str().filter(|_| is_decimal);
        let decimal = text.and_then(|text| Decimal::parse(text).ok());
        decimal.map_or(cell, |decimal| decimal.normalized().to_string().into())
    };
    let values: Vec<Value> = key.iter().map(value).collect();
    hashed(&json!(["key", values]))
}

fn hashed(source: &Value) -> String {
    let text = canonical(source).unwrap_or_else(|_| source.to_string());
    hex::encode(&Sha256::digest(text.as_bytes())[..16])
}

/// A value in its column's type; `null` and absent stay null.
fn typed(value: &Value, wanted: ColumnType) -> Result<Value, String> {
    match (wanted, value) {
        (_, Value::Null) => Ok(Value::Null),
        (ColumnType::Text, Value::String(_)) | (ColumnType::Real, Value::Number(_)) => {
            Ok(value.clone())
        }
        (ColumnType::Text, other) => Ok(Value::String(other.to_string())),
        (ColumnType::Real, Value::String(text)) if text.trim().is_empty() => Ok(Value::Null),
        (ColumnType::Real, Value::String(text)) => {
            real(text.trim()).ok_or_else(|| match Decimal::parse(text.trim()) {
                Err(InvalidDecimal::NotPlain) => unfit(value, "a number"),
                _ => unfit(value, "a number that REAL keeps; DECIMAL keeps 28 digits"),
            })
        }
        (ColumnType::Decimal, Value::String(text)) if text.trim().is_empty() => Ok(Value::Null),
        (ColumnType::Decimal, _) => {
            decimal(value).ok_or_else(|| unfit(value, "a decimal of at most 28 digits"))
        }
        (ColumnType::Timestamp, Value::String(text)) => {
            time(text.trim()).ok_or_else(|| unfit(value, "a date or time"))
        }
        (ColumnType::Real, _) => Err(unfit(value, "a number")),
        (ColumnType::Timestamp, _) => Err(unfit(value, "a date or time")),
    }
}

fn unfit(value: &Value, wanted: &str) -> String {
    let found = match value {
        Value::String(text) => format!("`{}`", shortened(text)),
        Value::Number(number) => format!("`{number}`"),
        other => found(other),
    };
    format!("{found} is not {wanted}")
}

/// A plain decimal: filings write amounts as text. Whole numbers stay whole, and nothing is rounded.
fn real(text: &str) -> Option<Value> {
    let exact = Decimal::parse(text).ok()?;
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    let float = text.parse::<f64>().ok()?;
    let is_kept = Decimal::of_json(&float.to_string()).ok() == Some(exact);
    is_kept.then(|| float.into())
}

/// An exact number: a text in plain notation, or a number by its shortest text.
fn decimal(value: &Value) -> Option<Value> {
    let decimal = match value {
        Value::String(text) => Decimal::parse(text.trim()),
        Value::Number(number) => {
            let text = number.to_string();
            Decimal::of_json(text.strip_suffix(".0").unwrap_or(&text))
        }
        _ => return None,
    };
    decimal.ok().map(|decimal| decimal.to_string().into())
}

fn time(text: &str) -> Option<Value> {
    if let Ok(date) = text.parse::<Date>()
        && text.len() == 10
    {
        return Some(json!(date.to_string()));
    }
    text.parse::<Timestamp>().ok().map(|time| json!(time.to_string()))
}

/// Checks the name of a table or workspace: 1 to 100 letters, digits, `_` and `-`.
///
/// # Errors
/// What is wrong, as a sentence.
pub fn table_name(text: &str) -> Result<(), String> {
    let fits = (1..=100).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if fits { Ok(()) } else { Err("must be 1 to 100 letters, digits, `_` and `-`".to_owned()) }
}

#[cfg(test)]
mod tests;
