//! One order and one equality over all JSON values.

use std::cmp::Ordering;

use countersign_decimal::{Decimal, InvalidDecimal};
use countersign_zones::Moment;
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

/// Compares two values for a filter: numbers and texts that are numbers, exactly and as numbers; dates and times as such; else
/// by kind, then by value.
#[must_use]
pub fn compare(a: &Value, b: &Value) -> Ordering {
    if let Some((x, y)) = Amount::of(a).zip(Amount::of(b)) {
        return x.compare(y);
    }
    moment(a).zip(moment(b)).map_or_else(|| strict(a, b), |(x, y)| x.compare(y))
}

/// The order of sorting: texts that are numbers stand among the numbers, and dates and times before other texts, so that the
/// order is total.
pub(super) fn sort_order(a: &Value, b: &Value) -> Ordering {
    match (Amount::of(a), Amount::of(b)) {
        (Some(x), Some(y)) => x.compare(y),
        (Some(_), None) => 2.cmp(&rank(b)).then(Ordering::Less),
        (None, Some(_)) => rank(a).cmp(&2).then(Ordering::Greater),
        (None, None) => match (moment(a), moment(b)) {
            (Some(x), Some(y)) => x.sort_order(y).then_with(|| strict(a, b)),
            (Some(_), None) if b.is_string() => Ordering::Less,
            (None, Some(_)) if a.is_string() => Ordering::Greater,
            _ => strict(a, b),
        },
    }
}

/// The day or time that a text writes.
fn moment(value: &Value) -> Option<Moment> {
    Moment::parse(value.as_str()?)
}

/// The number that a value writes, without noughts that end its fraction; a name such as `007` writes none.
pub(super) fn number_written(value: &Value) -> Option<String> {
    let number = match value {
        Value::Number(number) => Decimal::of_json(&number.to_string()).ok()?,
        Value::String(text) => Decimal::canonical(text)?,
        _ => return None,
    };
    Some(number.normalized().to_string())
}

/// Whether a value is a text that writes a day or a time.
pub(super) fn is_moment(value: &Value) -> bool {
    moment(value).is_some()
}

/// What a text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A plain number.
    Amount,
    /// A day or a time.
    Moment,
    /// Neither.
    Other,
}

/// What a value says that is a text.
pub(super) fn text_kind(value: &Value) -> Option<Kind> {
    let text = value.as_str()?;
    Some(match Amount::of(value) {
        Some(_) => Kind::Amount,
        None if Moment::parse(text).is_some() => Kind::Moment,
        None => Kind::Other,
    })
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

/// Whether an amount is looked for and a text found that a country writes one as: `9,000.00` may be `9000.00`, or may not.
pub(super) fn is_unread_amount(found: &Value, wanted: &Value) -> bool {
    let digits = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    is_amount(wanted)
        && is_other_text(found)
        && found.as_str().is_some_and(is_like_amount)
        && significant(&digits(found)) == significant(&digits(wanted))
}

/// The digits of an amount, without those that only place its point.
fn significant(text: &str) -> String {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

/// Whether one is a boolean and the other a text that may mean one, such as `true` in a file.
pub(super) fn is_text_for_boolean(a: &Value, b: &Value) -> bool {
    let may_be = |text: &str| {
        ["true", "false", "yes", "no"].iter().any(|word| text.eq_ignore_ascii_case(word))
    };
    match (a, b) {
        (Value::Bool(_), Value::String(text)) | (Value::String(text), Value::Bool(_)) => {
            may_be(text)
        }
        _ => false,
    }
}

/// Whether one is a day and the other a time on it, or a month and a day of it: neither equal nor clearly not.
pub(super) fn is_part(a: &Value, b: &Value) -> bool {
    moment(a).zip(moment(b)).is_some_and(|(a, b)| a.is_within_or_around(b))
}

/// Digits with separators between them, and what stands around an amount: a sign, brackets, a currency's.
fn is_like_amount(text: &str) -> bool {
    let around = |c: char| {
        c.is_whitespace() || matches!(c, '-' | '−' | '+' | '(' | ')' | '%') || is_currency(c)
    };
    let inner = text.trim_matches(around);
    let between = |c: char| c.is_whitespace() || matches!(c, '.' | ',' | '\'' | '’');
    inner.contains(|c: char| c.is_ascii_digit())
        && inner.chars().all(|c| c.is_ascii_digit() || between(c))
}

fn is_currency(sign: char) -> bool {
    matches!(sign, '$' | '¢' | '£' | '¤' | '¥' | '\u{20a0}'..='\u{20cf}')
}

/// Whether a value is a text that is not written as a number.
pub(super) fn is_other_text(value: &Value) -> bool {
    value.is_string() && !is_amount(value)
}

/// Whether two values can be said to be more or less than one another. An amount and a text that is not one cannot, though
/// both are texts: `9,000.00` is not more than `10000.00` because it begins with a nine. Nor can a date and another text.
pub(super) fn same_kind(a: &Value, b: &Value) -> bool {
    if let (Some(one), Some(other)) = (text_kind(a), text_kind(b)) {
        // Whoever looks for more than an empty text wants all that are not.
        return one == other || a == "" || b == "";
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

/// A text two values share exactly when they are the same: keys sorted, whole numbers without a point. Texts are themselves, so
/// that no two ids become one.
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
