//! Rows whose columns are declared get the declared types.

use countersign_registry::{DataType, Field};
use serde_json::{Map, Number, Value};

/// Turns the values of a record into their declared types where that is possible without guessing: numbers and booleans
/// into text, the text of a number into a number. Gives the names of the fields whose values fit in no way, and of those
/// that are not there.
pub fn fit(record: &mut Map<String, Value>, fields: &[Field]) -> Vec<String> {
    let mut unfit = Vec::new();
    for field in fields {
        let Some(value) = record.get_mut(&field.name) else {
            unfit.push(field.name.clone());
            continue;
        };
        match turned(value, &field.data_type) {
            Some(turned) => *value = turned,
            None => unfit.push(field.name.clone()),
        }
    }
    unfit
}

fn turned(value: &Value, data_type: &DataType) -> Option<Value> {
    if value.is_null() {
        return Some(Value::Null);
    }
    match (data_type, value) {
        (DataType::Any, _)
        | (DataType::String | DataType::Date, Value::String(_))
        | (DataType::Number, Value::Number(_))
        | (DataType::Boolean, Value::Bool(_))
        | (DataType::Object | DataType::Record(_), Value::Object(_)) => Some(value.clone()),
        (DataType::String, Value::Number(_) | Value::Bool(_)) => Some(value.to_string().into()),
        (DataType::Integer, Value::Number(number)) => whole(number).map(Value::from),
        (DataType::Number, Value::String(text)) => {
            text.parse().ok().and_then(Number::from_f64).map(Value::Number)
        }
        (DataType::Integer, Value::String(text)) => text.parse::<i64>().ok().map(Value::from),
        (DataType::Array(item), Value::Array(items)) => items
            .iter()
            .map(|value| turned(value, item))
            .collect::<Option<Vec<_>>>()
            .map(Value::from),
        _ => None,
    }
}

fn whole(number: &Number) -> Option<i64> {
    number.as_i64().or_else(|| {
        let float = number.as_f64()?;
        // Beyond this a double holds no odd numbers: what stands there may have been another.
        let exact = float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "whole and small enough, checked above"
        )]
        exact.then_some(float as i64)
    })
}
