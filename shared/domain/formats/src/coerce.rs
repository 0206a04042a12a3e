//! Values as they stand become values of their field's type.

use countersign_connector::{
    Cell, Reading, ValueType, exact, is_same_figure, json_number, settled, uncertain,
};
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
    let (value, complaint) = of_type(Found::from(Value::from(cell)), value_type, reading);
    (Cell::from(value), complaint)
}

/// As [`coerce`], of a value of a JSON document and the same value with a text for each long number.
pub(crate) fn coerce_written(
    cell: Cell,
    written: Value,
    value_type: Option<ValueType>,
    reading: &Reading,
) -> (Cell, Option<String>) {
    let value = Value::from(cell);
    let (value, complaint) = match value_type {
        None => settled(value, written),
        Some(value_type) => of_type(Found { value, written: Some(written) }, value_type, reading),
    };
    (Cell::from(value), complaint)
}

/// A value, and the same with a text for each long number where there is one.
#[derive(Clone)]
struct Found {
    value: Value,
    written: Option<Value>,
}

impl From<Value> for Found {
    fn from(value: Value) -> Self {
        Self { value, written: None }
    }
}

impl Found {
    /// The text of a long number.
    fn long_number(&self) -> Option<&str> {
        let text = self.written.as_ref().and_then(Value::as_str);
        text.filter(|_| self.value.is_number())
    }

    /// The values of a list that are there; what is not a list is a list of one.
    fn items(self) -> Vec<Self> {
        let items = match (self.value, self.written) {
            (Value::Array(items), Some(Value::Array(texts))) => {
                let pairs = items.into_iter().zip(texts);
                pairs.map(|(value, text)| Self { value, written: Some(text) }).collect()
            }
            (Value::Array(items), _) => items.into_iter().map(Self::from).collect(),
            (value, written) => vec![Self { value, written }],
        };
        items.into_iter().filter(|one: &Self| !one.value.is_null()).collect()
    }
}

fn of_type(found: Found, value_type: ValueType, reading: &Reading) -> (Value, Option<String>) {
    match value_type {
        ValueType::StringList => strings(found),
        ValueType::NumberList => numbers(found, reading),
        one if found.value.is_array() => first_of(found.items(), one, reading),
        one => single(found, one, reading),
    }
}

/// A value that is not a list.
fn single(found: Found, value_type: ValueType, reading: &Reading) -> (Value, Option<String>) {
    match found.long_number() {
        Some(number) => json_number(number, value_type),
        None => scalar(found.value, value_type, reading),
    }
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
        (value @ (Value::Array(_) | Value::Object(_)), value_type) => {
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
    items: Vec<Found>,
    value_type: ValueType,
    reading: &Reading,
) -> (Value, Option<String>) {
    let mut there = items.into_iter();
    let Some(first) = there.next() else { return (Value::Null, None) };
    let (value, complaint) = single(first, value_type, reading);
    let is_other = |other: Found| {
        let (other, complaint) = single(other, value_type, reading);
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

fn strings(found: Found) -> (Value, Option<String>) {
    let texts = found.items().into_iter().map(text_of).filter(|text| !text.is_empty());
    (texts.map(Value::String).collect(), None)
}

/// The numbers of a list, and the first complaint about what is none.
fn numbers(found: Found, reading: &Reading) -> (Value, Option<String>) {
    let mut first = None;
    let mut numbers = Vec::new();
    for item in found.items() {
        let (number, complaint) = match item.value {
            Value::Array(_) => of_type(item, ValueType::Number, reading),
            _ => single(item, ValueType::Number, reading),
        };
        first = first.or(complaint);
        numbers.extend(Some(number).filter(|number| !number.is_null()));
    }
    (numbers.into(), first)
}

fn text_of(found: Found) -> String {
    if let Some(number) = found.long_number() {
        return number.to_owned();
    }
    match found.value {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    }
}

fn complaint(value: &Value, value_type: ValueType) -> String {
    let kind = if value.is_array() { "a list" } else { "an object" };
    format!("{kind} is not of type {}", value_type.data_type())
}
