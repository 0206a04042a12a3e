//! A schema of branches becomes one that can be explained: `oneOf` over a tag becomes `if`/`then` for each of its words,
//! so that what is wrong inside a branch is reported there. Editors complete better with it, too.

use schemars::Schema;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::{Map, Value, json};

use crate::whole::WHOLE;
use crate::words::REFUSED;

/// The word that holds when the tag is left out.
pub(crate) const DEFAULT_TAG: &str = "x-default-tag";

#[derive(Debug, Clone)]
pub(crate) struct Tagged;

impl Transform for Tagged {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut() else { return };
        plain_option(object);
        if object.get("type") == Some(&Value::from("integer")) {
            // `uint32` and the like say nothing to people.
            object.shift_remove("format");
            object.entry(WHOLE.to_owned()).or_insert_with(|| true.into());
        }
        let Some(Value::Array(branches)) = object.get("oneOf") else { return };
        if let Some((tag, words)) = tag(branches) {
            let branches = branches.clone();
            object.shift_remove("oneOf");
            rewrite(object, &tag, &words, branches);
        } else if let Some(words) = words(branches) {
            // An enum whose words have descriptions of their own.
            object.shift_remove("oneOf");
            object.insert("type".to_owned(), "string".into());
            object.insert("enum".to_owned(), words.into());
        }
    }
}

/// Takes null out of the types and the words of a schema: a key without a value is a key that is left out.
pub fn without_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|one| one != "null");
        if let [one] = &mut types[..] {
            let one = one.take();
            schema.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
}

/// The same in the alternatives of a schema, one of which must hold.
fn plain_option(object: &mut Map<String, Value>) {
    without_null(object);
    let is_null = |schema: &Value| schema["type"] == "null";
    if let Some(Value::Array(either)) = object.get_mut("anyOf")
        && either.iter().any(is_null)
    {
        either.retain(|schema| !is_null(schema));
        if let [Value::Object(one)] = &mut either[..] {
            let one = std::mem::take(one);
            object.shift_remove("anyOf");
            for (key, value) in one {
                object.entry(key).or_insert(value);
            }
        }
    }
}

/// The one property that every branch requires and pins to a word of its own.
fn tag(branches: &[Value]) -> Option<(String, Vec<Value>)> {
    let pinned = |branch: &Value, key: &str| {
        let required = branch["required"].as_array()?.iter().any(|name| name == key);
        required.then(|| branch["properties"][key]["const"].clone()).filter(Value::is_string)
    };
    let keys = branches.first()?["properties"].as_object()?.keys();
    let mut keys = keys.filter_map(|key| {
        let words: Option<Vec<Value>> = branches.iter().map(|branch| pinned(branch, key)).collect();
        Some((key.clone(), words?))
    });
    keys.next()
}

fn words(branches: &[Value]) -> Option<Vec<Value>> {
    let mut all = Vec::new();
    for branch in branches {
        match (&branch["const"], &branch["enum"]) {
            (Value::String(word), _) => all.push(word.clone().into()),
            (_, Value::Array(words)) => all.extend(words.iter().cloned()),
            _ => return None,
        }
    }
    Some(all)
}

fn rewrite(object: &mut Map<String, Value>, tag: &str, words: &[Value], mut branches: Vec<Value>) {
    let (shared, needed) = hoist(tag, &mut branches);
    let mut word = json!({ "type": "string", "enum": words });
    for remark in ["x-code", REFUSED] {
        if let Some(said) = object.shift_remove(remark) {
            word[remark] = said;
        }
    }
    let default = object.get(DEFAULT_TAG).cloned();
    if let Some(default) = &default {
        word["default"] = default.clone();
    }
    let mut properties = Map::from_iter([(tag.to_owned(), word)]);
    properties.extend(shared);
    let tag_needed = default.is_none().then(|| Value::from(tag));
    let required: Vec<Value> = tag_needed.into_iter().chain(needed).collect();
    let cases = words.iter().zip(branches.clone()).map(|(word, mut branch)| {
        if let Some(properties) = branch["properties"].as_object_mut() {
            properties.insert(tag.to_owned(), true.into());
        }
        without(&mut branch, tag);
        // A mapping without the tag is the default's.
        let required = if default.as_ref() == Some(word) { json!([]) } else { json!([tag]) };
        json!({
            "if": { "type": "object", "properties": { tag: { "const": word } }, "required": required },
            "then": branch,
        })
    });
    let untold = untold(tag, words, default.is_some(), &branches);
    let cases: Vec<Value> = cases.chain(untold).collect();
    object.insert("type".to_owned(), "object".into());
    object.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        object.insert("required".to_owned(), required.into());
    }
    object.insert("allOf".to_owned(), cases.into());
}

/// The case of a mapping without a tag, or with an unknown one: what no branch has is unknown all the same.
fn untold(tag: &str, words: &[Value], has_default: bool, branches: &[Value]) -> Option<Value> {
    if !branches.iter().all(|branch| branch["additionalProperties"] == false) {
        return None;
    }
    let keys = branches.iter().flat_map(|branch| branch["properties"].as_object()).flatten();
    let keys: Map<String, Value> = keys.map(|(key, _)| (key.clone(), true.into())).collect();
    let required = if has_default { json!([]) } else { json!([tag]) };
    Some(json!({
        "if": { "type": "object", "properties": { tag: { "enum": words } }, "required": required },
        "else": { "properties": keys, "additionalProperties": false },
    }))
}

/// Properties that are the same in every branch are said once, so that they are checked whatever the tag is.
fn hoist(tag: &str, branches: &mut [Value]) -> (Map<String, Value>, Vec<Value>) {
    let first = branches.first().and_then(|branch| branch["properties"].as_object()).cloned();
    let is_shared = |key: &String, schema: &Value| {
        key != tag && branches.iter().all(|one| one["properties"].get(key) == Some(schema))
    };
    let shared: Map<String, Value> =
        first.into_iter().flatten().filter(|(key, schema)| is_shared(key, schema)).collect();
    let requires = |branch: &Value, key: &str| {
        branch["required"].as_array().is_some_and(|names| names.iter().any(|name| name == key))
    };
    let needed: Vec<Value> = shared
        .keys()
        .filter(|key| branches.iter().all(|branch| requires(branch, key)))
        .map(|key| key.as_str().into())
        .collect();
    for branch in branches {
        for key in shared.keys() {
            branch["properties"][key] = true.into();
        }
        needed.iter().filter_map(Value::as_str).for_each(|key| without(branch, key));
    }
    (shared, needed)
}

/// The branch does not require a key itself.
fn without(branch: &mut Value, key: &str) {
    let Some(object) = branch.as_object_mut() else { return };
    if let Some(Value::Array(names)) = object.get_mut("required") {
        names.retain(|name| name != key);
        if names.is_empty() {
            object.shift_remove("required");
        }
    }
}
