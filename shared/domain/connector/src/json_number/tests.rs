//! What a double would have lost.

use serde_json::{Value, json};

use super::json_number;
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
