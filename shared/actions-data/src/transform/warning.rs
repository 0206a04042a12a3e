//! What a filter could not compare: left out, and said.

use serde_json::{Value, json};

/// The most warnings that are given one by one.
const MOST: usize = 100;
/// The longest part of a value that is shown, in characters.
const SHOWN: usize = 60;

/// Warnings of one call: the first hundred are kept, all are counted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Warnings {
    first: Vec<Value>,
    count: usize,
}

impl Warnings {
    /// Says that an operation could not compare a record's field with its value. Records count from 0, as they stood when
    /// the operation began.
    pub(super) fn add(
        &mut self,
        index: usize,
        record: usize,
        field: &str,
        found: &Value,
        value: &Value,
    ) {
        self.count += 1;
        if self.first.len() < MOST {
            let (text, other) = (shown(found), shown(value));
            let message = format!(
                "operations[{index}]: `{text}` cannot be compared with `{other}`, so the record is left out"
            );
            self.first.push(
                json!({ "record": record, "field": field, "text": text, "message": message }),
            );
        }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The first of them: `{record, field, text, message}` each.
    #[must_use]
    pub fn into_values(self) -> Vec<Value> {
        self.first
    }
}

fn shown(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(SHOWN).collect()
}
