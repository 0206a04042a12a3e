//! What a filter could not compare: left out, and said.

use countersign_registry::actions::transform_data::Warning;
use serde_json::Value;

/// The longest part of a value that is shown, in characters.
const SHOWN: usize = 60;

/// Says that an operation could not compare a record's field with its value: `{record, field, text, message}`. Records count
/// from 0, as they stood when the operation began.
pub(super) fn not_compared(
    index: usize,
    record: usize,
    field: &str,
    found: &Value,
    value: &Value,
) -> Warning {
    let (text, other) = (shown(found), shown(value));
    let message = format!(
        "operations[{index}]: `{text}` cannot be compared with `{other}`, so the record is left out"
    );
    Warning { record, field: field.to_owned(), text, message }
}

fn shown(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(SHOWN).collect()
}
