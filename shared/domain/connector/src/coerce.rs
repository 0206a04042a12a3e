//! JSON values become values of a declared type (F-091), or say why they cannot.

use countersign_decimal::Decimal;
use countersign_registry::DataType;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use serde_json::{Number, Value};

use crate::json_number::{json_number, settled};
use crate::model::ValueType;
use crate::reading::Reading;

/// The value as one of `data_type`. What does not fit is null, with a complaint; null and, except for texts, empty texts
/// are null without one. A single value becomes a list of one where a list is declared.
#[must_use]
pub fn coerce(value: Value, data_type: &DataType, reading: &Reading) -> (Value, Option<String>) {
    if value.is_null() || is_blank(&value) && !matches!(data_type, DataType::String | DataType::Any)
    {
        return (Value::Null, None);
    }
    match data_type {
        DataType::Any => (value, None),
        DataType::Array(item) => list(value, item, reading),
        _ => match one(&value, data_type, reading) {
            Some(fitting) => (fitting, None),
            None => {
                let complaint = complaint(&value, data_type, reading);
                (Value::Null, Some(complaint))
            }
        },
    }
}

/// As [`coerce`], of a value of a JSON document and the same value with a text for each long number.
pub(crate) fn coerce_written(
    value: Value,
    written: Option<Value>,
    data_type: &DataType,
    reading: &Reading,
) -> (Value, Option<String>) {
    match (value, written, data_type) {
        (value, None, _) => coerce(value, data_type, reading),
        (Value::Array(items), Some(Value::Array(texts)), DataType::Array(item)) => {
            let pairs = items.into_iter().zip(texts);
            all(pairs.map(|(value, text)| coerce_written(value, Some(text), item, reading)))
        }
        (value @ Value::Number(_), written, DataType::Array(item)) => {
            all([coerce_written(value, written, item, reading)])
        }
        (value, Some(written), _) => match (&value, &written, value_type(data_type)) {
            (Value::Number(_), Value::String(text), Some(value_type)) => {
                json_number(text, value_type)
            }
            (_, _, Some(_)) => coerce(value, data_type, reading),
            _ => {
                let (value, said) = settled(value, written);
                let (value, complaint) = coerce(value, data_type, reading);
                (value, complaint.or(said))
            }
        },
    }
}

fn is_blank(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim().is_empty())
}

/// A list of values, and the first of their complaints.
fn all(values: impl IntoIterator<Item = (Value, Option<String>)>) -> (Value, Option<String>) {
    let mut first = None;
    let values = values.into_iter().map(|(value, complaint)| {
        first = first.take().or(complaint);
        value
    });
    (values.collect(), first)
}

/// Each item for itself; the first that does not fit is told.
fn list(value: Value, item: &DataType, reading: &Reading) -> (Value, Option<String>) {
    let items = match value {
        Value::Array(items) => items,
        single => vec![single],
    };
    all(items.into_iter().map(|value| coerce(value, item, reading)))
}

fn one(value: &Value, data_type: &DataType, reading: &Reading) -> Option<Value> {
    let read = |text: &str, value_type| reading.read(text.trim(), value_type);
    match (data_type, value) {
        (DataType::String, Value::String(_)) => Some(value.clone()),
        // A long number has lost digits on its way, and would come out as another text.
        (DataType::String, Value::Number(number)) if number.is_f64() && exact(number).is_none() => {
            None
        }
        (DataType::String, Value::Number(number)) => Some(number.to_string().into()),
        (DataType::String, Value::Bool(flag)) => Some(flag.to_string().into()),
        (DataType::Number, Value::Number(_)) | (DataType::Boolean, Value::Bool(_)) => {
            Some(value.clone())
        }
        (DataType::Integer, Value::Number(number)) => {
            if number.is_f64() {
                whole(number.as_f64()?)
            } else {
                Some(value.clone())
            }
        }
        (DataType::Boolean, Value::Number(number)) => match number.as_u64()? {
            0 => Some(false.into()),
            1 => Some(true.into()),
            _ => None,
        },
        (DataType::Date, Value::String(text)) => date(text.trim(), reading),
        (DataType::Number, Value::String(text)) => read(text, ValueType::Number),
        (DataType::Decimal, Value::String(text)) => read(text, ValueType::Decimal),
        (DataType::Decimal, Value::Number(number)) => {
            exact(number).map(|decimal| decimal.to_string().into())
        }
        (DataType::Integer, Value::String(text)) => read(text, ValueType::Integer),
        (DataType::Boolean, Value::String(text)) => read(text, ValueType::Boolean),
        (DataType::Object | DataType::Record(_), Value::Object(_)) => Some(value.clone()),
        _ => None,
    }
}

