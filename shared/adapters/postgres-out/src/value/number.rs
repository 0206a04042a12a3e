//! `numeric`: as many digits as it has.

use serde_json::{Number, Value};

use super::{Cell, Failed};

/// A double holds every decimal of so many digits.
const EXACT_DIGITS: usize = 15;

/// A JSON number when it holds every digit, otherwise text. `NaN` and the infinities are text.
pub(super) fn numeric(raw: &[u8]) -> Result<Cell, Failed> {
    let text = text(raw)?;
    if let Ok(whole) = text.parse::<i64>() {
        return Ok(Value::from(whole).into());
    }
    let digits =
        text.trim_start_matches(['-', '0', '.']).bytes().filter(u8::is_ascii_digit).count();
    let exact =
        (digits <= EXACT_DIGITS).then(|| text.parse().ok().and_then(Number::from_f64)).flatten();
    Ok(match exact {
        Some(number) => Value::Number(number).into(),
        None => Cell {
            value: text.into(),
            note: Some("holds numbers with more digits than JSON keeps, given as text"),
        },
    })
}

/// The binary form: digits in base 10,000, the weight of the first, a sign, and digits after the point.
pub(super) fn text(raw: &[u8]) -> Result<String, Failed> {
    let word = |index: usize| -> Result<u16, Failed> {
        let bytes = raw.get(index * 2..index * 2 + 2).ok_or("holds a broken number")?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    };
    let (count, weight, sign, scale) = (word(0)?, word(1)?.cast_signed(), word(2)?, word(3)?);
    match sign {
        0xC000 => return Ok("NaN".to_owned()),
        0xD000 => return Ok("Infinity".to_owned()),
        0xF000 => return Ok("-Infinity".to_owned()),
        _ => {}
    }
    let group = |position: i32| -> Result<u16, Failed> {
        match usize::try_from(i32::from(weight) - position) {
            Ok(index) if index < usize::from(count) => word(4 + index),
            _ => Ok(0),
        }
    };
    let mut text = String::from(if sign == 0x4000 { "-" } else { "" });
    let mut whole = String::new();
    for position in (0..=i32::from(weight).max(0)).rev() {
        whole.push_str(&format!("{:04}", group(position)?));
    }
    let whole = whole.trim_start_matches('0');
    text.push_str(if whole.is_empty() { "0" } else { whole });
    if scale > 0 {
        let mut fraction = String::new();
        for position in 1..=i32::from(scale).div_euclid(4) + 1 {
            fraction.push_str(&format!("{:04}", group(-position)?));
        }
        text.push('.');
        text.push_str(&fraction[..usize::from(scale)]);
    }
    Ok(text)
}
