//! The words of messages.

use jsonschema::error::TypeKind;
use serde_json::Value;

use crate::tree::unescaped;

/// What a message calls the value at a pointer. `kind` is what it calls the whole document.
pub(crate) fn what(pointer: &str, kind: &str) -> String {
    let mut keys = pointer.rsplit('/');
    match keys.next().filter(|key| !key.is_empty()) {
        None => format!("the {kind}"),
        Some(key) if is_index(key) => {
            let list = keys.next().map_or_else(String::new, unescaped);
            let number = key.parse::<usize>().unwrap_or_default() + 1;
            format!("entry {number} of `{list}`")
        }
        Some(key) => format!("`{}`", shortened(&unescaped(key))),
    }
}

pub(crate) fn is_index(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit())
}

/// At most 60 characters of what somebody wrote.
pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

/// What a value is, in words.
#[must_use]
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}

/// What a value should be, in words.
pub(crate) fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => type_word(&one.to_string()).to_owned(),
        TypeKind::Multiple(set) => {
            let words: Vec<String> = set.iter().map(|one| one.to_string()).collect();
            let words: Vec<&str> = words.iter().map(|one| type_word(one)).collect();
            words.join(" or ")
        }
    }
}

fn type_word(name: &str) -> &'static str {
    match name {
        "null" => "nothing",
        "boolean" => "true or false",
        "number" => "a number",
        "integer" => "a whole number",
        "string" => "a string",
        "array" => "a list",
        _ => "a mapping",
    }
}
