//! Schemas and values in words.

use serde_json::Value;

/// Whether a value is of a type of JSON Schema. A number with a point is not a whole one.
pub(super) fn kind_fits(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

/// What a schema asks for.
pub(super) fn wanted(schema: &Value) -> String {
    let kind = match schema["type"].as_str().unwrap_or_default() {
        "string" => "a text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "a mapping",
        _ => "another value",
    };
    match (schema.get("minimum"), schema.get("maximum")) {
        (Some(low), Some(high)) => format!("{kind} from {low} to {high}"),
        (Some(low), None) => format!("{kind}, {low} or more"),
        (None, Some(high)) => format!("{kind}, at most {high}"),
        (None, None) => kind.to_owned(),
    }
}

/// What stands there instead.
pub(super) fn found(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Number(number) => number.to_string(),
        Value::String(_) => "a text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a mapping".to_owned(),
    }
}

pub(super) fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

pub(super) fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}
