//! How two values compare.

use std::cmp::Ordering;

use countersign_decimal::Decimal;
use countersign_zones::Moment;
use serde_json::{Number, Value};

use super::Comparison;

/// What two texts mean that are decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Texts {
    /// These characters: the condition itself has one of them, in quotes.
    Written,
    /// The numbers that they write: `155.30` is `155.3`, as it is neither more nor less.
    Numbers,
    /// As a list of the condition says: these characters where it has a text, a number where it has a number.
    Listed,
}

/// Whether a comparison holds; `None` when it cannot be decided: an amount and a text that is not one have no order, though both
/// are texts, nor have a date and another text.
pub(super) fn compare(left: &Value, how: Comparison, right: &Value, texts: Texts) -> Option<bool> {
    match how {
        Comparison::Equal => Some(equal(left, right, texts)),
        Comparison::Unequal => Some(!equal(left, right, texts)),
        Comparison::Greater => ordered(left, right, Ordering::is_gt),
        Comparison::AtLeast => ordered(left, right, Ordering::is_ge),
        Comparison::Less => ordered(left, right, Ordering::is_lt),
        Comparison::AtMost => ordered(left, right, Ordering::is_le),
        Comparison::Contains => Some(contains(left, right, texts)),
        Comparison::In => Some(contains(right, left, texts)),
    }
}

fn ordered(left: &Value, right: &Value, wanted: fn(Ordering) -> bool) -> Option<bool> {
    let may_be_amount = |value: &Value| value.is_number() || value.is_string();
    match order(left, right) {
        Some(order) => Some(wanted(order)),
        None if may_be_amount(left) && may_be_amount(right) => None,
        None => Some(false),
    }
}

fn equal(left: &Value, right: &Value, texts: Texts) -> bool {
    match (left, right) {
        (Value::Number(_), Value::String(_)) | (Value::String(_), Value::Number(_)) => {
            order(left, right) == Some(Ordering::Equal)
        }
        (left, right) => same(left, right, texts),
    }
}

/// Equal and of the same type, as an item of a list must be, and a text that the condition has in quotes.
fn same(left: &Value, right: &Value, texts: Texts) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            order_numbers(left, right) == Some(Ordering::Equal)
        }
        (Value::String(one), Value::String(other)) if texts == Texts::Numbers => {
            one == other
                || Decimal::canonical(one).is_some_and(|one| Decimal::canonical(other) == Some(one))
        }
        (left, right) => left == right,
    }
}

fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => order_numbers(left, right),
        (Value::String(left), Value::String(right)) => {
            match (Decimal::canonical(left), Decimal::canonical(right)) {
                (Some(left), Some(right)) => Some(left.cmp(&right)),
                (None, None) => order_texts(left, right),
                _ => None,
            }
        }
        (Value::Number(number), Value::String(text)) => order_mixed(number, text),
        (Value::String(text), Value::Number(number)) => {
            order_mixed(number, text).map(Ordering::reverse)
        }
        _ => None,
    }
}

/// Dates and times as such, where a day is all of its times; a date and another text have no order.
fn order_texts(left: &str, right: &str) -> Option<Ordering> {
    match (Moment::parse(left), Moment::parse(right)) {
        (Some(left), Some(right)) => Some(left.compare(right)),
        (None, None) => Some(left.cmp(right)),
        _ if left.is_empty() || right.is_empty() => Some(left.cmp(right)),
        _ => None,
    }
}

/// A number and a text that is a decimal, exactly; a number too large to be a decimal by its size alone.
fn order_mixed(number: &Number, text: &str) -> Option<Ordering> {
    let decimal = Decimal::canonical(text)?;
    match Decimal::of_json(&number.to_string()) {
        Ok(number) => Some(number.cmp(&decimal)),
        Err(_) => number.as_f64()?.partial_cmp(&decimal.approximately()),
    }
}

fn order_numbers(left: &Number, right: &Number) -> Option<Ordering> {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

fn contains(whole: &Value, part: &Value, texts: Texts) -> bool {
    match (whole, part) {
        (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
        (Value::Array(items), part) => items.iter().any(|item| match texts {
            Texts::Written => same(item, part, texts),
            Texts::Listed if item.is_string() => item == part,
            Texts::Listed | Texts::Numbers => equal(item, part, Texts::Numbers),
        }),
        (Value::Object(fields), Value::String(key)) => fields.contains_key(key),
        _ => false,
    }
}
