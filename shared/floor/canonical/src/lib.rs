//! Canonical JSON: RFC 8785, except that whole numbers keep all their digits.
//!
//! RFC 8785 writes every number as an IEEE double, so `9007199254740993` would become another number. Rows and arguments
//! may hold 64-bit integers; here they are written as they are. Everything else is RFC 8785.

use serde::Serialize;
use serde_json::{Error, Value};

/// The canonical text of a value.
///
/// # Errors
/// The serialiser's error when the value cannot be written as JSON.
pub fn canonical(value: &Value) -> Result<String, Error> {
    let mut text = String::new();
    write(value, &mut text)?;
    Ok(text)
}

/// The canonical text of what can be written as JSON.
///
/// # Errors
/// The serialiser's error, or that of [`canonical`].
pub fn canonical_of(value: &impl Serialize) -> Result<String, Error> {
    canonical(&serde_json::to_value(value)?)
}

fn write(value: &Value, text: &mut String) -> Result<(), Error> {
    match value {
        Value::Number(number) if number.is_i64() || number.is_u64() => {
            text.push_str(&number.to_string());
            Ok(())
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                separate(index, text);
                write(item, text)?;
            }
            text.push(']');
            Ok(())
        }
        Value::Object(members) => {
            let mut sorted: Vec<(&String, &Value)> = members.iter().collect();
            // RFC 8785 sorts by UTF-16 code units, which is not the order of UTF-8 bytes.
            sorted.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            text.push('{');
            for (index, (name, member)) in sorted.into_iter().enumerate() {
                separate(index, text);
                text.push_str(&scalar(name)?);
                text.push(':');
                write(member, text)?;
            }
            text.push('}');
            Ok(())
        }
        other => {
            text.push_str(&scalar(other)?);
            Ok(())
        }
    }
}

fn separate(index: usize, text: &mut String) {
    if index > 0 {
        text.push(',');
    }
}

fn scalar(value: &impl Serialize) -> Result<String, Error> {
    serde_json_canonicalizer::to_string(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{canonical, canonical_of};

    fn check(value: &Value, expect: &str) {
        assert_eq!(canonical(value).unwrap(), expect, "{value}");
    }

    #[test]
    fn whole_numbers_keep_their_digits_and_keys_are_sorted() {
        check(&json!({"b": 1, "a": [true, null, "x\n"]}), r#"{"a":[true,null,"x\n"],"b":1}"#);
        check(&json!(9_007_199_254_740_993_u64), "9007199254740993");
        check(&json!(-9_223_372_036_854_775_808_i64), "-9223372036854775808");
        check(&json!([1.0, 0.1, 1e30]), "[1,0.1,1e+30]");
        check(&json!({"\u{10000}": 1, "\u{ffff}": 2}), "{\"\u{10000}\":1,\"\u{ffff}\":2}");
    }

    #[test]
    fn ids_that_differ_by_one_have_two_texts() {
        let ids = [u64::MAX - 1, u64::MAX].map(|id| canonical_of(&[id]).unwrap());
        assert_eq!(ids, ["[18446744073709551614]", "[18446744073709551615]"]);
    }

    #[test]
    fn numbers_are_read_as_rfc_8785_wants_them_and_not_kept_as_they_were_written() {
        // With serde_json's `arbitrary_precision`, which any crate can turn on for all, this is `1250.00`: two texts of one number
        // then have two digests, and what was signed is not found again (ADR 0029).
        let read: Value = serde_json::from_str("1250.00").unwrap();
        assert_eq!(read.to_string(), "1250.0");
        check(&read, "1250");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn small_numbers_are_written_as_rfc_8785_has_it(number in -(1_i64 << 53)..(1_i64 << 53), text in ".{0,40}", float in any::<f32>()) {
            prop_assume!(float.is_finite());
            let value = json!({ "n": number, text.clone(): [text, float] });
            prop_assert_eq!(canonical(&value).unwrap(), serde_json_canonicalizer::to_string(&value).unwrap());
        }
    }
}
