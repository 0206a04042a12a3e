//! The keys of a schema as a table for documentation.

use std::fmt::Write as _;

use serde_json::Value;

use crate::nearest::listed;

/// The keys of the object at `pointer` of a schema (`""` is the schema itself, `/$defs/Name` a definition) as a Markdown
/// table: name, type, whether it is required, default, description.
#[must_use]
pub fn table(schema: &Value, pointer: &str) -> String {
    let mut rows =
        String::from("| key | type | required | default | description |\n|---|---|---|---|---|\n");
    let Some(object) = schema.pointer(pointer) else { return rows };
    for (name, key) in object["properties"].as_object().into_iter().flatten() {
        let names = object["required"].as_array();
        let required = names.is_some_and(|names| names.iter().any(|one| one == name));
        let default = key.get("default").map(|value| format!("`{value}`")).unwrap_or_default();
        let description =
            key["description"].as_str().or_else(|| resolved(schema, key)["description"].as_str());
        let description = description.unwrap_or_default().replace(['\n', '|'], " ");
        // Writing to a string cannot fail.
        let _ = writeln!(
            rows,
            "| `{name}` | {} | {} | {default} | {description} |",
            type_of(schema, key),
            if required { "yes" } else { "" },
        );
    }
    rows
}

fn resolved<'s>(schema: &'s Value, part: &'s Value) -> &'s Value {
    let target = part["$ref"].as_str().map(|target| target.trim_start_matches('#'));
    target.and_then(|target| schema.pointer(target)).unwrap_or(part)
}

fn type_of(schema: &Value, key: &Value) -> String {
    let key = resolved(schema, key);
    if let Some(words) = key["enum"].as_array() {
        return listed(words.iter().filter_map(Value::as_str));
    }
    if let Some(either) = key["anyOf"].as_array() {
        let all: Vec<String> = either.iter().map(|one| type_of(schema, one)).collect();
        return all.join(" or ");
    }
    match key["type"].as_str() {
        Some("array") => format!("list of {}", type_of(schema, &key["items"])),
        Some("integer") => match (key.get("minimum"), key.get("maximum")) {
            (Some(least), Some(most)) => format!("whole number, {least} to {most}"),
            _ => "whole number".to_owned(),
        },
        Some("object") => "mapping".to_owned(),
        Some(other) => other.to_owned(),
        None => "any".to_owned(),
    }
}
