//! JSON Merge Patch (RFC 7396).

use serde_json::{Map, Value};

/// Changes a value as a patch says: objects are merged, `null` removes a member, anything else replaces what was there.
pub fn merge_patch(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        target.clone_from(patch);
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Some(target) = target.as_object_mut() else { return };
    for (name, value) in patch {
        if value.is_null() {
            target.shift_remove(name);
        } else {
            merge_patch(target.entry(name.clone()).or_insert(Value::Null), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::merge_patch;

    fn check(target: &Value, patch: &Value, expect: &Value) {
        let mut changed = target.clone();
        merge_patch(&mut changed, patch);
        assert_eq!(changed, *expect, "{target} {patch}");
    }

    #[test]
    fn the_examples_of_the_rfc() {
        check(&json!({"a": "b"}), &json!({"a": "c"}), &json!({"a": "c"}));
        check(&json!({"a": "b"}), &json!({"b": "c"}), &json!({"a": "b", "b": "c"}));
        check(&json!({"a": "b"}), &json!({"a": null}), &json!({}));
        check(&json!({"a": "b", "b": "c"}), &json!({"a": null}), &json!({"b": "c"}));
        check(&json!({"a": ["b"]}), &json!({"a": "c"}), &json!({"a": "c"}));
        check(&json!({"a": "c"}), &json!({"a": ["b"]}), &json!({"a": ["b"]}));
        check(
            &json!({"a": {"b": "c"}}),
            &json!({"a": {"b": "d", "c": null}}),
            &json!({"a": {"b": "d"}}),
        );
        check(&json!({"a": [{"b": "c"}]}), &json!({"a": [1]}), &json!({"a": [1]}));
        check(&json!(["a", "b"]), &json!(["c", "d"]), &json!(["c", "d"]));
        check(&json!({"a": "b"}), &json!(["c"]), &json!(["c"]));
        check(&json!({"a": "foo"}), &Value::Null, &Value::Null);
        check(&json!({"e": null}), &json!({"a": 1}), &json!({"e": null, "a": 1}));
        check(&json!([1, 2]), &json!({"a": "b", "c": null}), &json!({"a": "b"}));
        check(&json!({}), &json!({"a": {"bb": {"ccc": null}}}), &json!({"a": {"bb": {}}}));
    }
}
