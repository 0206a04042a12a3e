//! `{name}` in paths, queries and bodies.

use countersign_document::{Problem, Rules, Severity, did_you_mean, escaped, nearest};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::embed;
use crate::model::Parameter;
use crate::request::{placeholders, whole};

/// A value of a query.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Scalar {
    /// As it is sent.
    Text(String),
    /// A whole number.
    Number(i64),
    /// `true` or `false`.
    Truth(bool),
}

impl Scalar {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Truth(flag) => flag.to_string(),
        }
    }
}

pub(super) fn texts(query: &IndexMap<String, Scalar>) -> IndexMap<String, String> {
    query.iter().map(|(name, value)| (name.clone(), value.text())).collect()
}

fn is_optional(name: &str, parameters: &[Parameter]) -> bool {
    let optional = |one: &Parameter| one.name == name && !one.required && one.default.is_none();
    parameters.iter().any(optional)
}

pub(super) fn path(path: &str, parameters: &[Parameter], rules: &mut Rules<'_>) {
    for name in placeholders(path).unwrap_or_default() {
        known(name, "/path", parameters, rules);
        if is_optional(name, parameters) {
            let message = format!(
                "the parameter `{name}` is in the path and must be required or have a default"
            );
            rules.error("path", "/path", message);
        }
    }
}

pub(super) fn query(
    query: &IndexMap<String, Scalar>,
    parameters: &[Parameter],
    key_param: Option<&str>,
    rules: &mut Rules<'_>,
) {
    for (name, value) in query {
        let pointer = format!("/query/{}", escaped(name));
        if key_param == Some(name) {
            let message = format!("`{name}` is the parameter of the key");
            rules.at_key("query", &pointer, message, None);
        }
        let text = value.text();
        match whole(&text) {
            Some(parameter) => known(parameter, &pointer, parameters, rules),
            None => embedded(&text, &pointer, parameters, rules),
        }
    }
}

/// Inside a longer string a value cannot be left out.
fn embedded(text: &str, pointer: &str, parameters: &[Parameter], rules: &mut Rules<'_>) {
    for name in embed::names(text) {
        known(name, pointer, parameters, rules);
        if is_optional(name, parameters) {
            let message = format!(
                "the parameter `{name}` is inside a string and must be required or have a default"
            );
            rules.error("placeholder", pointer, message);
        }
    }
}

pub(super) fn body(pointer: &str, value: &Value, parameters: &[Parameter], rules: &mut Rules<'_>) {
    match value {
        Value::String(text) => {
            match text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
                Some(name) => known(name, pointer, parameters, rules),
                None => literal(text, pointer, parameters, rules),
            }
        }
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                body(&format!("{pointer}/{n}"), item, parameters, rules);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                body(&format!("{pointer}/{}", escaped(key)), item, parameters, rules);
            }
        }
        _ => {}
    }
}

/// Inside a longer string of a body a name in braces is not replaced: the body may have braces of its own.
fn literal(text: &str, pointer: &str, parameters: &[Parameter], rules: &mut Rules<'_>) {
    let is_declared = |name: &&str| parameters.iter().any(|one| one.name == *name);
    for name in embed::names(text).into_iter().filter(is_declared) {
        let message = format!("`{{{name}}}` is sent as it is written here");
        let hint = format!("only a value that is wholly `{{{name}}}` takes the parameter's");
        rules.report(Problem {
            severity: Severity::Warning,
            ..Problem::error("placeholder", pointer, message).hint(hint)
        });
    }
}

fn known(name: &str, pointer: &str, parameters: &[Parameter], rules: &mut Rules<'_>) {
    let names = || parameters.iter().map(|parameter| parameter.name.as_str());
    if !names().any(|known| known == name) {
        let hint = nearest(name, names());
        let hint = hint.map_or("declare it under `parameters`".to_owned(), did_you_mean);
        let message = format!("`{{{name}}}` is not a parameter of this endpoint");
        rules.hinted("placeholder", pointer, message, hint);
    }
}
