//! What a double would have lost.

use proptest::prelude::{
    BoxedStrategy, Just, ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, prop_oneof,
    proptest,
};
use serde_json::{Value, json};

use super::{ExactJson, quoted, unrounded};

const HUGE: &str = "12345678901234567890123";
const MONEY: &str = "1234567890123456.78";

#[test]
fn f_091_only_long_numbers_become_texts() {
    let same =
        r#"{"12345678901234567890": "12345678901234567890\\", "a": [1.5, -7, 1e30, 0.1], "\"": 2}"#;
    assert_eq!(quoted(same.as_bytes()), None);
    let json = format!(r#"{{"a\"1": [{MONEY},1,"{HUGE}"],"b": -{HUGE}, "c": 2.5e-310}}"#);
    let expect = format!(r#"{{"a\"1": ["{MONEY}",1,"{HUGE}"],"b": "-{HUGE}", "c": "2.5e-310"}}"#);
    assert_eq!(String::from_utf8(quoted(json.as_bytes()).unwrap()).unwrap(), expect);
}

#[test]
fn f_091_what_has_no_type_keeps_its_digits() {
    let read = |json: &str| ExactJson::from_slice(json.as_bytes()).unwrap().settled().into_owned();
    let json = format!(r#"{{"a": [{MONEY}, 0.30000000000000004, 1.5], "b": "{HUGE}"}}"#);
    assert_eq!(read(&json), json!({ "a": [MONEY, 0.1 + 0.2, 1.5], "b": HUGE }));
    assert!(ExactJson::from_slice(b"{12345678901234567890: 1}").is_err());
}

#[test]
fn f_091_only_lost_numbers_become_texts() {
    let same = r#"{"a": [0.30000000000000004, 18446744073709551615, 1e300], "1e400": "1e400"}"#;
    assert_eq!(unrounded(same.as_bytes()).unwrap(), same.as_bytes());
    let json = format!(r#"{{"a": [{MONEY},1e-400,-{HUGE}], "b": 1.5}}"#);
    let expect = format!(r#"{{"a": ["{MONEY}","1e-400","-{HUGE}"], "b": 1.5}}"#);
    assert_eq!(String::from_utf8_lossy(&unrounded(json.as_bytes()).unwrap()), expect);
    for wrong in [
        r#"{"card":4111-1111-1111-1111}"#,
        r#"{"a":1234567890123456.78.9}"#,
        r#"{"a":00000000000000001}"#,
        "{12345678901234567890123:1}",
        "[1234567890123456.78",
    ] {
        assert!(unrounded(wrong.as_bytes()).is_err(), "{wrong}");
    }
}

/// Numbers as JSON writes them.
fn numbers() -> BoxedStrategy<String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,20})?",
        "-?(0|[1-9][0-9]{0,4})(\\.[0-9]{1,20})?[eE][-+]?[0-9]{1,2}",
        any::<f64>().prop_map(|number| format!("{number:e}")),
        Just("0.0".to_owned()),
    ]
    .boxed()
}

fn texts() -> BoxedStrategy<String> {
    prop_oneof!["\\PC{0,12}", "[0-9\\\\\"]{0,24}", numbers()].boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn f_091_texts_stay_and_numbers_keep_their_digits(parts in proptest::collection::vec((texts(), numbers()), 1..6)) {
        let fields: Vec<String> =
            parts.iter().map(|(text, number)| format!("[{}, {number}]", json!(text))).collect();
        let json = format!("[{}]", fields.join(","));
        let read = ExactJson::from_slice(json.as_bytes()).unwrap().settled().into_owned();
        prop_assert_eq!(&serde_json::from_slice::<Value>(&unrounded(json.as_bytes()).unwrap()).unwrap(), &read);
        for (at, (text, number)) in parts.iter().enumerate() {
            prop_assert_eq!(&read[at][0], &json!(text));
            match &read[at][1] {
                Value::String(kept) => prop_assert_eq!(kept, number),
                Value::Number(kept) if kept.is_f64() => {
                    prop_assert!(crate::keeps_digits(number, kept.as_f64().unwrap()), "{}", number);
                }
                kept => prop_assert_eq!(&kept.to_string(), number),
            }
        }
    }
}
