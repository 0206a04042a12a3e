//! The words of messages, for every crate that says what is wrong with something written.

use jsonschema::error::TypeKind;
use serde_json::Value;

use crate::nearest::{did_you_mean, listed, nearest};
use crate::tree::unescaped;

/// In a schema of words: words that are not accepted, each with the reason. They are known, but never offered.
pub const REFUSED: &str = "x-refused";

/// What is wrong, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    /// What is wrong, lower case, input in backticks.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl Wording {
    fn new(message: String) -> Self {
        Self { message, hint: None }
    }
}

/// Whether a text is kebab-case: lower-case letters and digits with single hyphens between them.
#[must_use]
pub fn is_kebab(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.split('-').all(|word| !word.is_empty() && word.bytes().all(is_plain))
}

/// A value that is not what it must be. `what` is the value's name in messages, such as "`title`".
#[must_use]
pub fn must_be(what: &str, wanted: &str, value: &Value) -> Wording {
    Wording::new(format!("{what} must be {wanted}, found {}", found(value)))
}

/// A value that is not one of the words of its schema.
#[must_use]
pub fn choice(what: &str, words: &[&str], schema: &Value, value: &Value) -> Wording {
    let wanted = match words {
        [one] => format!("`{one}`"),
        all => format!("one of {}", listed(all.iter().copied())),
    };
    let Some(word) = value.as_str() else { return must_be(what, &wanted, value) };
    let shown = shortened(word);
    if let Some(reason) = schema[REFUSED][word].as_str() {
        let message = format!("{what} cannot be `{shown}`: {reason}");
        return Wording { message, hint: Some(format!("use {wanted}")) };
    }
    let message = format!("{what} must be {wanted}, found `{shown}`");
    Wording { message, hint: nearest(word, words.iter().copied()).map(did_you_mean) }
}

/// A key that a mapping does not have.
#[must_use]
pub fn unknown_key(what: &str, name: &str, known: &[&str]) -> Wording {
    let near = nearest(name, known.iter().copied()).map(did_you_mean);
    let all = || format!("known keys are {}", listed(known.iter().copied()));
    let hint = near.or_else(|| (!known.is_empty()).then(all));
    Wording { message: format!("{what} has no key `{}`", shortened(name)), hint }
}

/// A key that must be there. `unknown` are the keys that mean nothing, of which one may be meant.
#[must_use]
pub fn missing<'k>(what: &str, name: &str, unknown: impl IntoIterator<Item = &'k str>) -> Wording {
    let near = nearest(name, unknown);
    let hint = near.map(|near| format!("is `{near}` meant to be `{name}`?"));
    Wording { message: format!("{what} has no `{name}`"), hint }
}

/// A reference without quotes: YAML reads `{name}` as a mapping with a key and no value.
#[must_use]
pub fn unquoted(name: &str) -> Wording {
    let name = shortened(name);
    let message = format!("`{{{name}}}` without quotes is a mapping, not a reference");
    Wording { message, hint: Some(format!("write `\"{{{name}}}\"`")) }
}

/// A string or a mapping without content.
#[must_use]
pub fn empty(what: &str) -> Wording {
    Wording::new(format!("{what} is empty"))
}

/// A string of more than `max` characters.
#[must_use]
pub fn too_long(what: &str, max: u64) -> Wording {
    Wording::new(format!("{what} is longer than {max} characters"))
}

/// A key or value where none may be.
pub(crate) fn not_allowed(what: &str) -> Wording {
    Wording::new(format!("{what} is not allowed here"))
}

/// A value whose form has no words of its own.
pub(crate) fn malformed(what: &str) -> Wording {
    Wording::new(format!("{what} does not have the form that is needed here"))
}

/// A key that a mapping of named entries cannot have.
pub(crate) fn not_a_name(name: &str, mapping: &str) -> Wording {
    Wording::new(format!("{name} cannot be a key of {mapping}"))
}

/// A list or a mapping that has fewer or more entries than its schema allows.
#[must_use]
pub fn entries(what: &str, least: Option<u64>, most: Option<u64>, count: usize) -> Wording {
    let wanted = match (least, most) {
        (Some(least), Some(most)) => format!("{least} to {most} entries"),
        (Some(1), None) => "at least one entry".to_owned(),
        (Some(least), None) => format!("at least {least} entries"),
        (None, most) => format!("at most {} entries", most.unwrap_or_default()),
    };
    Wording::new(format!("{what} must have {wanted}, found {count}"))
}

/// What a message calls the value at a pointer. `kind` is what it calls the whole document.
pub(crate) fn what(pointer: &str, kind: &str) -> String {
    let mut keys = pointer.rsplit('/');
    match keys.next().filter(|key| !key.is_empty()) {
        None => format!("the {kind}"),
        Some(key) if is_index(key) => {
            let list = keys.next().map_or_else(String::new, unescaped);
            entry(&list, key.parse().unwrap_or_default())
        }
        Some(key) => format!("`{}`", shortened(&unescaped(key))),
    }
}

/// What a message calls an entry of a list, which are counted from 0.
#[must_use]
pub fn entry(list: &str, index: usize) -> String {
    format!("entry {} of `{list}`", index + 1)
}

pub(crate) fn is_index(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit())
}

/// At most 60 characters of what somebody wrote.
#[must_use]
pub fn shortened(text: &str) -> String {
    text.chars().take(60).collect()
}

/// What is there: short values as they are.
#[must_use]
pub fn found(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Number(number) => number.to_string(),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "a mapping".to_owned(),
    }
}

/// What a schema asks for: its type, and the bounds of a number.
#[must_use]
pub fn wanted(schema: &Value) -> String {
    let kind = type_word(schema["type"].as_str().unwrap_or_default());
    match (schema.get("minimum"), schema.get("maximum")) {
        (Some(low), Some(high)) => format!("{kind} from {low} to {high}"),
        (Some(low), None) => format!("{kind}, {low} or more"),
        (None, Some(high)) => format!("{kind}, at most {high}"),
        (None, None) => kind.to_owned(),
    }
}

/// What a value should be, in words.
#[must_use]
pub fn types(kind: &TypeKind) -> String {
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
        "object" => "a mapping",
        _ => "another value",
    }
}
