//! Values as they stand become values of their field's type.

use countersign_connector::{Cell, Reading, ValueType, exact, is_same_figure, uncertain};
use serde_json::Value;

/// Reads a value as its field's type. The message says why it is not of the type; the value is then null.
pub(crate) fn coerce(
    cell: Cell,
    value_type: Option<ValueType>,
    reading: &Reading,
) -> (Cell, Option<String>) {
    let Some(value_type) = value_type else { return (cell, None) };
    match (&cell, value_type) {
        (Cell::Null, value_type) if !value_type.is_list() => return (cell, None),
        (Cell::Text(_) | Cell::Shared(_), ValueType::String)
        | (Cell::Integer(_) | Cell::Float(_), ValueType::Number)
        | (Cell::Integer(_), ValueType::Integer)
        | (Cell::Bool(_), ValueType::Boolean) => return (cell, None),
        (Cell::Text(text), value_type) if !value_type.is_list() => {
            return match text.trim() {
                "" => (Cell::Null, None),
                text => reading.typed(text.into(), value_type),
            };
        }
        _ => {}
    }
    let value = Value::from(cell);
    let (value, complaint) = match value_type {
        ValueType::StringList => strings(value),
        ValueType::NumberList => numbers(value, reading),
        one => scalar(value, one, reading),
    };
    (Cell::from(value), complaint)
}

fn scalar(value: Value, value_type: ValueType, reading: &Reading) -> (Value, Option<String>) {
    match (value, value_type) {
        (Value::Null, _) => (Value::Null, None),
        (Value::String(text), ValueType::String) => (Value::String(text), None),
        (value @ Value::Number(_), ValueType::Number) => (value, None),
        (Value::Number(number), ValueType::Decimal) => match exact(&number) {
            Some(decimal) => (decimal.to_string().into(), None),
            None => (Value::Null, Some(uncertain(&number))),
        },
        (value @ Value::Bool(_), ValueType::Boolean) => (value, None),
        (Value::Array(items), value_type) => first_of(items, value_type, reading),
        (value @ Value::Object(_), value_type) => {
            (Value::Null, Some(complaint(&value, value_type)))
        }
        (Value::String(text), value_type) => match text.trim() {
            "" => (Value::Null, None),
            text => reading.convert(&[text.to_owned()], value_type),
        },
        // What is not a text is written as JSON does, whatever the locale.
        (value, value_type) => Reading::default().convert(&[value.to_string()], value_type),
    }
}

/// A path through a list finds a list: the first value counts, as it does in XML. Of figures that differ it is said.
fn first_of(
    items: Vec<Value>,
    value_type: ValueType,
    reading: &Reading,
) -> (Value, Option<String>) {
    let mut there = items.into_iter().filter(|one| !one.is_null());
    let Some(first) = there.next() else { return (Value::Null, None) };
    if first.is_array() {
        return (Value::Null, Some(complaint(&first, value_type)));
    }
    let (value, complaint) = scalar(first, value_type, reading);
    let is_other = |other: Value| {
        let (other, complaint) = scalar(other, value_type, reading);
        complaint.is_some() || !other.is_null() && !is_same_figure(&value, &other)
    };
    // What is no figure need not be read for it.
    let others =
        if value_type.is_figure() { there.filter(|one| is_other(one.clone())).count() } else { 0 };
    let several = (others > 0).then(|| {
        let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let noun = if others == 1 { "value" } else { "values" };
        format!("the list has {others} other {noun}; only the first, `{shown}`, counts")
    });
    (value, complaint.or(several))
}

fn strings(value: Value) -> (Value, Option<String>) {
    (texts(value).into_iter().map(Value::String).collect(), None)
}

/// The numbers of a list, and the first complaint about what is none.
fn numbers(value: Value, reading: &Reading) -> (Value, Option<String>) {
    let mut first = None;
    let mut numbers = Vec::new();
    for item in items(value) {
        let (number, complaint) = scalar(item, ValueType::Number, reading);
        first = first.or(complaint);
        numbers.extend(Some(number).filter(|number| !number.is_null()));
    }
    (numbers.into(), first)
}

/// The texts of a list's values.
fn texts(value: Value) -> Vec<String> {
    items(value).map(text_of).filter(|text| !text.is_empty()).collect()
}

/// The values of a list that are there; what is not a list is a list of one.
fn items(value: Value) -> impl Iterator<Item = Value> {
    let items = match value {
        Value::Array(items) => items,
        one => vec![one],
    };
    items.into_iter().filter(|one| !one.is_null())
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
