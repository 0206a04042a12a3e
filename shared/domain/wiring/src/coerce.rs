//! Types during a run (F-039, F-157).

use countersign_decimal::{Decimal, InvalidDecimal, keeps_digits};
use countersign_registry::{DataType, Field};
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Map, Number, Value};

/// The largest whole number every JSON reader keeps exactly, 2^53.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A value that does not have the type its place asks for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}expected {expected}, found {found}", self.place())]
pub struct TypeError {
    /// Where inside the value, such as `[3].name`; empty for the value itself.
    pub path: String,
    /// The type asked for.
    pub expected: String,
    /// What is there, in words that quote no data.
    pub found: String,
}

impl TypeError {
    fn new(expected: &DataType, value: &Value) -> Self {
        Self { path: String::new(), expected: expected.to_string(), found: kind(value).to_owned() }
    }

    fn below(mut self, step: &str) -> Self {
        self.path.insert_str(0, step);
        self
    }

    fn place(&self) -> String {
        if self.path.is_empty() {
            String::new()
        } else {
            format!("at `{}`: ", self.path.trim_start_matches('.'))
        }
    }
}

/// Gives a value the type asked for, if that loses nothing.
///
/// Numbers and booleans become text; text that is a number, a decimal, a boolean or a date becomes one; a whole number in
/// any notation is an integer; a number becomes a decimal by its shortest text; a single text becomes a list of one text. Fields of a record are each given their type;
/// null fields and fields the record does not declare stay as they are.
///
/// # Errors
/// [`TypeError`] with the place inside the value.
pub fn coerce(value: Value, to: &DataType) -> Result<Value, TypeError> {
    match (to, value) {
        (DataType::Any, value) => Ok(value),
        (DataType::String, Value::String(text)) => Ok(Value::String(text)),
        (DataType::String, Value::Number(number)) => Ok(Value::String(number.to_string())),
        (DataType::String, Value::Bool(flag)) => Ok(Value::String(flag.to_string())),
        (DataType::Number, Value::Number(number)) => Ok(Value::Number(number)),
        (DataType::Number, Value::String(text)) => {
            number(text.trim()).map_err(|found| not(to, found))
        }
        (DataType::Decimal, Value::String(text)) => {
            decimal(text.trim(), Decimal::parse).map_err(|found| not(to, found))
        }
        (DataType::Decimal, Value::Number(number)) => {
            let text = number.to_string();
            let text = text.strip_suffix(".0").unwrap_or(&text);
            decimal(text, Decimal::of_json).map_err(|found| not(to, found))
        }
        (DataType::Integer, Value::Number(number)) => {
            whole(&number).ok_or_else(|| not(to, "a number with a fraction"))
        }
        (DataType::Integer, Value::String(text)) => {
            integer(&text).ok_or_else(|| not(to, "a text that is not a whole number"))
        }
        (DataType::Boolean, Value::Bool(flag)) => Ok(Value::Bool(flag)),
        (DataType::Boolean, Value::String(text)) => {
            boolean(&text).ok_or_else(|| not(to, "a text that is not a boolean"))
        }
        (DataType::Date, Value::String(text)) => {
            if is_date(&text) {
                Ok(Value::String(text))
            } else {
                Err(not(to, "a text that is not a date"))
            }
        }
        (DataType::Object, Value::Object(fields)) => Ok(Value::Object(fields)),
        (DataType::Record(declared), Value::Object(fields)) => coerce_fields(fields, declared),
        (DataType::Array(item), Value::Array(items)) => coerce_items(items, item),
        (DataType::Array(item), value @ Value::String(_)) if **item == DataType::String => {
            Ok(Value::Array(vec![value]))
        }
        (to, value) => Err(TypeError::new(to, &value)),
    }
}

fn coerce_fields(mut fields: Map<String, Value>, declared: &[Field]) -> Result<Value, TypeError> {
    for field in declared {
        if let Some(value) = fields.get_mut(&field.name).filter(|value| !value.is_null()) {
            let place = format!(".{}", field.name);
            *value = coerce(value.take(), &field.data_type).map_err(|error| error.below(&place))?;
        }
    }
    Ok(Value::Object(fields))
}

fn coerce_items(items: Vec<Value>, item: &DataType) -> Result<Value, TypeError> {
    let each = items.into_iter().enumerate();
    each.map(|(at, value)| coerce(value, item).map_err(|error| error.below(&format!("[{at}]"))))
        .collect::<Result<Vec<_>, _>>()
        .map(Value::Array)
}

fn not(expected: &DataType, found: &str) -> TypeError {
    TypeError { path: String::new(), expected: expected.to_string(), found: found.to_owned() }
}

fn decimal(
    text: &str,
    read: fn(&str) -> Result<Decimal, InvalidDecimal>,
) -> Result<Value, &'static str> {
    read(text).map(|decimal| decimal.to_string().into()).map_err(|error| match error {
        InvalidDecimal::NotPlain => "a text that is not a decimal",
        InvalidDecimal::TooLong => "a number with more than 28 digits",
    })
}

fn number(text: &str) -> Result<Value, &'static str> {
    let number: Number = serde_json::from_str(text).map_err(|_| "a text that is not a number")?;
    let float = number.as_f64().filter(|_| number.is_f64());
    if float.is_some_and(|float| !keeps_digits(text, float)) {
        return Err("a text with more digits than a number keeps; a decimal has up to 28");
    }
    Ok(Value::Number(number))
}

