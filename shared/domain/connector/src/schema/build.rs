//! The few shapes the schema is made of. A key that may be left out may also be null: the parser does not tell the two
//! apart, and the schema refuses nothing that the parser takes.

use serde_json::{Map, Value, json};

use crate::parse::bounds::Bound;

/// An object of known keys.
#[derive(Debug, Clone, Default)]
pub(super) struct Keys {
    properties: Map<String, Value>,
    required: Vec<&'static str>,
    more: Map<String, Value>,
}

impl Keys {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// A key that may be left out.
    pub(super) fn key(mut self, name: &'static str, schema: Value) -> Self {
        self.properties.insert(name.to_owned(), or_null(schema));
        self
    }

    /// A key that must be there.
    pub(super) fn required(mut self, name: &'static str, schema: Value) -> Self {
        self.properties.insert(name.to_owned(), schema);
        self.required.push(name);
        self
    }

    /// A whole number within its bounds.
    pub(super) fn bound(self, bound: Bound, description: &str) -> Self {
        self.key(bound.key, whole(bound.least, bound.most, bound.usual, description))
    }

    pub(super) fn and(mut self, other: Self) -> Self {
        self.properties.extend(other.properties);
        self.required.extend(other.required);
        self.more.extend(other.more);
        self
    }

    /// Another keyword of the object's schema.
    pub(super) fn also(mut self, keyword: &str, value: Value) -> Self {
        self.more.insert(keyword.to_owned(), value);
        self
    }

    /// The schema of an object with these keys and no others.
    pub(super) fn closed(self) -> Value {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), self.properties.into());
        if !self.required.is_empty() {
            schema.insert("required".to_owned(), json!(self.required));
        }
        schema.insert("additionalProperties".to_owned(), false.into());
        schema.extend(self.more);
        schema.into()
    }
}

/// The schema with a description of its own, in front.
pub(super) fn described(schema: Value, description: &str) -> Value {
    let mut whole = Map::new();
    whole.insert("description".to_owned(), description.into());
    if let Value::Object(schema) = schema {
        whole.extend(schema.into_iter().filter(|(key, _)| key != "description"));
    }
    whole.into()
}

fn or_null(mut schema: Value) -> Value {
    const COMPOSED: [&str; 6] = ["$ref", "anyOf", "oneOf", "allOf", "not", "if"];
    let Some(object) = schema.as_object_mut() else { return schema };
    if COMPOSED.iter().any(|keyword| object.contains_key(*keyword)) {
        let mut whole = Map::new();
        for said in ["description", "default"] {
            whole.extend(object.shift_remove(said).map(|value| (said.to_owned(), value)));
        }
        whole.insert("anyOf".to_owned(), json!([schema, { "type": "null" }]));
        return whole.into();
    }
    if let Some(kind) = object.get_mut("type")
        && kind.is_string()
    {
        *kind = json!([kind.take(), "null"]);
    }
    if let Some(Value::Array(words)) = object.get_mut("enum") {
        words.push(Value::Null);
    }
    schema
}

pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

pub(super) fn text(description: &str) -> Value {
    json!({ "description": description, "type": "string" })
}

/// A text that is not empty; what else it must be, the parser says.
pub(super) fn expression(description: &str) -> Value {
    json!({ "description": description, "type": "string", "minLength": 1 })
}

pub(super) fn matching(pattern: &str, description: &str) -> Value {
    json!({ "description": description, "type": "string", "pattern": pattern })
}

/// One of some words.
pub(super) fn choice(
    words: impl IntoIterator<Item = impl Into<Value>>,
    description: &str,
) -> Value {
    let words: Vec<Value> = words.into_iter().map(Into::into).collect();
    json!({ "description": description, "type": "string", "enum": words })
}

/// The schema, and what holds when the key is left out.
pub(super) fn usually(mut schema: Value, usual: impl Into<Value>) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("default".to_owned(), usual.into());
    }
    schema
}

pub(super) fn truth(description: &str, usual: bool) -> Value {
    json!({ "description": description, "type": "boolean", "default": usual })
}

pub(super) fn whole(least: u32, most: u32, usual: Option<u32>, description: &str) -> Value {
    let schema = json!({
        "description": description, "type": "integer", "minimum": least, "maximum": most,
    });
    match usual {
        Some(usual) => usually(schema, usual),
        None => schema,
    }
}

pub(super) fn list(items: impl Into<Value>, description: &str) -> Value {
    json!({ "description": description, "type": "array", "items": items.into() })
}

/// A list that is not empty.
pub(super) fn some(items: impl Into<Value>, description: &str) -> Value {
    json!({ "description": description, "type": "array", "items": items.into(), "minItems": 1 })
}

/// One value, or a list of several to look at in turn.
pub(super) fn or_list(one: &Value, most: Option<usize>, description: &str) -> Value {
    let mut several = json!({ "type": "array", "items": one, "minItems": 1 });
    if let (Some(most), Some(several)) = (most, several.as_object_mut()) {
        several.insert("maxItems".to_owned(), most.into());
    }
    json!({ "description": description, "anyOf": [one, several] })
}

/// An object whose keys depend on the word that stands under one of them. The first word holds when `usual` and none is
/// given.
pub(super) fn by_word(
    key: &'static str,
    description: &str,
    usual: bool,
    branches: Vec<(&str, Keys)>,
) -> Value {
    let words = choice(branches.iter().map(|(word, _)| *word), description);
    let mut schema = json!({ "type": "object" });
    let mut all = Vec::new();
    for (index, (word, keys)) in branches.into_iter().enumerate() {
        let unsaid = usual && index == 0;
        let mut head = Keys::new();
        head = if usual { head.key(key, words.clone()) } else { head.required(key, words.clone()) };
        let said = json!({ "properties": { key: { "const": word } }, "required": [key] });
        let condition = if unsaid {
            let left_out = json!({ "not": { "required": [key] } });
            json!({ "anyOf": [left_out, { "properties": { key: { "enum": [word, null] } } }] })
        } else {
            said
        };
        all.push(json!({ "if": condition, "then": head.and(keys).closed() }));
    }
    if let Some(schema) = schema.as_object_mut() {
        let words = if usual { or_null(words) } else { words };
        schema.insert("properties".to_owned(), json!({ key: words }));
        if !usual {
            schema.insert("required".to_owned(), json!([key]));
        }
        schema.insert("allOf".to_owned(), all.into());
    }
    schema
}

/// A pattern for some words in capitals or not.
pub(super) fn in_any_case<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let letter = |c: char| {
        if c.is_ascii_alphabetic() {
            format!("[{}{}]", c.to_ascii_uppercase(), c.to_ascii_lowercase())
        } else {
            c.to_string()
        }
    };
    let words: Vec<String> =
        words.into_iter().map(|word| word.chars().map(letter).collect()).collect();
    words.join("|")
}
