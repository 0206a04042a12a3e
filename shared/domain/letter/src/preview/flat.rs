//! One rule for records in records: the scalar fields first, then those of nested records by their dotted names, then
//! what begins with `_`.

use countersign_effect::view::path_step;
use serde_json::{Map, Value};

/// Items of a list that are named in a cell.
const FIRST_ITEMS: usize = 3;

/// A field and how to get there: `payee.name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) name: String,
    /// Nested fields come after plain ones.
    pub(crate) nested: bool,
    /// Begins with `_`: where a record came from, not what it says.
    pub(crate) internal: bool,
}

/// The paths of all rows: plain fields, nested fields, internal ones, each in the order they are first met.
pub(crate) fn paths(rows: &[&Value]) -> Vec<Path> {
    let mut found = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for row in rows.iter().filter_map(|row| row.as_object()) {
        collect(row, "", false, &mut |path: Path| {
            if seen.insert(path.name.clone()) {
                found.push(path);
            }
        });
    }
    found.sort_by_key(|path| (path.internal, path.nested));
    found
}

fn collect(record: &Map<String, Value>, above: &str, internal: bool, found: &mut dyn FnMut(Path)) {
    for (name, value) in record {
        let path = format!("{above}{}", path_step(name, above.is_empty()));
        let internal = internal || name.starts_with('_');
        match value {
            Value::Object(inner) if !inner.is_empty() => collect(inner, &path, internal, found),
            _ => found(Path { name: path, nested: !above.is_empty(), internal }),
        }
    }
}

/// The value at a path: `payee.name`, `lines[0].amount`, `["na.me"]`.
pub(crate) fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    if path.is_empty() {
        return Some(value);
    }
    if let Some(inside) = path.strip_prefix('[') {
        let mut keys = serde_json::Deserializer::from_str(inside).into_iter::<Value>();
        let key = keys.next()?.ok()?;
        let rest = inside.get(keys.byte_offset()..)?.strip_prefix(']')?;
        let below = match &key {
            Value::Number(index) => value.get(usize::try_from(index.as_u64()?).ok()?)?,
            Value::String(name) => value.get(name)?,
            _ => return None,
        };
        return at(below, rest);
    }
    let path = path.strip_prefix('.').unwrap_or(path);
    let end = path.find(['.', '[']).unwrap_or(path.len());
    at(value.get(&path[..end])?, &path[end..])
}

/// All of a value in one line: text as it is, everything else as JSON.
pub(crate) fn whole(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A value in one line, a list as its count and first items; and how many items and fields inside it that leaves out.
pub(crate) fn head(value: &Value) -> (String, usize) {
    match value {
        Value::Array(items) if !items.is_empty() => listed(items),
        other => (whole(other), 0),
    }
}

fn listed(items: &[Value]) -> (String, usize) {
    let mut left_out = items.len().saturating_sub(FIRST_ITEMS);
    let first: Vec<String> =
        items.iter().take(FIRST_ITEMS).map(|value| item(value, &mut left_out)).collect();
    let more = if items.len() > FIRST_ITEMS { ", …" } else { "" };
    (format!("{}: {}{more}", items.len(), first.join(", ")), left_out)
}

/// An item of a list: a record by its fields, of which those that begin with `_` are only counted.
fn item(value: &Value, left_out: &mut usize) -> String {
    match value {
        Value::Object(record) if !record.is_empty() => {
            let (internal, told): (Vec<_>, Vec<_>) =
                record.iter().partition(|(name, _)| name.starts_with('_'));
            *left_out += internal.len();
            let told = told.into_iter();
            let told: Vec<String> =
                told.map(|(name, field)| format!("{name}: {}", item(field, left_out))).collect();
            if told.is_empty() { "{…}".to_owned() } else { told.join(" · ") }
        }
        Value::Array(items) => {
            *left_out += items.len();
            format!("{} items", items.len())
        }
        other => whole(other),
    }
}

#[cfg(test)]
mod tests {
    use super::{at, head, paths, whole};
    use serde_json::{Value, json};

    #[test]
    fn f_200_plain_fields_come_before_nested_and_internal_ones() {
        let row = json!({"_source": "irs", "who": {"name": "Ann", "role": {"title": "Chair"}}, "n": 1, "tags": ["a"], "none": {}});
        let names: Vec<String> = paths(&[&row]).into_iter().map(|path| path.name).collect();
        assert_eq!(names, ["n", "tags", "none", "who.name", "who.role.title", "_source"]);
    }

    #[test]
    fn f_200_every_path_leads_back_to_its_value() {
        let row = json!({"a.b": {"c": 1}, "d": {"e": [{"f": 2}]}, "": 3});
        for path in paths(&[&row]) {
            assert!(at(&row, &path.name).is_some(), "{}", path.name);
        }
        assert_eq!(at(&row, "d.e[0].f"), Some(&json!(2)));
        assert_eq!(at(&row, "d.x"), None);
        assert_eq!(at(&row, "d[\"e\"][0]"), Some(&json!({"f": 2})));
        assert_eq!(at(&row, "["), None);
    }

    fn check(value: &Value, expect: &str, left_out: usize) {
        assert_eq!(head(value), (expect.to_owned(), left_out));
    }

    #[test]
    fn f_200_lists_are_counted_with_their_first_items_and_what_is_left_out_is_counted() {
        check(&json!(["a", "b"]), "2: a, b", 0);
        check(&json!([1, 2, 3, 4]), "4: 1, 2, 3, …", 1);
        check(&json!([{"name": "Ann", "_id": 1, "x": null}]), "1: name: Ann · x: null", 1);
        check(&json!([{"a": {"_b": 1, "c": [1, 2]}}, {}]), "2: a: c: 2 items, {}", 3);
        check(&json!([{"_a": 1}, 2, 3, 4, 5]), "5: {…}, 2, 3, …", 3);
        check(&json!([]), "[]", 0);
        check(&json!(null), "null", 0);
        check(&json!("text"), "text", 0);
    }

    #[test]
    fn f_200_a_whole_value_is_its_json() {
        let list = json!([1, 2, 3, {"name": "Ann", "_id": 1, "x": null}]);
        assert_eq!(whole(&list), list.to_string());
        assert_eq!(whole(&json!("text")), "text");
    }
}
