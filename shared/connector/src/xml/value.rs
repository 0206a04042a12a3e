//! Text becomes typed values.

use std::borrow::Cow;

use compact_str::CompactString;
use jiff::civil::Date;
use serde_json::{Number, Value};

use crate::model::ValueType;
use crate::records::Cell;

/// Reads the texts found for a field. The message says why a text is not of the type.
#[must_use]
pub fn convert(texts: &[String], value_type: ValueType) -> (Value, Option<String>) {
    match value_type {
        ValueType::StringList => {
            (texts.iter().map(|text| Value::from(text.as_str())).collect(), None)
        }
        ValueType::NumberList => number_list(texts),
        _ => match texts.first() {
            None => (Value::Null, None),
            Some(text) => one(text, value_type),
        },
    }
}

fn one(text: &str, value_type: ValueType) -> (Value, Option<String>) {
    let read = match value_type {
        ValueType::Number => number(text).map(Value::Number),
        ValueType::Integer => integer(text).map(Value::from),
        ValueType::Boolean => boolean(text).map(Value::Bool),
        ValueType::Date => date(text).map(Value::String),
        ValueType::String | ValueType::StringList | ValueType::NumberList => {
            Some(Value::from(text))
        }
    };
    match read {
        Some(value) => (value, None),
        None => (Value::Null, Some(complaint(text, value_type))),
    }
}

/// Reads the one text of a field, which is kept as it is when the field is text.
pub(super) fn typed(text: CompactString, value_type: ValueType) -> (Cell, Option<String>) {
    if value_type == ValueType::String {
        return (Cell::Text(text), None);
    }
    let (value, complaint) = one(&text, value_type);
    (Cell::from(value), complaint)
}

fn number_list(texts: &[String]) -> (Value, Option<String>) {
    let mut complaint_of = None;
    let mut numbers = Vec::with_capacity(texts.len());
    for text in texts {
        match number(text) {
            Some(number) => numbers.push(Value::Number(number)),
            None => {
                complaint_of = complaint_of.or_else(|| Some(complaint(text, ValueType::Number)));
            }
        }
    }
    (Value::Array(numbers), complaint_of)
}

fn complaint(text: &str, value_type: ValueType) -> String {
    let shown: String = text.chars().take(60).collect();
    format!("`{shown}` is not of type {}", value_type.data_type())
}

/// A decimal number; commas are allowed between its thousands, and nowhere else: where they are decimal marks, a number
/// without them would be another one.
fn number(text: &str) -> Option<Number> {
    let plain = plain(text)?;
    let digits = plain.strip_prefix(['-', '+']).unwrap_or(&plain);
    let fits = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && digits.bytes().any(|b| b.is_ascii_digit());
    if !fits || digits.matches('.').count() > 1 {
        return None;
    }
    if let Some(whole) = whole(&plain) {
        return Some(whole.into());
    }
    plain.parse::<f64>().ok().and_then(Number::from_f64)
}

fn integer(text: &str) -> Option<i64> {
    whole(&plain(text)?)
}

fn whole(plain: &str) -> Option<i64> {
    let (whole, fraction) = plain.split_once('.').unwrap_or((plain, ""));
    if fraction.bytes().all(|b| b == b'0') { whole.parse().ok() } else { None }
}

/// A number without the commas between its thousands; `None` when a comma stands anywhere else.
fn plain(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains(',') {
        return Some(text.into());
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (grouped, fraction) = match unsigned.split_once('.') {
        Some((grouped, fraction)) => (grouped, Some(fraction)),
        None => (unsigned, None),
    };
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let mut groups = grouped.split(',');
    let first = groups.next()?;
    // `0,123` is a fraction: nobody writes a thousand as nothing and a rest.
    let fits = are_digits(first)
        && first.len() <= 3
        && !first.starts_with('0')
        && groups.all(|group| group.len() == 3 && are_digits(group))
        && fraction.is_none_or(are_digits);
    fits.then(|| text.replace(',', "").into())
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "TRUE" | "True" | "1" | "X" | "x" => Some(true),
        "false" | "FALSE" | "False" | "0" => Some(false),
        _ => None,
    }
}

