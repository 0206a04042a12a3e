//! The long numbers of a JSON document as values: a double has about 16 digits, and sources write more.

use countersign_decimal::{Decimal, json};
use serde_json::{Number, Value};

use crate::model::ValueType;
use crate::reading::{MORE_DIGITS, shown, unfit};

/// A JSON number as a value of a type. The message says why it is not of the type; the value is then null. No locale applies.
#[must_use]
pub fn json_number(number: &str, value_type: ValueType) -> (Value, Option<String>) {
    let read = match value_type {
        ValueType::String | ValueType::StringList => Some(number.into()),
        ValueType::Decimal => {
            Decimal::of_json(number).ok().map(|decimal| decimal.to_string().into())
        }
        ValueType::Number | ValueType::NumberList => double(number).map(Value::Number),
        ValueType::Integer => whole(number),
        ValueType::Boolean | ValueType::Date => None,
    };
    match read {
        Some(value) => (value, None),
        None => (Value::Null, Some(complaint(number, value_type))),
    }
}

/// A value of no declared type as [`json::settled`] gives it, and a warning when a number in it became a text.
#[must_use]
pub fn settled(value: Value, written: Value) -> (Value, Option<String>) {
    let (value, number) = json::settled(value, written);
    (value, number.as_deref().map(kept_as_text))
}

/// What is said of a number that is kept as a text.
pub(crate) fn kept_as_text(number: &str) -> String {
    format!("`{}` has {MORE_DIGITS}; it is kept as a text", shown(number))
}

/// The double that a number is, when it has all its digits.
fn double(number: &str) -> Option<Number> {
    json::is_kept(number).then(|| serde_json::from_str(number).ok()).flatten()
}

fn whole(number: &str) -> Option<Value> {
    let whole = Decimal::of_json(number).ok()?.whole()?;
    i64::try_from(whole).map(Value::from).or_else(|_| u64::try_from(whole).map(Value::from)).ok()
}

fn complaint(number: &str, value_type: ValueType) -> String {
    let help = match value_type {
        ValueType::Decimal => "; it has more than 28 digits".to_owned(),
        ValueType::Number | ValueType::NumberList => format!("; it has {MORE_DIGITS}"),
        _ => String::new(),
    };
    unfit(number, value_type, &help)
}

#[cfg(test)]
mod tests;