/// A JSON number that is certainly the one the source wrote: a fraction of more digits may have lost some on its way.
#[must_use]
pub fn exact(number: &Number) -> Option<Decimal> {
    if may_have_lost_digits(number) {
        return None;
    }
    let text = number.to_string();
    // A whole double is printed with `.0`, which the source may not have written.
    let text = if number.is_f64() { text.strip_suffix(".0").unwrap_or(&text) } else { &text };
    Decimal::of_json(text).ok()
}

/// Whether a number has more digits than a double keeps of every number.
fn may_have_lost_digits(number: &Number) -> bool {
    const KEPT: usize = 15;
    let text = number.to_string();
    let digits = text.split('e').next().unwrap_or_default();
    let significant = digits.trim_start_matches(['-', '0', '.']);
    let significant = significant.strip_suffix(".0").unwrap_or(significant);
    let significant = significant.trim_end_matches('0');
    number.is_f64() && significant.bytes().filter(u8::is_ascii_digit).count() > KEPT
}

/// What is said of a number that is not [`exact`].
#[must_use]
pub fn uncertain(number: &Number) -> String {
    let why = if may_have_lost_digits(number) {
        "as a number it keeps 15 of its digits; a text would keep all"
    } else {
        "it has more than 28 digits"
    };
    format!("`{number}` is not of type decimal; {why}")
}

/// A number without a fraction, in the range where every whole number has a float.
fn whole(number: f64) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() != 0.0 || number.abs() > EXACT {
        return None;
    }
    format!("{number:.0}").parse::<i64>().ok().map(Value::from)
}

/// A calendar date, or a time: with a zone it is kept, at midnight without one it is its date. Mail's form becomes RFC 3339.
fn date(text: &str, reading: &Reading) -> Option<Value> {
    if text.len() <= 10
        && let Ok(date) = text.parse::<Date>()
    {
        return Some(date.to_string().into());
    }
    if text.parse::<Timestamp>().is_ok() {
        return Some(text.into());
    }
    if text.as_bytes().get(10).is_some_and(|b| matches!(b, b'T' | b' '))
        && let Ok(time) = text.parse::<DateTime>()
    {
        let midnight = time.time() == Time::midnight();
        return Some(if midnight { time.date().to_string() } else { time.to_string() }.into());
    }
    if let Ok(time) = jiff::fmt::rfc2822::parse(text) {
        return Some(time.timestamp().to_string().into());
    }
    reading.read(text, ValueType::Date)
}

fn complaint(value: &Value, data_type: &DataType, reading: &Reading) -> String {
    let read_as = value_type(data_type);
    let shown = match (value, read_as) {
        (Value::String(text), Some(read_as)) if *data_type != DataType::String => {
            return reading.complaint(text, read_as);
        }
        (Value::Number(number), Some(ValueType::Decimal)) => return uncertain(number),
        (value, _) => shown(value),
    };
    format!("{shown} is not of type {data_type}")
}

/// The type a text or a number is read as.
fn value_type(data_type: &DataType) -> Option<ValueType> {
    match data_type {
        DataType::String => Some(ValueType::String),
        DataType::Number => Some(ValueType::Number),
        DataType::Decimal => Some(ValueType::Decimal),
        DataType::Integer => Some(ValueType::Integer),
        DataType::Boolean => Some(ValueType::Boolean),
        DataType::Date => Some(ValueType::Date),
        _ => None,
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("`{}`", text.chars().take(60).collect::<String>()),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => format!("`{other}`"),
    }
}

#[cfg(test)]
mod tests {
    use countersign_registry::DataType;
    use proptest::prelude::{ProptestConfig, prop_assert, proptest};
    use serde_json::{Value, json};

    use super::coerce;
    use crate::reading::Reading;

    #[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
    fn check(value: Value, data_type: DataType, expect: Value) {
        let (found, complaint) = coerce(value.clone(), &data_type, &Reading::default());
        assert_eq!(found, expect, "{value} as {data_type}");
        assert_eq!(complaint, None, "{value} as {data_type}");
    }

    #[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
    fn refuse(value: Value, data_type: DataType, complaint: &str) {
        let (found, said) = coerce(value, &data_type, &Reading::default());
        assert_eq!((found, said.as_deref()), (Value::Null, Some(complaint)));
    }

    #[test]
    fn f_091_values_become_what_the_schema_declares() {
        check(json!(12), DataType::String, json!("12"));
        check(json!(true), DataType::String, json!("true"));
        check(json!("1,234.5"), DataType::Number, json!(1234.5));
        check(json!("40.00"), DataType::Integer, json!(40));
        check(json!(40.0), DataType::Integer, json!(40));
        check(json!(u64::MAX), DataType::Integer, json!(u64::MAX));
        check(json!(1), DataType::Boolean, json!(true));
        check(json!("false"), DataType::Boolean, json!(false));
        check(json!({"a": 1}), DataType::Object, json!({"a": 1}));
        check(json!("x"), DataType::array(DataType::String), json!(["x"]));
        check(json!([1, "2", null]), DataType::array(DataType::Integer), json!([1, 2, null]));
        check(json!([{"x": 1}]), DataType::Any, json!([{"x": 1}]));
    }

