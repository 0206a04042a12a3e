//! Values as they stand become values of their field's type.

use countersign_connector::xml::convert;
use countersign_connector::{Cell, ValueType};
use serde_json::Value;

/// Reads a value as its field's type. The message says why it is not of the type; the value is then null.
pub(crate) fn coerce(cell: Cell, value_type: Option<ValueType>) -> (Cell, Option<String>) {
    let Some(value_type) = value_type else { return (cell, None) };
    match (&cell, value_type) {
        (Cell::Null, value_type) if !value_type.is_list() => return (cell, None),
        (Cell::Text(_) | Cell::Shared(_), ValueType::String)
        | (Cell::Integer(_) | Cell::Float(_), ValueType::Number)
        | (Cell::Integer(_), ValueType::Integer)
        | (Cell::Bool(_), ValueType::Boolean) => return (cell, None),
        _ => {}
    }
    let value = Value::from(cell);
    let (value, complaint) = match value_type {
        ValueType::StringList => strings(value),
        ValueType::NumberList => convert(&texts(value), ValueType::NumberList),
        one => scalar(value, one),
    };
    (Cell::from(value), complaint)
}

fn scalar(value: Value, value_type: ValueType) -> (Value, Option<String>) {
    match (value, value_type) {
        (Value::Null, _) => (Value::Null, None),
        (Value::String(text), ValueType::String) => (Value::String(text), None),
        (value @ Value::Number(_), ValueType::Number) => (value, None),
        (value @ Value::Bool(_), ValueType::Boolean) => (value, None),
        // A path through a list finds a list: the first value counts, as it does in XML.
        (Value::Array(items), value_type) => match items.into_iter().find(|one| !one.is_null()) {
            Some(first) if !first.is_array() => scalar(first, value_type),
            Some(first) => (Value::Null, Some(complaint(&first, value_type))),
            None => (Value::Null, None),
        },
        (value @ Value::Object(_), value_type) => {
            (Value::Null, Some(complaint(&value, value_type)))
        }
        (value, value_type) => {
            let text = text_of(value);
            if text.is_empty() { (Value::Null, None) } else { convert(&[text], value_type) }
        }
    }
}

fn strings(value: Value) -> (Value, Option<String>) {
    (texts(value).into_iter().map(Value::String).collect(), None)
}

/// The texts of a list's values; what is no list is a list of one.
fn texts(value: Value) -> Vec<String> {
    let items = match value {
        Value::Null => Vec::new(),
        Value::Array(items) => items,
        one => vec![one],
    };
    let full = items.into_iter().filter(|one| !one.is_null());
    full.map(text_of).filter(|text| !text.is_empty()).collect()
}

fn text_of(value: Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    }
}

fn complaint(value: &Value, value_type: ValueType) -> String {
    let kind = if value.is_array() { "a list" } else { "an object" };
    format!("{kind} is not of type {}", value_type.data_type())
}
