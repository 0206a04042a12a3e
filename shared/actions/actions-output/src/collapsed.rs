//! What is said of rows that a table has already from the same call.

use std::collections::HashMap;

use countersign_report::table::{Row, Schema, keyed};
use serde_json::Value;

/// The rows of a call and the key that tells them apart: its own, or that of the table they were written to.
pub(crate) fn by_key_of(
    rows: Vec<Row>,
    key: Vec<String>,
    table: Schema,
) -> (Vec<Row>, Vec<String>) {
    if !key.is_empty() || table.key.is_empty() {
        return (rows, key);
    }
    (keyed(rows, &table), table.key)
}

/// What is said of rows that are skipped for an earlier one of the same call: those that differ from it, and those that only
/// have no key.
pub(crate) fn skipped(rows: &[Row], key: &[String], table: &str) -> Vec<String> {
    let Some((without_key, different)) = counts(rows, key) else { return Vec::new() };
    let key = key.join("`, `");
    let mut said = Vec::new();
    if different > 0 {
        let (noun, verb) = words(different, "differs", "differ");
        said.push(format!(
            "table `{table}`: {different} {noun} with the `{key}` of an earlier one of this call {verb} from it and {} skipped",
            was(different)
        ));
    }
    if without_key > 0 {
        let (noun, verb) = words(without_key, "has", "have");
        said.push(format!(
            "table `{table}`: {without_key} {noun} {verb} no `{key}`, as an earlier one of this call, and {} skipped",
            was(without_key)
        ));
    }
    said
}

/// How many rows without a key, and how many others that differ, have the id of an earlier row.
fn counts(rows: &[Row], key: &[String]) -> Option<(usize, usize)> {
    let mut first: HashMap<&str, &Row> = HashMap::new();
    let (mut without_key, mut different) = (0, 0);
    for row in rows {
        match first.get(row.id.as_str()) {
            None => {
                first.insert(&row.id, row);
            }
            Some(_) if has_no_key(row, key) => without_key += 1,
            Some(earlier) => different += usize::from(earlier.cells != row.cells),
        }
    }
    (without_key + different > 0).then_some((without_key, different))
}

fn has_no_key(row: &Row, key: &[String]) -> bool {
    key.iter().all(|column| row.cells.get(column).is_none_or(Value::is_null))
}

fn words(count: usize, one: &'static str, many: &'static str) -> (&'static str, &'static str) {
    if count == 1 { ("record", one) } else { ("records", many) }
}

fn was(count: usize) -> &'static str {
    if count == 1 { "was" } else { "were" }
}
