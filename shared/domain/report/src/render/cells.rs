//! Values in cells, and the columns of records that declare none.

use countersign_decimal::Decimal;
use countersign_decimal::currency::is_another;
use jiff::Timestamp;
use serde_json::Value;

use crate::layout::{CellFormat, Column, Currency};
use crate::markdown::inline;
use crate::path::{all_fields, at};

/// A table in a document with more columns than this is not readable.
const MAX_COLUMNS: usize = 12;

/// The columns of a table in a document.
pub(super) struct TableColumns {
    /// What is shown.
    pub(super) columns: Vec<Column>,
    /// The names of the fields that have no column, for the reader.
    pub(super) left_out: Vec<String>,
}

/// The records, when the value is a list of objects.
pub(super) fn records(value: &Value) -> Option<Vec<&Value>> {
    let items = value.as_array()?;
    items.iter().all(Value::is_object).then(|| items.iter().collect())
}

/// The declared columns, or one for each simple field; what has no column is named.
pub(super) fn columns_of_table(declared: &[Column], records: &[&Value]) -> TableColumns {
    if !declared.is_empty() {
        return TableColumns { columns: declared.to_vec(), left_out: Vec::new() };
    }
    let (mut shown, nested): (Vec<&str>, Vec<&str>) =
        fields(records).into_iter().partition(|field| is_simple(field, records));
    let rest = shown.split_off(shown.len().min(MAX_COLUMNS));
    let left_out = rest.into_iter().chain(nested).map(str::to_owned).collect();
    TableColumns { columns: shown.into_iter().map(Column::plain).collect(), left_out }
}

/// The declared columns, or one for each field. Each has a line of its own, so there may be any number of them. A nested object
/// is written as JSON.
pub(super) fn columns_of_facts(declared: &[Column], record: &Value) -> Vec<Column> {
    let inferred = || fields(&[record]).into_iter().map(Column::plain).collect();
    if declared.is_empty() { inferred() } else { declared.to_vec() }
}

/// The declared columns, or one for each field: a file of data leaves none out.
pub(super) fn columns_of_csv(declared: &[Column], records: &[&Value]) -> Vec<Column> {
    let inferred = || fields(records).into_iter().map(Column::plain).collect();
    if declared.is_empty() { inferred() } else { declared.to_vec() }
}

/// The fields in the order of first sight. Those that begin with an underscore were added by actions and are left out,
/// unless there are no others.
fn fields<'r>(records: &[&'r Value]) -> Vec<&'r str> {
    let all = all_fields(records);
    let own: Vec<&str> = all.iter().copied().filter(|name| !name.starts_with('_')).collect();
    if own.is_empty() { all } else { own }
}

/// Whether any record has something other than an object there.
fn is_simple(field: &str, records: &[&Value]) -> bool {
    records.iter().filter_map(|record| record.get(field)).any(|value| !value.is_object())
}

/// The value of a column as escaped Markdown.
pub(super) fn shown(record: &Value, column: &Column) -> String {
    let value = at(record, &column.field).unwrap_or(&Value::Null);
    match (column.format, number(value)) {
        (CellFormat::Money, Some(digits)) => {
            let currency = column.currency.filter(|own| !names_another(record, *own));
            money(&digits, currency)
        }
        _ => written(value, column.format),
    }
}

/// Whether a record says itself that its amounts are in another currency.
fn names_another(record: &Value, own: Currency) -> bool {
    let mut fields = record.as_object().into_iter().flatten();
    fields
        .any(|(name, value)| value.as_str().is_some_and(|text| is_another(name, text, own.code())))
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
            number(value).map_or_else(|| text(value), |digits| money(&digits, None))
        }
        (CellFormat::Time, _) => time(value).unwrap_or_else(|| text(value)),
        (CellFormat::Percent, _) => {
            let share =
                number(value).and_then(|digits| Decimal::of_json(&format!("{digits}e2")).ok());
            share.map_or_else(
                || text(value),
                |share| format!("{} %", grouped(&share.normalized().to_string())),
            )
        }
        (CellFormat::Text, _) => text(value),
    }
}

