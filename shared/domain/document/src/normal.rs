//! What may be written in more than one way becomes the one that types read.

use serde_json::Value;

use crate::remarked::Remarked;

/// Words of this schema may be written in any case.
pub(crate) const ANY_CASE: &str = "x-any-case";
/// Schemas inside each other that are looked at.
const MAX_DEPTH: usize = 64;

/// Leaves out known keys that have no value, and folds words that may be written in any case.
pub(crate) fn normalise(schema: &Remarked, value: &mut Value) {
    Normal { schema }.walk(&schema.0, value, 0);
}

struct Normal<'s> {
    schema: &'s Remarked,
}

impl Normal<'_> {
    fn walk(&self, schema: &Value, value: &mut Value, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let resolved = self.schema.resolved(schema);
        self.fold(resolved, value);
        match value {
            Value::Object(_) => self.object(resolved, value, depth),
            Value::Array(items) => {
                items.iter_mut().for_each(|item| self.walk(&resolved["items"], item, depth + 1));
            }
            _ => {}
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            for one in resolved[keyword].as_array().into_iter().flatten() {
                self.walk(one, value, depth + 1);
            }
        }
        if resolved.get("then").is_some() && meets(&resolved["if"], value) {
            self.walk(&resolved["then"], value, depth + 1);
        }
    }

    fn object(&self, schema: &Value, value: &mut Value, depth: usize) {
        let Value::Object(map) = value else { return };
        let known = schema["properties"].as_object();
        map.retain(|key, value| {
            !(value.is_null() && known.is_some_and(|all| all.contains_key(key)))
        });
        for (key, value) in map.iter_mut() {
            let own = known.and_then(|all| all.get(key)).unwrap_or(&schema["additionalProperties"]);
            self.walk(own, value, depth + 1);
        }
    }

    fn fold(&self, schema: &Value, value: &mut Value) {
        if schema.get(ANY_CASE).is_none() {
            return;
        }
        let words = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let meant = value.as_str().and_then(|text| {
            words.into_iter().find(|word| word.eq_ignore_ascii_case(text)).map(Value::from)
        });
        if let Some(meant) = meant {
            *value = meant;
        }
    }
}

/// Whether every value is of a type that its schema has. serde also reads a struct from a list, and a word from a mapping.
pub(crate) fn fits(schema: &Remarked, value: &Value) -> bool {
    Normal { schema }.fits(&schema.0, value, 0)
}

impl Normal<'_> {
    fn fits(&self, schema: &Value, value: &Value, depth: usize) -> bool {
        let schema = self.schema.resolved(schema);
        if depth > MAX_DEPTH {
            return true;
        }
        let here = |one: &Value| self.fits(one, value, depth + 1);
        let either =
            |keyword: &str| schema[keyword].as_array().is_none_or(|all| all.iter().any(here));
        let branches = schema["allOf"].as_array().is_none_or(|all| all.iter().all(here));
        let branch =
            schema.get("then").is_none_or(|then| !meets(&schema["if"], value) || here(then));
        is_of(schema["type"].as_str(), value)
            && either("anyOf")
            && either("oneOf")
            && branches
            && branch
            && self.parts_fit(schema, value, depth)
    }

    fn parts_fit(&self, schema: &Value, value: &Value, depth: usize) -> bool {
        match value {
            Value::Array(items) => {
                items.iter().all(|item| self.fits(&schema["items"], item, depth + 1))
            }
            Value::Object(map) => map.iter().all(|(key, value)| {
                let own = schema["properties"].get(key).unwrap_or(&schema["additionalProperties"]);
                // What is null is left out.
                value.is_null() || self.fits(own, value, depth + 1)
            }),
            _ => true,
        }
    }
}

fn is_of(kind: Option<&str>, value: &Value) -> bool {
    match kind {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer" | "number") => value.is_number(),
        _ => true,
    }
}

/// Whether a mapping has the tag that a branch is for.
fn meets(condition: &Value, value: &Value) -> bool {
    let required = |key: &str| {
        condition["required"].as_array().is_some_and(|names| names.iter().any(|name| name == key))
    };
    condition["properties"].as_object().is_some_and(|tags| {
        tags.iter().all(|(key, tag)| match value.get(key) {
            Some(word) => *word == tag["const"],
            None => !required(key),
        })
    })
}
