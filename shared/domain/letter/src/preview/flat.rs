//! One rule for records in records: the scalar fields first, then those of nested records by their dotted names, then
//! what begins with `_`.

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
        let path = format!("{above}{}", step(name, above.is_empty()));
        let internal = internal || name.starts_with('_');
        match value {
            Value::Object(inner) if !inner.is_empty() => collect(inner, &path, internal, found),
            _ => found(Path { name: path, nested: !above.is_empty(), internal }),
        }
    }
}

/// `.name`, or `["na.me"]` where the name itself could be taken for a path: as in the view of an effect.
fn step(name: &str, first: bool) -> String {
    let plain = !name.is_empty() && !name.contains(['.', '[', ']', '"']);
    match (plain, first) {
        (true, true) => name.to_owned(),
        (true, false) => format!(".{name}"),
        (false, _) => format!("[{}]", Value::from(name)),
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

/// A value in one line: text as it is, a list as its count and first items, everything else as JSON.
pub(crate) fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if !items.is_empty() => listed(items),
        other => other.to_string(),
    }
}

fn listed(items: &[Value]) -> String {
    let first: Vec<String> = items.iter().take(FIRST_ITEMS).map(item).collect();
    let more = if items.len() > FIRST_ITEMS { ", …" } else { "" };
    format!("{}: {}{more}", items.len(), first.join(", "))
}

/// An item of a list: a record by its plain fields.
fn item(value: &Value) -> String {
    match value {
        Value::Object(record) => {
            let told =
                record.iter().filter(|(name, field)| !name.starts_with('_') && !field.is_null());
            let told: Vec<String> =
                told.map(|(name, field)| format!("{name}: {}", item(field))).collect();
            told.join(" · ")
        }
        Value::Array(items) => format!("{} items", items.len()),
        other => written(other),
    }
}

#[cfg(test)]
mod tests {
    use super::{at, paths, written};
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

    fn check(value: &Value, expect: &str) {
        assert_eq!(written(value), expect);
    }

    #[test]
    fn f_200_lists_are_counted_with_their_first_items() {
        check(&json!(["a", "b"]), "2: a, b");
        check(&json!([1, 2, 3, 4]), "4: 1, 2, 3, …");
        check(&json!([{"name": "Ann", "_id": 1, "x": null}]), "1: name: Ann");
        check(&json!([]), "[]");
        check(&json!(null), "null");
        check(&json!("text"), "text");
    }
}
