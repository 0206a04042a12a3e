//! What a filter could not compare: left out, and said.

use serde_json::{Value, json};

/// The most warnings that are given one by one.
const MOST: usize = 100;
/// The longest part of a value that is shown, in characters.
const SHOWN: usize = 60;

/// Warnings of one call: the first hundred, and how many more there were.
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

    /// The output: `{record, field, text, message}` each; the last one says how many are not told one by one.
    #[must_use]
    pub fn into_values(self) -> Vec<Value> {
        let more = self.count - self.first.len();
        let mut values = self.first;
        if more > 0 {
            let message = format!("and {more} more like these");
            values.push(json!({ "record": null, "field": "", "text": "", "message": message }));
        }
        values
    }
}

fn shown(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(SHOWN).collect()
}
