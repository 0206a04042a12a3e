//! What is directly inside of a JSON value, for whoever walks all of it.

use serde_json::{Map, Value};

/// The items of a list, or the values of a mapping; of anything else none.
pub fn inside(value: &Value) -> impl Iterator<Item = &Value> {
    let items = value.as_array().into_iter().flatten();
    items.chain(value.as_object().into_iter().flat_map(Map::values))
}

/// [`inside`], to be changed.
pub fn inside_mut(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Array(items) => items.iter_mut().collect(),
        Value::Object(entries) => entries.values_mut().collect(),
        _ => Vec::new(),
    }
}

/// The key of a mapping that has only one, and no value under it: YAML reads `{x}` without quotes so.
#[must_use]
pub fn lone_key(value: &Value) -> Option<&str> {
    let mut entries = value.as_object()?.iter();
    let (Some((key, Value::Null)), None) = (entries.next(), entries.next()) else { return None };
    Some(key)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_and_mappings_have_something_inside() {
        let mut value = json!({ "a": [1, [2]], "b": "c" });
        assert_eq!(inside(&value).collect::<Vec<_>>(), [&json!([1, [2]]), &json!("c")]);
        assert_eq!(inside(&value["a"]).collect::<Vec<_>>(), [&json!(1), &json!([2])]);
        assert_eq!(inside(&value["b"]).count(), 0);
        inside_mut(&mut value).into_iter().for_each(|part| *part = json!(null));
        assert_eq!(value, json!({ "a": null, "b": null }));
    }

    #[test]
    fn one_key_without_a_value_is_alone() {
        assert_eq!(lone_key(&json!({ "x": null })), Some("x"));
        for other in [json!({ "x": 1 }), json!({ "x": null, "y": null }), json!({}), json!("x")] {
            assert_eq!(lone_key(&other), None, "{other}");
        }
    }
}