/// Whether a column is set to the right.
pub(super) fn is_numeric(column: &Column) -> bool {
    !matches!(column.format, CellFormat::Text | CellFormat::Time)
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => inline(text),
        Value::Array(items) if items.is_empty() => "–".to_owned(),
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

/// An amount as it was given: whole, or with cents. A half is fifty cents; a tenth of a cent is kept.
fn money(digits: &str, currency: Option<Currency>) -> String {
    let (minus, amount) = digits.strip_prefix('-').map_or(("", digits), |amount| ("-", amount));
    let cents = match amount.split_once('.') {
        Some((whole, part)) if part.len() == 1 => format!("{whole}.{part}0"),
        _ => amount.to_owned(),
    };
    let sign = currency.map_or_else(String::new, |currency| currency.sign().replace('$', "\\$"));
    format!("{minus}{sign}{}", grouped(&cents))
}

/// A time in RFC 3339 to the minute, in UTC; a day stays a day.
fn time(value: &Value) -> Option<String> {
    let time: Timestamp = value.as_str()?.parse().ok()?;
    Some(inline(&time.strftime("%Y-%m-%d %H:%M UTC").to_string()))
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

    use super::{CellFormat, Column, Currency, shown, written};

    fn check(value: &Value, format: CellFormat, expect: &str) {
        assert_eq!(written(value, format), expect);
    }

    #[test]
    fn f_136_amounts_carry_the_currency_of_their_source() {
        for (code, expect) in [("USD", "\\$1,200"), ("EUR", "€1,200"), ("CHF", "CHF 1,200")] {
            let currency = Currency::parse(code);
            let column = Column { format: CellFormat::Money, currency, ..Column::plain("pay") };
            assert_eq!(shown(&json!({"pay": "1200"}), &column), expect);
        }
        let column = Column { format: CellFormat::Money, ..Column::plain("pay") };
        assert_eq!(shown(&json!({"pay": "1200"}), &column), "1,200");
        let column = Column { currency: Currency::parse("EUR"), ..column };
        let other = json!({"pay": "1200", "currency": "USD"});
        assert_eq!(shown(&other, &column), "1,200", "it is not in euros");
        assert_eq!((Currency::parse("eur"), Currency::parse("EURO")), (None, None));
    }

    #[test]
    fn f_136_times_are_told_to_the_minute_with_their_zone() {
        let read = "2026-11-21T10:04:59.123456Z";
        check(&json!(read), CellFormat::Time, "2026-11-21 10:04 UTC");
        check(&json!("2026-11-21T01:00:00+02:00"), CellFormat::Time, "2026-11-20 23:00 UTC");
        check(&json!("2021-12-31"), CellFormat::Time, "2021-12-31");
        check(&json!(null), CellFormat::Time, "–");
    }

    #[test]
    fn amounts_counts_and_shares_are_readable() {
        check(&json!(1_234_567), CellFormat::Money, "1,234,567");
        check(&json!("84500"), CellFormat::Money, "84,500");
        check(&json!(-1200), CellFormat::Money, "-1,200");
        check(&json!("n/a"), CellFormat::Money, "n/a");
        check(&json!(1000.5), CellFormat::Money, "1,000.50");
        check(&json!("4200.00"), CellFormat::Money, "4,200.00");
        check(&json!("-0.125"), CellFormat::Money, "-0.125");
        check(&json!(999), CellFormat::Number, "999");
        check(&json!(1000.5), CellFormat::Number, "1,000.5");
        check(&json!(0.93), CellFormat::Percent, "93 %");
        check(&json!(0.996), CellFormat::Percent, "99.6 %");
        check(&json!("0.0725"), CellFormat::Percent, "7.25 %");
        check(&json!(1), CellFormat::Percent, "100 %");
        check(&json!(0), CellFormat::Percent, "0 %");
        check(&json!([1, 2, 3]), CellFormat::Count, "3");
        check(&json!(["a", "b|c"]), CellFormat::Text, "a, b\\|c");
        check(&json!(null), CellFormat::Money, "–");
        check(&json!([]), CellFormat::Text, "–");
        check(&json!([]), CellFormat::Count, "0");
        check(&json!(true), CellFormat::Text, "yes");
    }
}
