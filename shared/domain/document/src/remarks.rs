//! What the schema says for messages, and what to do about values of the wrong type.

use jsonschema::ValidationError;
use serde_json::Value;

use crate::explain::Explainer;
use crate::words::{is_index, shortened};

impl Explainer<'_> {
    /// What the schema says for the message of an error: beside the name of a type, or in the type.
    pub(crate) fn remark(&self, error: &ValidationError<'_>, key: &str) -> Option<String> {
        let text = |schema: &Value| schema[key].as_str().map(str::to_owned);
        self.beside(error).and_then(text).or_else(|| self.around(error).and_then(text))
    }

    /// The schema that names the type of the value, and says more about it.
    fn beside(&self, error: &ValidationError<'_>) -> Option<&Value> {
        let (above, _) = error.evaluation_path().as_str().rsplit_once('/')?;
        self.evaluated(above.strip_suffix("/$ref")?)
    }

    /// Whether a form is beside the keyword of the error.
    pub(crate) fn has_form(&self, error: &ValidationError<'_>) -> bool {
        self.around(error).is_some_and(|schema| schema.get("format").is_some())
    }

    /// The schema that has the keyword of the error.
    pub(crate) fn around(&self, error: &ValidationError<'_>) -> Option<&Value> {
        let path = error.schema_path().as_str();
        self.schema.0.pointer(path.rsplit_once('/').map_or("", |(above, _)| above))
    }

    /// A number where a string belongs is mostly one without quotes, and so is a mapping in braces.
    pub(crate) fn quoted(&self, pointer: &str, value: &Value, wanted: &str) -> Option<String> {
        if wanted != "a string" {
            return None;
        }
        let written = self.tree.written(pointer);
        match value {
            Value::Number(_) | Value::Bool(_) if !written.is_empty() => {
                Some(format!("put it in quotes: \"{}\"", shortened(written)))
            }
            Value::Object(map) if written.starts_with('{') => {
                let only = map.iter().next().filter(|(_, value)| map.len() == 1 && value.is_null());
                let inside = only.map_or_else(|| "…".to_owned(), |(key, _)| shortened(key));
                Some(format!("a brace begins a mapping: put it in quotes: \"{{{inside}}}\""))
            }
            _ => None,
        }
    }
}

/// How a list or a mapping is written.
pub(crate) fn laid_out(pointer: &str, wanted: &str) -> Option<String> {
    let key = pointer.rsplit('/').next().filter(|key| !is_index(key) && !key.is_empty());
    match wanted {
        "a list" => Some("start each entry on its own line with `- `".to_owned()),
        "a mapping" => {
            key.map(|key| format!("write `{key}:` and below it, indented, `name: value`"))
        }
        _ => None,
    }
}
