//! One order and one equality over all JSON values.

use std::cmp::Ordering;

use serde_json::Value;

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

/// A text that is written as a plain number, such as `12500` or `-3.5`.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => {
            let plain = !text.is_empty()
                && text.len() < 30
                && text.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-' || b == b'+');
            plain.then(|| text.parse::<f64>().ok()).flatten()
        }
        _ => None,
    }
}

/// The number an amount is, for sums and averages.
pub(super) fn amount(value: &Value) -> Option<f64> {
    number(value)
}

/// Compares two values for a filter: a number with a text that is a number, as numbers; else by kind, then by value.
#[must_use]
pub fn compare(a: &Value, b: &Value) -> Ordering {
    let mixed = (a.is_number() && b.is_string()) || (a.is_string() && b.is_number());
    match (mixed, number(a), number(b)) {
        (true, Some(x), Some(y)) => x.total_cmp(&y),
        _ => strict(a, b),
    }
}

/// The order of sorting: texts that are numbers stand among the numbers, so that the order is total.
pub(super) fn sort_order(a: &Value, b: &Value) -> Ordering {
    match (number(a), number(b)) {
        (Some(x), Some(y)) => x.total_cmp(&y),
        (Some(_), None) => 2.cmp(&rank(b)).then(Ordering::Less),
        (None, Some(_)) => rank(a).cmp(&2).then(Ordering::Greater),
        (None, None) => strict(a, b),
    }
}

fn strict(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Bool(x), Value::Bool(y)) => x.cmp(y),
        (Value::Number(x), Value::Number(y)) => match (x.as_i64(), y.as_i64()) {
            (Some(x), Some(y)) => x.cmp(&y),
            _ => x.as_f64().unwrap_or(0.0).total_cmp(&y.as_f64().unwrap_or(0.0)),
        },
        (Value::String(x), Value::String(y)) => x.cmp(y),
        (Value::Array(x), Value::Array(y)) => x
            .iter()
            .zip(y)
            .map(|(x, y)| strict(x, y))
            .find(|o| o.is_ne())
            .unwrap_or(x.len().cmp(&y.len())),
        (Value::Object(_), Value::Object(_)) => key(a).cmp(&key(b)),
        _ => rank(a).cmp(&rank(b)),
    }
}

/// Whether two values can be said to be more or less than one another.
pub(super) fn same_kind(a: &Value, b: &Value) -> bool {
    rank(a) == rank(b) || (number(a).is_some() && number(b).is_some())
}

/// Equal as values: `1` and `1.0`, and `1` and `"1"`.
pub(super) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(_), Value::Number(_) | Value::String(_))
        | (Value::String(_), Value::Number(_)) => compare(a, b).is_eq(),
        _ => key(a) == key(b),
    }
}

/// A text two values share exactly when they are the same: keys sorted, whole numbers without a point.
pub(super) fn key(value: &Value) -> String {
    match value {
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (None, Some(float)) if float.fract() == 0.0 && float.abs() < 1e15 => {
                format!("{float:.0}")
            }
            _ => number.to_string(),
        },
        Value::Array(items) => format!("[{}]", items.iter().map(key).collect::<Vec<_>>().join(",")),
        Value::Object(fields) => {
            let mut parts: Vec<String> =
                fields.iter().map(|(name, value)| format!("{name:?}:{}", key(value))).collect();
            parts.sort();
            format!("{{{}}}", parts.join(","))
        }
        other => other.to_string(),
    }
}