fn integer(text: &str) -> Option<Value> {
    serde_json::from_str::<Number>(text.trim()).ok().and_then(|number| whole(&number))
}

#[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
fn whole(number: &Number) -> Option<Value> {
    if number.is_i64() || number.is_u64() {
        return Some(Value::Number(number.clone()));
    }
    let float = number.as_f64()?;
    (float.fract() == 0.0 && float.abs() <= EXACT).then(|| Value::from(float as i64))
}

fn boolean(text: &str) -> Option<Value> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        _ => None,
    }
}

fn is_date(text: &str) -> bool {
    text.len() <= 64
        && (text.parse::<Timestamp>().is_ok() || (text.len() == 10 && text.parse::<Date>().is_ok()))
}

/// What a value is, without its content.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn check(value: &Value, to: &DataType, expect: Result<Value, &str>) {
        let got = coerce(value.clone(), to).map_err(|error| error.to_string());
        assert_eq!(got, expect.map_err(str::to_owned), "{value} to {to}");
    }

    #[test]
    fn f_157_scalars() {
        check(&json!(3), &DataType::String, Ok(json!("3")));
        check(&json!("3.5"), &DataType::Number, Ok(json!(3.5)));
        check(&json!(3.0), &DataType::Integer, Ok(json!(3)));
        check(&json!("42"), &DataType::Integer, Ok(json!(42)));
        check(
            &json!(3.5),
            &DataType::Integer,
            Err("expected integer, found a number with a fraction"),
        );
        check(&json!("TRUE"), &DataType::Boolean, Ok(json!(true)));
        check(&json!(1), &DataType::Boolean, Err("expected boolean, found a number"));
        check(
            &json!("NaN"),
            &DataType::Number,
            Err("expected number, found a text that is not a number"),
        );
        check(&json!(null), &DataType::String, Err("expected string, found null"));
        check(&json!([1]), &DataType::String, Err("expected string, found a list"));
    }

    #[test]
    fn f_091_a_text_is_not_rounded_to_a_number() {
        for kept in ["0.1", "1e3", "19.989999999999998", "18446744073709551615", "-2.50"] {
            assert!(coerce(json!(kept), &DataType::Number).is_ok(), "{kept}");
        }
        let error = "expected number, found a text with more digits than a number keeps; a decimal has up to 28";
        for lost in
            ["1234567890123456.78", "99999999999999999999", "0.12345678901234567890", "1e-400"]
        {
            check(&json!(lost), &DataType::Number, Err(error));
        }
    }

    #[test]
    fn f_091_decimals_keep_every_digit() {
        check(&json!("1250.00"), &DataType::Decimal, Ok(json!("1250.00")));
        check(&json!("1250.00"), &DataType::String, Ok(json!("1250.00")));
        check(&json!(7), &DataType::Decimal, Ok(json!("7")));
        check(&json!(0.1), &DataType::Decimal, Ok(json!("0.1")));
        check(&json!(1250.0), &DataType::Decimal, Ok(json!("1250")));
        check(
            &json!("12.50"),
            &DataType::Integer,
            Err("expected integer, found a text that is not a whole number"),
        );
        check(&json!("12.00"), &DataType::Integer, Ok(json!(12)));
        check(
            &json!("$5"),
            &DataType::Decimal,
            Err("expected decimal, found a text that is not a decimal"),
        );
        let long = "1".repeat(29);
        check(
            &json!(long),
            &DataType::Decimal,
            Err("expected decimal, found a number with more than 28 digits"),
        );
        check(
            &json!(1e300),
            &DataType::Decimal,
            Err("expected decimal, found a number with more than 28 digits"),
        );
        check(&json!(true), &DataType::Decimal, Err("expected decimal, found a boolean"));
    }

    #[test]
    fn dates_are_days_or_times() {
        check(&json!("2026-02-28"), &DataType::Date, Ok(json!("2026-02-28")));
        check(&json!("2026-02-28T10:00:00Z"), &DataType::Date, Ok(json!("2026-02-28T10:00:00Z")));
        check(
            &json!("2026-02-30"),
            &DataType::Date,
            Err("expected date, found a text that is not a date"),
        );
        check(
            &json!("soon"),
            &DataType::Date,
            Err("expected date, found a text that is not a date"),
        );
    }

    #[test]
    fn f_039_nested_values_are_checked_with_their_place() {
        let people = DataType::records(vec![
            Field::new("name", DataType::String),
            Field::new("age", DataType::Integer),
        ]);
        check(
            &json!([{"name": 7, "age": null, "x": [1]}]),
            &people,
            Ok(json!([{"name": "7", "age": null, "x": [1]}])),
        );
        check(
            &json!([{"name": "a"}, {"age": "old"}]),
            &people,
            Err("at `[1].age`: expected integer, found a text that is not a whole number"),
        );
        check(&json!("one"), &DataType::array(DataType::String), Ok(json!(["one"])));
        check(
            &json!("one"),
            &DataType::array(DataType::Object),
            Err("expected object[], found a text"),
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn giving_a_type_twice_changes_nothing(text in "[-0-9.eEtrufalsx]{0,12}", n in any::<f64>(), pick in 0usize..7) {
            let types = [DataType::String, DataType::Number, DataType::Integer, DataType::Boolean, DataType::Date, DataType::array(DataType::String), DataType::Decimal];
            for value in [json!(text), json!(n)] {
                if let Ok(once) = coerce(value, &types[pick]) {
                    prop_assert_eq!(coerce(once.clone(), &types[pick]), Ok(once));
                }
            }
        }
    }
}
