//! Keys that mean something elsewhere.

use jsonschema::ValidationError;
use serde_json::Value;

use crate::explain::Explainer;
use crate::nearest::listed;

impl Explainer<'_> {
    /// What the schema says of a key that people write in the wrong place: code, message and hint.
    pub(crate) fn elsewhere(
        &self,
        error: &ValidationError<'_>,
        name: &str,
    ) -> Option<(String, String, Option<String>)> {
        let said = self.around(error)?["x-elsewhere"].get(name)?;
        let text = |key: &str| said[key].as_str().map(str::to_owned);
        Some((text("code")?, text("message")?, text("hint")))
    }

    /// The words of the tag under which a mapping has this key.
    pub(crate) fn of_another(&self, error: &ValidationError<'_>, name: &str) -> Option<String> {
        let path = error.schema_path().as_str().strip_suffix("/then/additionalProperties")?;
        let (branches, _) = path.rsplit_once('/')?;
        let branches = self.schema.0.pointer(branches)?.as_array()?;
        let has_it = |branch: &&Value| branch["then"]["properties"].get(name).is_some();
        let words = branches.iter().filter(has_it).filter_map(tag);
        let words: Vec<String> = words.map(|(tag, word)| format!("{tag}: {word}")).collect();
        let all = || format!("`{name}` belongs to {}", listed(words.iter().map(String::as_str)));
        (!words.is_empty()).then(all)
    }
}

/// The tag of a branch, and its word.
pub(crate) fn tag(branch: &Value) -> Option<(&str, &str)> {
    let (tag, schema) = branch["if"]["properties"].as_object()?.iter().next()?;
    Some((tag, schema["const"].as_str()?))
}
