//! CSV that a spreadsheet shows and does not run.
//!
//! A cell that begins with `=`, `+`, `-`, `@` (or their full-width forms, or after white space or invisible characters)
//! is a formula to a spreadsheet. Such texts get a leading apostrophe, which spreadsheets hide. Numbers stay numbers.

use countersign_effect::is_hidden;
use serde_json::Value;

/// A table as CSV (RFC 4180, CRLF line ends): a header row and one row per record.
#[must_use]
pub fn write(header: &[String], rows: &[Vec<Value>]) -> String {
    let mut writer =
        csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let head: Vec<String> = header.iter().map(|name| guarded(name)).collect();
    let body = rows.iter().map(|row| row.iter().map(cell).collect::<Vec<String>>());
    for record in std::iter::once(head).chain(body) {
        // Writing to a Vec cannot fail, and every row is as long as the header: `render` builds both from one list.
        let _ = writer.write_record(&record);
    }
    writer
        .into_inner()
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default()
}

/// One value as the text of a cell.
#[must_use]
pub fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => guarded(text),
        Value::Array(items) if items.iter().all(|item| !item.is_array() && !item.is_object()) => {
            guarded(&items.iter().map(plain).collect::<Vec<_>>().join("; "))
        }
        other => guarded(&other.to_string()),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A text with an apostrophe before it when a spreadsheet would run it.
#[must_use]
pub fn guarded(text: &str) -> String {
    let first = text.chars().find(|c| !c.is_whitespace() && !is_hidden(*c));
    let runs = matches!(first, Some('=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠'));
    if runs && !is_number(text) { format!("'{text}") } else { text.to_owned() }
}

/// A plain decimal such as `-12.50`: harmless, and an apostrophe would turn it into text.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let mut parts = digits.splitn(2, '.');
    let all = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    parts.next().is_some_and(all) && parts.next().is_none_or(all)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{cell, guarded, write};

    fn check(value: &Value, expect: &str) {
        assert_eq!(cell(value), expect);
    }

    #[test]
    fn formulas_are_texts_and_numbers_are_numbers() {
        check(&json!("=HYPERLINK(\"http://x\")"), "'=HYPERLINK(\"http://x\")");
        check(&json!("\t@SUM(1)"), "'\t@SUM(1)");
        check(&json!("\u{200b}=1"), "'\u{200b}=1");
        check(&json!("\u{3164}=1"), "'\u{3164}=1");
        check(&json!("\u{fe0f}\u{e0101}@A"), "'\u{fe0f}\u{e0101}@A");
        check(&json!("＝1"), "'＝1");
        check(&json!("-12.50"), "-12.50");
        check(&json!("-12-3"), "'-12-3");
        check(&json!("-2+3+cmd|' /C calc'!A0"), "'-2+3+cmd|' /C calc'!A0");
        check(&json!(-7), "-7");
        check(&json!(["a", "=b"]), "a; =b");
        check(&json!(["=a", "b"]), "'=a; b");
        check(&json!(null), "");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn what_is_written_is_read_back(rows in prop::collection::vec(prop::collection::vec(".{0,30}", 3), 0..8)) {
            let header: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
            let values: Vec<Vec<Value>> = rows.iter().map(|row| row.iter().map(|t| json!(t)).collect()).collect();
            let text = write(&header, &values);
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            let read: Vec<Vec<String>> =
                reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect()).collect();
            let expect: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|t| guarded(t)).collect()).collect();
            prop_assert_eq!(read, expect);
        }

        #[test]
        fn no_text_cell_begins_like_a_formula(text in "[=+@\\-\t ]{0,3}.{0,20}") {
            let shown = cell(&json!(text));
            let first = shown.trim_start().chars().next();
            prop_assert!(!matches!(first, Some('=' | '+' | '@')), "{}", shown);
        }
    }
}
