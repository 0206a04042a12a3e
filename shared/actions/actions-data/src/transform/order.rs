//! One order and one equality over all JSON values.

use std::cmp::Ordering;

use countersign_decimal::{Decimal, InvalidDecimal};
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

/// A number: one of JSON, or a text that is written as a plain number, such as `12500` or `-3.5`.
#[derive(Debug, Clone, Copy)]
enum Amount {
    Whole(i64),
    Float(f64),
    Decimal(Decimal),
}

impl Amount {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => match number.as_i64() {
                Some(whole) => Some(Self::Whole(whole)),
                None if number.is_f64() => number.as_f64().map(Self::Float),
                None => number.as_u64().map(|whole| Self::Decimal(whole.into())),
            },
            Value::String(text) => Decimal::parse(text).ok().map(Self::Decimal),
            _ => None,
        }
    }

    /// The exact number, a float by its shortest text; `None` for a float beyond what a decimal holds.
    fn exact(self) -> Option<Decimal> {
        match self {
            Self::Whole(whole) => Some(whole.into()),
            Self::Decimal(decimal) => Some(decimal),
            Self::Float(float) => Decimal::of_json(&float.to_string()).ok(),
        }
    }

    fn size(self) -> f64 {
        match self {
            Self::Whole(whole) => Decimal::from(whole).approximately(),
            Self::Float(float) => float,
            Self::Decimal(decimal) => decimal.approximately(),
        }
    }

    /// Exact, and a total order: what no decimal holds is farther from zero, or nearer to it, than what one does.
    fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Whole(x), Self::Whole(y)) => return x.cmp(&y),
            (Self::Float(x), Self::Float(y)) => return (x + 0.0).total_cmp(&(y + 0.0)),
            _ => {}
        }
        match (self.exact(), other.exact()) {
            (Some(x), Some(y)) => x.cmp(&y),
            (held, _) => {
                let (x, y) = (self.size(), other.size());
                let outside = if held.is_none() { x } else { -y };
                let tie = if outside > 0.0 { Ordering::Greater } else { Ordering::Less };
                x.total_cmp(&y).then(tie)
            }
        }
    }
}

/// The number a value is, for sums and averages.
pub(super) enum Addend {
    /// Exactly this one, and whether it is a text.
    Exact(Decimal, bool),
    /// One that no decimal holds.
    Beyond,
}

/// The number a value is; `None` when it is none.
pub(super) fn addend(value: &Value) -> Option<Addend> {
    if let Value::String(text) = value {
        return match Decimal::parse(text) {
            Ok(decimal) => Some(Addend::Exact(decimal, true)),
            Err(InvalidDecimal::TooLong) => Some(Addend::Beyond),
            Err(InvalidDecimal::NotPlain) => None,
        };
    }
    let exact = Amount::of(value)?.exact();
    Some(exact.map_or(Addend::Beyond, |decimal| Addend::Exact(decimal, false)))
}

/// Compares two values for a filter: numbers and texts that are numbers, exactly and as numbers; else by kind, then by
/// value.
#[must_use]
pub fn compare(a: &Value, b: &Value) -> Ordering {
    match (Amount::of(a), Amount::of(b)) {
        (Some(x), Some(y)) => x.compare(y),
        _ => strict(a, b),
    }
}

/// The order of sorting: texts that are numbers stand among the numbers, so that the order is total.
pub(super) fn sort_order(a: &Value, b: &Value) -> Ordering {
    match (Amount::of(a), Amount::of(b)) {
        (Some(x), Some(y)) => x.compare(y),
        (Some(_), None) => 2.cmp(&rank(b)).then(Ordering::Less),
        (None, Some(_)) => rank(a).cmp(&2).then(Ordering::Greater),
        (None, None) => strict(a, b),
    }
}

fn strict(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Bool(x), Value::Bool(y)) => x.cmp(y),
        (Value::Number(_), Value::Number(_)) => match (Amount::of(a), Amount::of(b)) {
            (Some(x), Some(y)) => x.compare(y),
            _ => Ordering::Equal,
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

/// Whether a value is a number, or a text that is written as one.
pub(super) fn is_amount(value: &Value) -> bool {
    Amount::of(value).is_some()
}

/// Whether one is a number and the other a text that is not written as one.
pub(super) fn is_text_for_number(found: &Value, wanted: &Value) -> bool {
    wanted.is_number() && is_other_text(found)
}

/// Whether a value is a text that is not written as a number.
pub(super) fn is_other_text(value: &Value) -> bool {
    value.is_string() && !is_amount(value)
}

/// Whether two values can be said to be more or less than one another. An amount and a text that is not one cannot, though
/// both are texts: `9,000.00` is not more than `10000.00` because it begins with a nine.
pub(super) fn same_kind(a: &Value, b: &Value) -> bool {
    if let (Value::String(_), Value::String(_)) = (a, b) {
        return is_amount(a) == is_amount(b);
    }
    rank(a) == rank(b) || (is_amount(a) && is_amount(b))
}

/// Equal as values: `1` and `1.0`, `1` and `"1"`, and two decimals that write the same number. `007` is a name, and only itself.
pub(super) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(_), Value::Number(_) | Value::String(_))
        | (Value::String(_), Value::Number(_)) => compare(a, b).is_eq(),
        (Value::String(x), Value::String(y)) => {
            x == y || Decimal::canonical(x).is_some_and(|x| Decimal::canonical(y) == Some(x))
        }
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
