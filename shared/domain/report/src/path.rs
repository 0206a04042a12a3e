//! Finding values in a result.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// The value at a dotted path such as `resolution.entities[0].name`; an empty path is the value itself.
///
/// A key that contains dots is found when it is the whole path.
#[must_use]
pub fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    if path.is_empty() {
        return Some(value);
    }
    if let Some(found) = value.get(path) {
        return Some(found);
    }
    path.split(['.', '['])
        .filter(|part| !part.is_empty())
        .try_fold(value, |here, part| step(here, part))
}

fn step<'a>(value: &'a Value, part: &str) -> Option<&'a Value> {
    match value {
        Value::Array(items) => {
            part.trim_end_matches(']').parse::<usize>().ok().and_then(|index| items.get(index))
        }
        _ => value.get(part),
    }
}

/// The fields of all records, in the order of first sight.
pub(crate) fn all_fields<'r>(records: &[&'r Value]) -> Vec<&'r str> {
    let mut seen = HashSet::new();
    let all = records.iter().filter_map(|record| record.as_object()).flat_map(Map::keys);
    all.map(String::as_str).filter(|name| seen.insert(*name)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::at;

    fn check(path: &str, expect: Option<&Value>) {
        let data = json!({"a": {"b": [{"c": 1}, {"c": 2}]}, "d.e": 3});
        assert_eq!(at(&data, path), expect, "{path}");
    }

    #[test]
    fn paths_walk_objects_and_lists() {
        check("a.b[1].c", Some(&json!(2)));
        check("a.b.0.c", Some(&json!(1)));
        check("d.e", Some(&json!(3)));
        check("a.b[2].c", None);
        check("a.x", None);
    }
}
