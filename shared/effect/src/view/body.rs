//! A body as fields, where fields say exactly the same as the text.

use serde::Serialize;
use serde_json::Value;
use url::form_urlencoded;

use super::{Field, ValueKind};
use crate::http::Body;

/// What stands in a part of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// Names and values, in order. Of a body: only when they give the same text again, byte for byte.
    Fields(Vec<Field>),
    /// The text itself.
    Text(String),
}

impl Content {
    /// The fields of a JSON object or list, or of a form, when writing them again gives the same bytes; else the text.
    #[must_use]
    pub(super) fn of_body(body: &Body) -> Self {
        let essence = body.media.split(';').next().unwrap_or_default().trim();
        let fields = match essence {
            "application/x-www-form-urlencoded" => form(&body.text),
            _ if essence == "application/json" || essence.ends_with("+json") => json(&body.text),
            _ => None,
        };
        fields.map_or_else(|| Self::Text(body.text.clone()), Self::Fields)
    }

    /// How many values there are; a text is one.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Fields(fields) => fields.len(),
            Self::Text(_) => 1,
        }
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn form(text: &str) -> Option<Vec<Field>> {
    let pairs: Vec<(String, String)> =
        form_urlencoded::parse(text.as_bytes()).into_owned().collect();
    let again = form_urlencoded::Serializer::new(String::new()).extend_pairs(&pairs).finish();
    let field = |(name, value)| Field { name, value, kind: ValueKind::Text };
    (again == text).then(|| pairs.into_iter().map(field).collect())
}

/// The leaves of a JSON text that is written as our own serialiser writes it. Numbers that would change (`1e3`,
/// `10.00`), repeated keys and white space make the text another one, and then the text itself is shown.
fn json(text: &str) -> Option<Vec<Field>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let again = value.to_string();
    if !value.is_object() && !value.is_array() || again != text {
        return None;
    }
    let mut fields = Vec::new();
    flatten(&value, &mut String::new(), &mut fields);
    Some(fields)
}

fn flatten(value: &Value, path: &mut String, fields: &mut Vec<Field>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                within(path, &step(name, path.is_empty()), member, fields);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                within(path, &format!("[{index}]"), item, fields);
            }
        }
        leaf => fields.push(Field { name: path.clone(), value: written(leaf), kind: kind(leaf) }),
    }
}

fn within(path: &mut String, step: &str, value: &Value, fields: &mut Vec<Field>) {
    let length = path.len();
    path.push_str(step);
    flatten(value, path, fields);
    path.truncate(length);
}

/// `.name`, or `["na.me"]` where the name itself could be taken for a path.
fn step(name: &str, first: bool) -> String {
    let plain = !name.is_empty() && !name.contains(['.', '[', ']', '"']);
    match (plain, first) {
        (true, true) => name.to_owned(),
        (true, false) => format!(".{name}"),
        (false, _) => format!("[{}]", Value::from(name)),
    }
}

fn written(leaf: &Value) -> String {
    match leaf {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn kind(leaf: &Value) -> ValueKind {
    match leaf {
        Value::String(_) => ValueKind::Text,
        Value::Number(_) => ValueKind::Number,
        Value::Bool(_) => ValueKind::Boolean,
        Value::Null => ValueKind::Null,
        Value::Array(_) | Value::Object(_) => ValueKind::Empty,
    }
}
