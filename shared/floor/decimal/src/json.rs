//! JSON whose long numbers keep their digits: a double has about 16 of them, and sources write more.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;
use serde_json::{Number, Value};

use crate::keeps_digits;

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
    #[must_use]
    pub fn written(&self) -> Option<&Value> {
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
    quote(json, long_numbers(json))
}

/// A document in which every number that a double does not keep is a text with all its digits; the same one when it has no such
/// number. For whoever reads it into types: a text is refused, or read exactly, where a number would be rounded.
///
/// # Errors
/// Those of `serde_json` when it has such a number and is not JSON.
pub fn unrounded(json: &[u8]) -> serde_json::Result<Cow<'_, [u8]>> {
    let lost =
        long_numbers(json).filter(|at| !str::from_utf8(&json[at.clone()]).is_ok_and(is_kept));
    match quote(json, lost) {
        None => Ok(Cow::Borrowed(json)),
        Some(quoted) => {
            // What is no number, such as `1-2`, would be a text too.
            serde_json::from_slice::<IgnoredAny>(json)?;
            Ok(Cow::Owned(quoted))
        }
    }
}

/// Whether the nearest integer or double has all digits of a JSON number.
#[must_use]
pub fn is_kept(number: &str) -> bool {
    serde_json::from_str::<Number>(number).is_ok_and(|read| {
        !read.is_f64() || read.as_f64().is_some_and(|read| keeps_digits(number, read))
    })
}

fn quote(json: &[u8], numbers: impl Iterator<Item = Range<usize>>) -> Option<Vec<u8>> {
    let mut numbers = numbers.peekable();
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

/// A value of no declared type: a number that a double does not keep becomes a text with all its digits. `written` is the
/// same value with a text for each long number. Also gives the first of the numbers that became texts.
#[must_use]
pub fn settled(value: Value, written: Value) -> (Value, Option<String>) {
    let mut first = None;
    let value = settle(value, written, &mut first);
    (value, first)
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
