//! JSON whose long numbers keep their digits: a double has about 16 of them, and sources write more.

use std::borrow::Cow;
use std::ops::Range;

use countersign_decimal::{Decimal, keeps_digits};
use serde_json::{Number, Value};

use crate::model::ValueType;
use crate::reading::{MORE_DIGITS, shown, unfit};

/// Every number of so many digits comes out of a double as it went in.
const SAFE_DIGITS: usize = 15;
/// An exponent of fewer digits than this leads to no number that a double takes for nothing.
const RISKY_EXPONENT: usize = 3;

/// A document, and the text of the numbers in it that may have lost digits.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactJson {
    value: Value,
    /// The same document with a text for each long number. Most documents have none.
    written: Option<Value>,
}

impl ExactJson {
    /// Reads a document.
    ///
    /// # Errors
    /// Those of `serde_json` when it is not JSON.
    pub fn from_slice(json: &[u8]) -> serde_json::Result<Self> {
        let value = serde_json::from_slice(json)?;
        let written = quoted(json).map(|json| serde_json::from_slice(&json)).transpose()?;
        Ok(Self { value, written })
    }

    /// The document with the nearest double in place of a long number.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The document with the text of each long number in its place.
    pub(crate) fn written(&self) -> Option<&Value> {
        self.written.as_ref()
    }

    /// The document as it is kept where no type is declared: see [`settled`].
    #[must_use]
    pub fn settled(&self) -> Cow<'_, Value> {
        match &self.written {
            None => Cow::Borrowed(&self.value),
            Some(_) => Cow::Owned(self.clone().into_settled().0),
        }
    }

    /// The same, with what is said of it.
    #[must_use]
    pub fn into_settled(self) -> (Value, Option<String>) {
        match self.written {
            None => (self.value, None),
            Some(written) => settled(self.value, written),
        }
    }
}

impl From<Value> for ExactJson {
    fn from(value: Value) -> Self {
        Self { value, written: None }
    }
}

/// A valid document in which every number that may lose digits is a text; `None` when it has no such number.
#[must_use]
pub fn quoted(json: &[u8]) -> Option<Vec<u8>> {
    let mut numbers = long_numbers(json).peekable();
    numbers.peek()?;
    let mut out = Vec::with_capacity(json.len() + 64);
    let mut at = 0;
    for number in numbers {
        out.extend_from_slice(&json[at..number.start]);
        out.push(b'"');
        out.extend_from_slice(&json[number.clone()]);
        out.push(b'"');
        at = number.end;
    }
    out.extend_from_slice(&json[at..]);
    Some(out)
}

/// Whether a double may have lost digits of a number, by the number's length alone.
#[must_use]
pub fn may_lose_digits(number: &str) -> bool {
    is_long(number.as_bytes())
}

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

/// A value of no declared type, with what is said of it: a number that a double does not keep becomes a text with all its
/// digits. `written` is the same value with a text for each long number.
#[must_use]
pub fn settled(value: Value, written: Value) -> (Value, Option<String>) {
    let mut first = None;
    let value = settle(value, written, &mut first);
    let say =
        |number: String| format!("`{}` has {MORE_DIGITS}; it is kept as a text", shown(&number));
    (value, first.map(say))
}

fn settle(value: Value, written: Value, first: &mut Option<String>) -> Value {
    match (value, written) {
        (Value::Number(number), Value::String(text)) => {
            if !number.is_f64() || number.as_f64().is_some_and(|read| keeps_digits(&text, read)) {
                return Value::Number(number);
            }
            first.get_or_insert_with(|| text.clone());
            Value::String(text)
        }
        (Value::Array(items), Value::Array(texts)) => {
            items.into_iter().zip(texts).map(|(item, text)| settle(item, text, first)).collect()
        }
        (Value::Object(fields), Value::Object(mut texts)) => {
            let settled = fields.into_iter().map(|(name, value)| {
                let text = texts.get_mut(&name).map_or(Value::Null, Value::take);
                (name, settle(value, text, first))
            });
            Value::Object(settled.collect())
        }
        (value, _) => value,
    }
}

/// The double that a number is, when it has all its digits.
fn double(number: &str) -> Option<Number> {
    let read: Number = serde_json::from_str(number).ok()?;
    let loses = read.is_f64() && !read.as_f64().is_some_and(|read| keeps_digits(number, read));
    (!loses).then_some(read)
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

/// Where the numbers of a valid document stand that may lose digits.
fn long_numbers(json: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at += json[at..].iter().position(|byte| is_number(*byte) || *byte == b'"')?;
            if json[at] == b'"' {
                at += text_length(&json[at..]);
                continue;
            }
            let length = json[at..].iter().take_while(|byte| is_part(**byte)).count();
            let number = at..at + length;
            at = number.end;
            if is_long(&json[number.clone()]) {
                return Some(number);
            }
        }
    })
}

/// How many bytes a text has, with its quotes.
fn text_length(json: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', json.get(at..).unwrap_or_default()) {
        at += found;
        if json[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    json.len()
}

fn is_number(byte: u8) -> bool {
    byte == b'-' || byte.is_ascii_digit()
}

fn is_part(byte: u8) -> bool {
    is_number(byte) || matches!(byte, b'.' | b'+' | b'e' | b'E')
}

fn is_long(number: &[u8]) -> bool {
    if number.len() <= RISKY_EXPONENT + 1 {
        return false;
    }
    let exponent = number.iter().position(|byte| matches!(byte, b'e' | b'E'));
    let (mantissa, exponent) = number.split_at(exponent.unwrap_or(number.len()));
    let digits = |part: &[u8]| part.iter().filter(|byte| byte.is_ascii_digit()).count();
    number.len() > SAFE_DIGITS && digits(mantissa) > SAFE_DIGITS
        || digits(exponent) >= RISKY_EXPONENT
}

#[cfg(test)]
mod tests;
