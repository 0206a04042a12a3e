//! Reading inputs and params of a call.

use std::borrow::Cow;

use countersign_registry::action::{ActionError, Call};
use serde_json::Value;

/// The records of an input: a list, or a record set that has them under `results`.
pub(crate) fn records<'a>(
    call: &'a Call,
    name: &'static str,
) -> Result<Cow<'a, [Value]>, ActionError> {
    match call.inputs.get(name) {
        Some(Value::Array(items)) => Ok(Cow::Borrowed(items)),
        Some(Value::Object(set)) if set.get("results").is_some_and(Value::is_array) => Ok(set
            .get("results")
            .and_then(Value::as_array)
            .map_or(Cow::Owned(Vec::new()), |items| Cow::Borrowed(items))),
        Some(Value::Null) | None => Ok(Cow::Owned(Vec::new())),
        Some(other) => Err(ActionError::terminal(
            "BAD_INPUT",
            format!("`{name}` must be a list of records, not {}", kind(other)),
        )),
    }
}

/// A text param; `None` when it is absent, null or empty.
pub(crate) fn text<'a>(call: &'a Call, name: &str) -> Result<Option<&'a str>, ActionError> {
    match call.params.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
        Some(other) => Err(ActionError::terminal(
            "BAD_PARAM",
            format!("`{name}` must be a text, not {}", kind(other)),
        )),
    }
}

/// A number param.
pub(crate) fn number(call: &Call, name: &str, default: f64) -> Result<f64, ActionError> {
    match call.params.get(name) {
        None | Some(Value::Null) => Ok(default),
        Some(value) => {
            value.as_f64().or_else(|| value.as_str()?.trim().parse().ok()).ok_or_else(|| {
                ActionError::terminal(
                    "BAD_PARAM",
                    format!("`{name}` must be a number, not {}", kind(value)),
                )
            })
        }
    }
}

/// The kind of a value, for people.
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
