//! One thing as text: a line for each of its fields.

use serde_json::Value;

use super::visible;

/// Its fields, a line each; what a field has inside is below it, further in. Fields without a value are left out.
pub(super) fn lines(of: &Value) -> Vec<String> {
    of.as_object().into_iter().flatten().flat_map(|(name, value)| field(name, value)).collect()
}

fn field(name: &str, value: &Value) -> Vec<String> {
    let name = visible(name);
    let below = match value {
        Value::Null => return Vec::new(),
        Value::Array(items) if !items.is_empty() && !items.iter().all(is_plain) => {
            items.iter().flat_map(item).collect()
        }
        Value::Object(fields) if !fields.is_empty() => lines(value),
        _ => return vec![format!("{name}: {}", plain(value))],
    };
    let below = below.into_iter().map(|line| format!("  {line}"));
    std::iter::once(format!("{name}:")).chain(below).collect()
}

/// An item of a list, whose first line has a dash.
fn item(value: &Value) -> Vec<String> {
    let lines = match value {
        Value::Object(fields) if !fields.is_empty() => lines(value),
        Value::Array(items) if !items.is_empty() => items.iter().flat_map(item).collect(),
        _ => vec![plain(value)],
    };
    let marks = std::iter::once("- ").chain(std::iter::repeat("  "));
    marks.zip(lines).map(|(mark, line)| format!("{mark}{line}")).collect()
}

fn is_plain(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

/// A text, a number or a truth value; of a list its items.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => visible(text),
        Value::Array(items) if !items.is_empty() => {
            items.iter().map(plain).collect::<Vec<_>>().join(", ")
        }
        Value::Array(_) | Value::Object(_) => "none".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::lines;

    #[test]
    fn what_is_inside_a_field_is_below_it() {
        let shown = lines(&json!({
            "id": "mon_1", "is_active": true, "count": 3, "ended": null, "tags": ["a", "b\n"], "left": [], "more": {},
            "on": { "type": "file", "in": { "folder": "x" } },
            "before": [{ "version": 1, "by": ["ana"] }, { "version": 2, "policy": { "quorum": 2 } }],
        }));
        let expect = [
            "id: mon_1",
            "is_active: true",
            "count: 3",
            "tags: a, b\\n",
            "left: none",
            "more: none",
            "on:",
            "  type: file",
            "  in:",
            "    folder: x",
            "before:",
            "  - version: 1",
            "    by: ana",
            "  - version: 2",
            "    policy:",
            "      quorum: 2",
        ];
        assert_eq!(shown, expect);
        assert!(lines(&json!(null)).is_empty());
    }
}
