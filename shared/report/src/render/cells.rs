//! Values in cells, and the columns of records that declare none.

use serde_json::Value;

use crate::layout::{CellFormat, Column};
use crate::markdown::inline;
use crate::path::at;

/// More columns than this make no readable table.
const MOST_COLUMNS: usize = 12;

/// The records, when the value is a list of objects.
pub(super) fn records(value: &Value) -> Option<Vec<&Value>> {
    let items = value.as_array()?;
    items.iter().all(Value::is_object).then(|| items.iter().collect())
}

/// The declared columns, or one for each simple field in the order of first sight.
pub(super) fn columns_or_inferred(declared: &[Column], records: &[&Value]) -> Vec<Column> {
    if !declared.is_empty() {
        return declared.to_vec();
    }
    let mut names: Vec<&String> = Vec::new();
    for (name, value) in records.iter().filter_map(|record| record.as_object()).flatten() {
        if !value.is_object() && !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().take(MOST_COLUMNS).map(|name| Column::plain(name)).collect()
}

/// The value of a column as escaped Markdown.
pub(super) fn shown(record: &Value, column: &Column) -> String {
    written(at(record, &column.field).unwrap_or(&Value::Null), column.format)
}

/// A value as escaped Markdown.
pub(super) fn written(value: &Value, format: CellFormat) -> String {
    match (format, value) {
        (_, Value::Null) => "–".to_owned(),
        (CellFormat::Count, Value::Array(items)) => grouped(&items.len().to_string()),
        (CellFormat::Number | CellFormat::Count, _) => {
            number(value).map_or_else(|| text(value), |digits| grouped(&digits))
        }
        (CellFormat::Money, _) => {
            number(value).map_or_else(|| text(value), |digits| money(&digits))
        }
        (CellFormat::Percent, _) => {
            value.as_f64().map_or_else(|| text(value), |share| format!("{:.0} %", share * 100.0))
        }
        (CellFormat::Text, _) => text(value),
    }
}

/// Whether a column is set to the right.
pub(super) fn is_numeric(column: &Column) -> bool {
    column.format != CellFormat::Text
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => inline(text),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        other => inline(&other.to_string()),
    }
}

/// A number, or a text that is a plain decimal (filings write amounts as text).
fn number(value: &Value) -> Option<String> {
    let digits = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        _ => return None,
    };
    let plain = digits.strip_prefix('-').unwrap_or(&digits);
    let all = !plain.is_empty() && plain.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    (all && plain.matches('.').count() < 2).then_some(digits)
}

fn money(digits: &str) -> String {
    match digits.strip_prefix('-') {
        Some(amount) => format!("-\\${}", grouped(amount)),
        None => format!("\\${}", grouped(digits)),
    }
}

fn grouped(digits: &str) -> String {
    let (sign, rest) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    let (whole, fraction) =
        rest.split_once('.').map_or((rest, None), |(whole, part)| (whole, Some(part)));
    let mut out = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    let fraction = fraction.map_or_else(String::new, |part| format!(".{part}"));
    format!("{sign}{out}{fraction}")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{CellFormat, written};

    fn check(value: &Value, format: CellFormat, expect: &str) {
        assert_eq!(written(value, format), expect);
    }

    #[test]
    fn amounts_counts_and_shares_are_readable() {
        check(&json!(1_234_567), CellFormat::Money, "\\$1,234,567");
        check(&json!("84500"), CellFormat::Money, "\\$84,500");
        check(&json!(-1200), CellFormat::Money, "-\\$1,200");
        check(&json!("n/a"), CellFormat::Money, "n/a");
        check(&json!(999), CellFormat::Number, "999");
        check(&json!(1000.5), CellFormat::Number, "1,000.5");
        check(&json!(0.934), CellFormat::Percent, "93 %");
        check(&json!([1, 2, 3]), CellFormat::Count, "3");
        check(&json!(["a", "b|c"]), CellFormat::Text, "a, b\\|c");
        check(&json!(null), CellFormat::Money, "–");
        check(&json!(true), CellFormat::Text, "yes");
    }
}