    #[test]
    fn f_091_dates_in_the_forms_sources_write() {
        for (text, expect) in [
            ("2024-02-29", "2024-02-29"),
            ("20240229", "2024-02-29"),
            ("2024-02-29T00:00:00", "2024-02-29"),
            ("2024-02-29 00:00:00", "2024-02-29"),
            ("2024-02-29T10:11:12", "2024-02-29T10:11:12"),
            ("2024-02-29T10:11:12Z", "2024-02-29T10:11:12Z"),
            ("2024-02-29T10:11:12.5-05:00", "2024-02-29T10:11:12.5-05:00"),
            ("2024-02-29-05:00", "2024-02-29"),
            ("Thu, 29 Feb 2024 10:11:12 GMT", "2024-02-29T10:11:12Z"),
        ] {
            check(json!(text), DataType::Date, json!(expect));
        }
        refuse(json!("2023-02-29"), DataType::Date, "`2023-02-29` is not of type date");
        let said = "`02/29/2024` is not of type date; declare the endpoint's `locale` if it is written as in one";
        refuse(json!("02/29/2024"), DataType::Date, said);
        refuse(json!(2024), DataType::Date, "`2024` is not of type date");
    }

    #[test]
    fn f_091_decimals_are_exact_or_said() {
        check(json!("1250.00"), DataType::Decimal, json!("1250.00"));
        check(json!("1,250.00"), DataType::Decimal, json!("1250.00"));
        check(json!(1250.0), DataType::Decimal, json!("1250"));
        check(json!(19.99), DataType::Decimal, json!("19.99"));
        check(json!(1e15), DataType::Decimal, json!("1000000000000000"));
        check(json!(-7), DataType::Decimal, json!("-7"));
        check(json!(u64::MAX), DataType::Decimal, json!("18446744073709551615"));
        check(json!(["1.5", 2]), DataType::array(DataType::Decimal), json!(["1.5", "2"]));
        let kept = "as a number it keeps 15 of its digits; a text would keep all";
        let said = format!("`0.30000000000000004` is not of type decimal; {kept}");
        refuse(json!(0.1 + 0.2), DataType::Decimal, &said);
        refuse(
            json!(1e300),
            DataType::Decimal,
            "`1e+300` is not of type decimal; it has more than 28 digits",
        );
        let long = "1".repeat(29);
        let said = format!("`{long}` is not of type decimal; it has more than 28 digits");
        refuse(json!(long), DataType::Decimal, &said);
        refuse(json!("n/a"), DataType::Decimal, "`n/a` is not of type decimal");
    }

    #[test]
    fn f_091_nothing_is_null_without_a_complaint() {
        check(Value::Null, DataType::Integer, Value::Null);
        check(json!(" "), DataType::Number, Value::Null);
        check(json!(""), DataType::Date, Value::Null);
        check(json!(""), DataType::String, json!(""));
    }

    #[test]
    fn f_091_what_does_not_fit_is_null_and_said() {
        refuse(json!("n/a"), DataType::Number, "`n/a` is not of type number");
        refuse(json!(1.5), DataType::Integer, "`1.5` is not of type integer");
        refuse(json!(1e300), DataType::Integer, "`1e+300` is not of type integer");
        refuse(json!(2), DataType::Boolean, "`2` is not of type boolean");
        refuse(json!(["a"]), DataType::String, "a list is not of type string");
        let long: Value = serde_json::from_str("4000123412341234567890").unwrap();
        refuse(long, DataType::String, "`4.0001234123412346e+21` is not of type string");
        refuse(json!("a"), DataType::Object, "`a` is not of type object");
        let (list, said) =
            coerce(json!(["a", 1, {}]), &DataType::array(DataType::Integer), &Reading::default());
        assert_eq!(list, json!([null, 1, null]));
        assert_eq!(said.as_deref(), Some("`a` is not of type integer"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn f_091_no_text_panics_and_what_fits_fits_again(text in "\\PC{0,30}") {
            for data_type in [DataType::Number, DataType::Integer, DataType::Date, DataType::Boolean, DataType::String, DataType::Decimal] {
                let (value, complaint) = coerce(json!(text), &data_type, &Reading::default());
                prop_assert!(complaint.is_none() || value.is_null());
                prop_assert!(coerce(value.clone(), &data_type, &Reading::default()) == (value, None));
            }
        }
    }
}
