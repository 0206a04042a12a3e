//! A body as fields, where fields say exactly the same as the text.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use url::form_urlencoded;

use super::{Field, ValueKind};
use crate::http::Body;
use crate::mail::{self, ShownMail};

/// What stands in a part of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "EffectContent")]
pub enum Content {
    /// Names and values, in order. Of a body: only when they give the same text again, byte for byte.
    Fields(Vec<Field>),
    /// The text itself.
    Text(String),
}

impl Content {
    /// The fields of a JSON object or list, of a form or of a mail, when writing them again gives the same bytes; else the
    /// text.
    #[must_use]
    pub(super) fn of_body(body: &Body) -> Self {
        let essence = body.media.split(';').next().unwrap_or_default().trim();
        let fields = match essence {
            "application/x-www-form-urlencoded" => form(&body.text),
            "message/rfc822" | "multipart/related" => mail(body),
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

/// A mail, what is said about it, and what it refers to: strangers' mails may refer to many.
fn mail(body: &Body) -> Option<Vec<Field>> {
    let ShownMail { mut fields, metadata, references } = mail::shown(body)?;
    // Without an entry it says nothing.
    if let Some(metadata) = metadata.filter(|json| *json != "{}") {
        let named = |field: Field| Field { name: format!("metadata.{}", field.name), ..field };
        fields.extend(json(metadata)?.into_iter().map(named));
    }
    fields.extend(references);
    Some(fields)
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
    let mut left = MAX_NAME_BYTES;
    flatten(&value, &mut String::new(), &mut left, &mut fields)?;
    Some(fields)
}

/// Each field repeats the whole way to it: a long key above a long list would make names of gigabytes.
const MAX_NAME_BYTES: usize = 1024 * 1024;

/// Adds the leaves of a value; none when their names become too long in all.
fn flatten(
    value: &Value,
    path: &mut String,
    left: &mut usize,
    fields: &mut Vec<Field>,
) -> Option<()> {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                within(path, &path_step(name, path.is_empty()), member, left, fields)?;
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                within(path, &format!("[{index}]"), item, left, fields)?;
            }
        }
        leaf => {
            *left = left.checked_sub(path.len())?;
            fields.push(Field { name: path.clone(), value: written(leaf), kind: kind(leaf) });
        }
    }
    Some(())
}

fn within(
    path: &mut String,
    step: &str,
    value: &Value,
    left: &mut usize,
    fields: &mut Vec<Field>,
) -> Option<()> {
    let length = path.len();
    path.push_str(step);
    flatten(value, path, left, fields)?;
    path.truncate(length);
    Some(())
}

/// One step of a path into a value: `.name`, or `["na.me"]` where the name itself could be taken for a path. The first one has no dot.
#[must_use]
pub fn path_step(name: &str, first: bool) -> String {
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
