//! What a double would have lost.

use proptest::prelude::{
    BoxedStrategy, Just, ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, prop_oneof,
    proptest,
};
use serde_json::{Value, json};

use super::{ExactJson, json_number, quoted};
use crate::model::ValueType;

const HUGE: &str = "12345678901234567890123";
const MONEY: &str = "1234567890123456.78";

fn check(number: &str, value_type: ValueType, expect: Result<Value, &str>) {
    let expect = match expect {
        Ok(value) => (value, None),
        Err(help) => {
            let kind = value_type.data_type();
            (Value::Null, Some(format!("`{number}` is not of type {kind}{help}")))
        }
    };
    assert_eq!(json_number(number, value_type), expect, "{number}");
}

#[test]
fn f_091_a_json_number_is_exact_or_said() {
    let lost = Err("; it has more digits than a number keeps: a `decimal` has up to 28");
    for number in [HUGE, MONEY, "-1.2345678901234567890e5", "1e-400", "0.12345678901234567890"] {
        check(number, ValueType::Number, lost.clone());
    }
    check("0.30000000000000004", ValueType::Number, Ok(json!(0.1 + 0.2)));
    check("1.0000000000000000000", ValueType::Number, Ok(json!(1.0)));
    check("18446744073709551615", ValueType::Number, Ok(json!(u64::MAX)));
    check("1e300", ValueType::Number, Ok(json!(1e300)));
    check(HUGE, ValueType::Decimal, Ok(json!(HUGE)));
    check("0.30000000000000004", ValueType::Decimal, Ok(json!("0.30000000000000004")));
    check("-1.2345678901234567890e5", ValueType::Decimal, Ok(json!("-123456.7890123456789")));
    check("1e300", ValueType::Decimal, Err("; it has more than 28 digits"));
    check("9007199254740993.0", ValueType::Integer, Ok(json!(9_007_199_254_740_993_i64)));
    check("18446744073709551615", ValueType::Integer, Ok(json!(u64::MAX)));
    check("1.00000000000000000001", ValueType::Integer, Err(""));
    check(HUGE, ValueType::Integer, Err(""));
    check(HUGE, ValueType::String, Ok(json!(HUGE)));
    check(HUGE, ValueType::Boolean, Err(""));
}

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
        for (at, (text, number)) in parts.iter().enumerate() {
            prop_assert_eq!(&read[at][0], &json!(text));
            match &read[at][1] {
                Value::String(kept) => prop_assert_eq!(kept, number),
                Value::Number(kept) if kept.is_f64() => {
                    prop_assert!(countersign_decimal::keeps_digits(number, kept.as_f64().unwrap()), "{}", number);
                }
                kept => prop_assert_eq!(&kept.to_string(), number),
            }
        }
    }
}
