//! Texts that come in base64.

use base64::Engine as _;
use base64::alphabet::URL_SAFE;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use serde_json::{Map, Value};

/// With padding and without it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Puts the text in the place of its base64, in these fields of a record; what is none is left null and complained about.
pub(crate) fn decoded(record: &mut Map<String, Value>, fields: &[String]) -> Vec<String> {
    let mut complaints = Vec::new();
    for name in fields {
        if let Some(value) = record.get_mut(name) {
            let complaint = decode(value);
            complaints.extend(complaint.map(|what| format!("field `{name}`: {what}")));
        }
    }
    complaints
}

/// What is wrong with a value, if anything is.
fn decode(value: &mut Value) -> Option<&'static str> {
    match value {
        Value::Null => None,
        Value::Array(items) => items.iter_mut().filter_map(decode).last(),
        Value::String(text) => match bytes(text) {
            Some(bytes) => {
                let (read, complaint) = read(bytes);
                *text = read;
                complaint
            }
            None => not_base64(value),
        },
        other => not_base64(other),
    }
}

fn not_base64(value: &mut Value) -> Option<&'static str> {
    *value = Value::Null;
    Some("it is not base64")
}

/// Of either alphabet; sources break it into lines.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let plain = text.bytes().filter(|b| !b.is_ascii_whitespace()).map(|b| match b {
        b'+' => b'-',
        b'/' => b'_',
        other => other,
    });
    BASE64.decode(plain.collect::<Vec<u8>>()).ok()
}

fn read(bytes: Vec<u8>) -> (String, Option<&'static str>) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            (text, Some("what is not UTF-8 in it is replaced by `\u{fffd}`"))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::decoded;

    #[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
    fn check(given: Value, expect: Value, complaint: Option<&str>) {
        let mut record = json!({ "text": given, "other": "SGk" }).as_object().unwrap().clone();
        let complaints = decoded(&mut record, &["text".to_owned(), "absent".to_owned()]);
        assert_eq!(record["text"], expect);
        assert_eq!(record["other"], "SGk");
        assert_eq!(complaints.len(), usize::from(complaint.is_some()), "{complaints:?}");
        assert!(complaints.iter().all(|said| said.contains(complaint.unwrap())), "{complaints:?}");
    }

    #[test]
    fn f_090_a_text_in_base64_is_read() {
        check(json!("SGVsbG8"), json!("Hello"), None);
        check(json!("SGVs\nbG8="), json!("Hello"), None);
        check(json!("w6TDtj8_"), json!("äö??"), None);
        check(json!("w6TDtj8/"), json!("äö??"), None);
        check(json!(["SGk", "SGk"]), json!(["Hi", "Hi"]), None);
        check(Value::Null, Value::Null, None);
        check(json!(""), json!(""), None);
        check(json!("no base64!"), Value::Null, Some("it is not base64"));
        check(json!(3), Value::Null, Some("it is not base64"));
        check(json!("_-8"), json!("\u{fffd}\u{fffd}"), Some("not UTF-8"));
    }
}
