//! Values that fit a schema, with names that mean something filled from what is there.

use rand::RngExt as _;
use rand::rngs::StdRng;
use serde_json::{Map, Value, json};

use super::test_users::TestUsers;

/// A value of a schema without references. Nothing is nested deeper than `depth`.
pub(super) fn sample(schema: &Value, cast: &TestUsers, random: &mut StdRng, depth: usize) -> Value {
    for all in ["allOf", "oneOf", "anyOf"] {
        if let Some(parts) = schema[all].as_array().filter(|parts| !parts.is_empty()) {
            return composed(all, parts, cast, random, depth);
        }
    }
    if let Some(word) = schema.get("const") {
        return word.clone();
    }
    if let Some(words) = schema["enum"].as_array().filter(|words| !words.is_empty()) {
        return words[random.random_range(0..words.len())].clone();
    }
    match kind(schema, random).as_deref() {
        Some("object") => object(schema, cast, random, depth),
        Some("array") if depth > 0 => {
            let count = random.random_range(0..4);
            (0..count).map(|_| sample(&schema["items"], cast, random, depth - 1)).collect()
        }
        Some("array") => json!([]),
        Some("string") => words(random).into(),
        Some("integer") => integer(schema, random),
        Some("number") => json!(random.random_range(-1_000..1_000) as f64 / 8.0),
        Some("boolean") => random.random_bool(0.5).into(),
        Some("null") => Value::Null,
        _ => anything(random, depth),
    }
}

fn composed(
    how: &str,
    parts: &[Value],
    cast: &TestUsers,
    random: &mut StdRng,
    depth: usize,
) -> Value {
    if how != "allOf" {
        let part = &parts[random.random_range(0..parts.len())];
        return sample(part, cast, random, depth);
    }
    let mut whole = Map::new();
    for part in parts {
        if let Value::Object(members) = sample(part, cast, random, depth) {
            whole.extend(members);
        }
    }
    whole.into()
}

/// Its type; of several, one.
fn kind(schema: &Value, random: &mut StdRng) -> Option<String> {
    match &schema["type"] {
        Value::String(kind) => Some(kind.clone()),
        Value::Array(kinds) if !kinds.is_empty() => {
            kinds[random.random_range(0..kinds.len())].as_str().map(str::to_owned)
        }
        _ if schema["properties"].is_object() => Some("object".to_owned()),
        _ => None,
    }
}

fn object(schema: &Value, cast: &TestUsers, random: &mut StdRng, depth: usize) -> Value {
    let mut members = Map::new();
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, of) in schema["properties"].as_object().into_iter().flatten() {
        if !required.contains(&name.as_str()) && random.random_bool(0.4) {
            continue;
        }
        let known = cast.value(name, random);
        let value = known.unwrap_or_else(|| sample(of, cast, random, depth.saturating_sub(1)));
        members.insert(name.clone(), value);
    }
    members.into()
}

fn integer(schema: &Value, random: &mut StdRng) -> Value {
    let least = schema["minimum"].as_i64().unwrap_or(0);
    let most = schema["maximum"].as_i64().unwrap_or(least.saturating_add(20)).max(least);
    random.random_range(least..=most).into()
}

fn anything(random: &mut StdRng, depth: usize) -> Value {
    match random.random_range(0..6) {
        0 => Value::Null,
        1 => random.random_bool(0.5).into(),
        2 => random.random_range(-5..500).into(),
        3 if depth > 0 => json!([anything(random, depth - 1)]),
        4 if depth > 0 => json!({ words(random): anything(random, depth - 1) }),
        _ => words(random).into(),
    }
}

/// A short text.
pub(super) fn words(random: &mut StdRng) -> String {
    const WORDS: [&str; 10] =
        ["rows", "a", "Ärger", "two words", "x-1", "2026-11-22", "42", "名前", "O'Neil", "large"];
    WORDS[random.random_range(0..WORDS.len())].to_owned()
}