/// `yyyy-mm-dd`, with or without a zone behind it, or a whole time, which is kept as it is.
fn date(text: &str) -> Option<String> {
    let day = text.get(..10)?;
    let date: Date = day.parse().ok()?;
    match text.as_bytes().get(10) {
        None | Some(b'Z' | b'+' | b'-') => Some(date.to_string()),
        Some(b'T') => Some(text.to_owned()),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
    use serde_json::{Value, json};

    use super::convert;
    use crate::model::ValueType;

    #[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
    fn check(text: &str, value_type: ValueType, expect: Value) {
        let (value, complaint) = convert(&[text.to_owned()], value_type);
        assert_eq!(value, expect, "{text}");
        assert_eq!(complaint.is_some(), expect.is_null(), "{text}");
    }

    #[test]
    fn f_099_amounts_are_numbers() {
        check("1234567", ValueType::Number, json!(1_234_567));
        check("-12", ValueType::Number, json!(-12));
        check("1,234", ValueType::Number, json!(1234));
        check("40.50", ValueType::Number, json!(40.5));
        check("NONE", ValueType::Number, Value::Null);
        check("1.2.3", ValueType::Number, Value::Null);
        check("inf", ValueType::Number, Value::Null);
        check("40.00", ValueType::Integer, json!(40));
        check("40.5", ValueType::Integer, Value::Null);
    }

    #[test]
    fn f_099_check_boxes_are_booleans() {
        check("X", ValueType::Boolean, json!(true));
        check("1", ValueType::Boolean, json!(true));
        check("false", ValueType::Boolean, json!(false));
        check("maybe", ValueType::Boolean, Value::Null);
    }

    #[test]
    fn f_099_dates_keep_their_day() {
        check("2021-12-31", ValueType::Date, json!("2021-12-31"));
        check("2021-12-31-05:00", ValueType::Date, json!("2021-12-31"));
        check("2021-12-31T10:00:00Z", ValueType::Date, json!("2021-12-31T10:00:00Z"));
        check("2021-02-30", ValueType::Date, Value::Null);
        check("12/31/2021", ValueType::Date, Value::Null);
    }

    #[test]
    fn an_ein_keeps_its_leading_zero() {
        check("010203040", ValueType::String, json!("010203040"));
    }

    #[test]
    fn f_099_commas_stand_between_thousands_or_it_is_no_number() {
        for text in ["1,234", "+1,234", "12,345,678", "-1,234.50", "999,999.999"] {
            let plain: f64 = text.replace(',', "").parse().unwrap();
            let (value, complaint) = convert(&[text.to_owned()], ValueType::Number);
            assert_eq!((value.as_f64(), complaint), (Some(plain), None), "{text}");
        }
        check("1,234,567", ValueType::Integer, json!(1_234_567));
        check("1,234.00", ValueType::Integer, json!(1234));
        for text in [
            "3,50",
            "1.234,56",
            "1,5",
            "0,123",
            "1,2345",
            "1234,567",
            ",123",
            "123,",
            "1,,234",
            "1,23,456",
            "1,234.",
            "1,234.5,6",
            "-,123",
            "1,234.-5",
            ",",
            "1, 234",
        ] {
            check(text, ValueType::Number, Value::Null);
            check(text, ValueType::Integer, Value::Null);
        }
        let list = ["1,234".to_owned(), "3,50".to_owned()];
        let (value, complaint) = convert(&list, ValueType::NumberList);
        assert_eq!(value, json!([1234]));
        assert_eq!(complaint.as_deref(), Some("`3,50` is not of type number"));
    }

    /// A number with commas between its thousands.
    fn grouped(number: u64) -> String {
        let digits = number.to_string();
        let mut out = String::new();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                out.push(',');
            }
            out.push(digit);
        }
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn f_099_grouped_numbers_are_what_they_are_without_commas(
            whole in any::<u32>(), fraction in proptest::option::of("[0-9]{1,6}"), negative in any::<bool>(),
        ) {
            let sign = if negative { "-" } else { "" };
            let fraction = fraction.map(|digits| format!(".{digits}")).unwrap_or_default();
            let written = format!("{sign}{}{fraction}", grouped(u64::from(whole)));
            let plain = format!("{sign}{whole}{fraction}");
            let read = |text: &str| convert(&[text.to_owned()], ValueType::Number);
            prop_assert_eq!(read(&written), read(&plain));
            prop_assert!(!read(&written).0.is_null());
        }

        #[test]
        fn f_099_no_comma_is_lost_unless_it_groups_thousands(text in "[+-]?[0-9.,]{1,12}") {
            let (value, complaint) = convert(std::slice::from_ref(&text), ValueType::Number);
            prop_assert_eq!(value.is_null(), complaint.is_some());
            if text.contains(',') && !value.is_null() {
                let unsigned = text.trim_start_matches(['-', '+']);
                let (groups, _) = unsigned.split_once('.').unwrap_or((unsigned, ""));
                let number = groups.replace(',', "").parse::<u64>().unwrap();
                prop_assert_eq!(groups, grouped(number));
            }
        }
    }
}
