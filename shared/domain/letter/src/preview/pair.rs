//! Records that compare two records.

use serde_json::{Map, Value};

/// Names of two sides, whatever their fields.
const SIDES: [(&str, &str); 7] = [
    ("left", "right"),
    ("a", "b"),
    ("entity_a", "entity_b"),
    ("before", "after"),
    ("old", "new"),
    ("first", "second"),
    ("record_a", "record_b"),
];

/// The two fields of every row that hold the records compared: of the same shape, or with the names of two sides.
pub(crate) fn sides(rows: &[&Value]) -> Option<(String, String)> {
    let first = rows.first()?.as_object()?;
    let (left, right) = named(first).or_else(|| alike(first))?;
    let both = |row: &&Value| {
        row.get(&left).is_some_and(Value::is_object)
            && row.get(&right).is_some_and(Value::is_object)
    };
    rows.iter().all(both).then_some((left, right))
}

fn named(row: &Map<String, Value>) -> Option<(String, String)> {
    let is_pair = |(left, right): &&(&str, &str)| match (row.get(*left), row.get(*right)) {
        (Some(Value::Object(left)), Some(Value::Object(right))) => {
            left.keys().any(|name| right.contains_key(name))
        }
        _ => false,
    };
    SIDES.iter().find(is_pair).map(|&(left, right)| (left.to_owned(), right.to_owned()))
}

/// Exactly two records with the same fields; of three, no two are a pair.
fn alike(row: &Map<String, Value>) -> Option<(String, String)> {
    let records: Vec<(&String, &Map<String, Value>)> =
        row.iter().filter_map(|(name, value)| Some((name, value.as_object()?))).collect();
    let same = |a: &Map<String, Value>, b: &Map<String, Value>| {
        a.len() == b.len() && !a.is_empty() && a.keys().all(|name| b.contains_key(name))
    };
    records.iter().find_map(|(left, record)| {
        let mut like = records.iter().filter(|(_, other)| same(record, other));
        match (like.next(), like.next(), like.next()) {
            (Some(_), Some((right, _)), None) if right != left => {
                Some(((*left).clone(), (*right).clone()))
            }
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::sides;
    use serde_json::{Value, json};

    fn check(rows: &Value, expect: Option<(&str, &str)>) {
        let rows: Vec<&Value> = rows.as_array().unwrap().iter().collect();
        let expect = expect.map(|(left, right)| (left.to_owned(), right.to_owned()));
        assert_eq!(sides(&rows), expect, "{rows:?}");
    }

    #[test]
    fn f_200_two_records_of_the_same_shape_are_a_pair() {
        check(&json!([{"x": {"n": 1}, "y": {"n": 2}, "score": 1}]), Some(("x", "y")));
        check(&json!([{"x": {"n": 1}, "y": {"m": 2}}]), None);
        check(&json!([{"x": {"n": 1}, "y": {"n": 2}, "z": {"n": 3}}]), None);
        check(
            &json!([{"entity_a": {"n": 1, "o": 1}, "entity_b": {"n": 2}}]),
            Some(("entity_a", "entity_b")),
        );
        check(&json!([{"a": {"n": 1}, "b": {"n": 2}}, {"a": {"n": 1}, "b": null}]), None);
        check(&json!([{"a": 1, "b": 2}]), None);
        check(&json!([]), None);
    }
}
