mod exact;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{MAX_RECORDS, Operation, TransformError, apply};

/// The operations as a playbook has them.
fn as_written(operations: &Value) -> Vec<Operation> {
    let declared: Vec<countersign_registry::actions::transform_data::Operation> =
        serde_json::from_value(operations.clone()).unwrap();
    declared.into_iter().map(Into::into).collect()
}

fn run(data: &Value, operations: &Value) -> Result<Vec<Value>, TransformError> {
    apply(data.as_array().unwrap().clone(), &as_written(operations)).map(|done| done.records)
}

fn check(data: &Value, operations: &Value, expect: &Value) {
    assert_eq!(&Value::Array(run(data, operations).unwrap()), expect, "{operations}");
}

fn check_refused(data: &Value, operations: &Value, message: &str) {
    assert_eq!(run(data, operations).unwrap_err().to_string(), message);
}

fn numbers() -> Value {
    json!([{"n": 3}, {"n": "12"}, {"n": 1}, {"n": null}, {"n": "x"}, {}])
}

#[test]
fn f_051_operations_apply_in_order() {
    let data = json!([{"n": 3}, {"n": 1}, {"n": 2}]);
    check(
        &data,
        &json!([{"type": "sort", "field": "n"}, {"type": "limit", "count": 2}]),
        &json!([{"n": 1}, {"n": 2}]),
    );
    check(
        &data,
        &json!([{"type": "limit", "count": 2}, {"type": "sort", "field": "n"}]),
        &json!([{"n": 1}, {"n": 3}]),
    );
    check(&data, &json!([]), &data);
}

#[test]
fn k_54_every_operator() {
    let only = |operator: &str, value: Value| json!([{"type": "filter", "field": "n", "operator": operator, "value": value}]);
    check(&numbers(), &only("gt", json!(2)), &json!([{"n": 3}, {"n": "12"}]));
    check(&numbers(), &only("gte", json!(3)), &json!([{"n": 3}, {"n": "12"}]));
    check(&numbers(), &only("lt", json!(3)), &json!([{"n": 1}]));
    check(&numbers(), &only("lte", json!(3)), &json!([{"n": 3}, {"n": 1}]));
    check(&numbers(), &only("eq", json!("12")), &json!([{"n": "12"}]));
    check(&numbers(), &only("eq", json!(12)), &json!([{"n": "12"}]));
    check(&numbers(), &only("eq", json!(null)), &json!([{"n": null}, {}]));
    check(
        &numbers(),
        &only("ne", json!(null)),
        &json!([{"n": 3}, {"n": "12"}, {"n": 1}, {"n": "x"}]),
    );
    check(&numbers(), &only("in", json!([1, "x"])), &json!([{"n": 1}, {"n": "x"}]));
    check(
        &json!([{"t": "Harbor LIGHT"}, {"t": ["light"]}, {"t": 1}]),
        &json!([{"type": "filter", "field": "t", "operator": "contains", "value": "light"}]),
        &json!([{"t": "Harbor LIGHT"}, {"t": ["light"]}]),
    );
}

#[test]
fn f_051_dotted_fields_reach_inside() {
    let data = json!([{"a": {"b": [5, 7]}}, {"a.b.1": 7}, {"a": 1}]);
    check(
        &data,
        &json!([{"type": "filter", "field": "a.b.1", "operator": "eq", "value": 7}]),
        &json!([{"a": {"b": [5, 7]}}, {"a.b.1": 7}]),
    );
}

#[test]
fn f_051_sorting_is_stable_and_mixed_types_have_an_order() {
    let data = json!([{"k": "b", "i": 1}, {"k": 10, "i": 2}, {"k": true, "i": 3}, {"i": 4}, {"k": "9", "i": 5}, {"k": "b", "i": 6}]);
    let order = |direction: &str| -> Vec<i64> {
        run(&data, &json!([{"type": "sort", "field": "k", "direction": direction}]))
            .unwrap()
            .iter()
            .map(|r| r["i"].as_i64().unwrap())
            .collect()
    };
    assert_eq!(order("asc"), [3, 5, 2, 1, 6, 4]);
    assert_eq!(order("desc"), [1, 6, 2, 5, 3, 4]);
}

#[test]
fn k_54_every_function() {
    let data = json!([{"o": "A", "v": "10"}, {"o": "B", "v": 1}, {"o": "A", "v": 5}, {"o": "A", "v": null}, {"o": "B", "v": 1.5}]);
    let by = |function: &str| json!([{"type": "aggregate", "group_by": "o", "function": function, "field": "v", "as": "r"}]);
    check(&data, &by("sum"), &json!([{"o": "A", "r": "15"}, {"o": "B", "r": 2.5}]));
    check(&data, &by("count"), &json!([{"o": "A", "r": 2}, {"o": "B", "r": 2}]));
    check(&data, &by("avg"), &json!([{"o": "A", "r": "7.5"}, {"o": "B", "r": 1.25}]));
    check(&data, &by("min"), &json!([{"o": "A", "r": 5}, {"o": "B", "r": 1}]));
    check(&data, &by("max"), &json!([{"o": "A", "r": "10"}, {"o": "B", "r": 1.5}]));
    check(&data, &by("count_distinct"), &json!([{"o": "A", "r": 2}, {"o": "B", "r": 2}]));
    check(&json!([]), &json!([{"type": "aggregate", "function": "count"}]), &json!([{"count": 0}]));
    check(
        &data,
        &json!([{"type": "aggregate", "group_by": ["o"], "function": "count"}]),
        &json!([{"o": "A", "count": 3}, {"o": "B", "count": 2}]),
    );
}

#[test]
fn f_051_deduplicating_keeps_the_first() {
    let data = json!([{"a": 1, "b": 1}, {"b": 1.0, "a": 1}, {"a": 1, "b": 2}]);
    check(&data, &json!([{"type": "deduplicate"}]), &json!([{"a": 1, "b": 1}, {"a": 1, "b": 2}]));
    check(&data, &json!([{"type": "deduplicate", "field": "a"}]), &json!([{"a": 1, "b": 1}]));
    check(
        &data,
        &json!([{"type": "deduplicate", "fields": ["a", "b"]}]),
        &json!([{"a": 1, "b": 1}, {"a": 1, "b": 2}]),
    );
}

#[test]
fn records_without_a_key_are_no_duplicates_and_are_said() {
    let data =
        json!([{"ein": null, "amount": 5}, {"ein": null, "amount": 7}, {"ein": "1"}, {"ein": "1"}]);
    let by = |fields: Value| as_written(&json!([{"type": "deduplicate", "fields": fields}]));
    let done = apply(data.as_array().unwrap().clone(), &by(json!(["ein"]))).unwrap();
    let kept = json!([{"ein": null, "amount": 5}, {"ein": null, "amount": 7}, {"ein": "1"}]);
    assert_eq!(Value::Array(done.records), kept);
    let said = done.warnings.kept();
    let message = "operation 1: null in 2 of 4 records, which are all kept";
    assert_eq!(json!(said), json!([{"field": "ein", "message": message}]));
    let done = apply(data.as_array().unwrap().clone(), &by(json!(["ein", "amount"]))).unwrap();
    assert_eq!((done.records.len(), done.warnings.count()), (3, 0));
}

#[test]
fn f_051_what_is_wrong_is_named_with_its_place() {
    let data = json!([{"v": "ten"}]);
    check_refused(
        &data,
        &json!([{"type": "aggregate", "function": "sum", "field": "v"}]),
        "operations[0]: record 0: `v` is not a number",
    );
}

#[test]
fn f_051_a_hundred_thousand_records_are_the_limit() {
    let refused = apply(vec![Value::Null; MAX_RECORDS + 1], &[]).unwrap_err();
    assert_eq!(
        refused,
        TransformError::TooMany { what: "data", count: MAX_RECORDS + 1, limit: MAX_RECORDS }
    );
}

fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5_i64..5).prop_map(Value::from),
        (-2.0_f64..2.0).prop_map(Value::from),
        "[a-b0-9.-]{0,3}".prop_map(Value::from),
        prop::collection::vec(0_i64..3, 0..2).prop_map(Value::from),
        prop::collection::btree_map("[a-b]", 0_i64..3, 0..2).prop_map(|fields| json!(fields)),
    ]
}

fn data() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(values(), 0..20)
        .prop_map(|v| v.into_iter().enumerate().map(|(i, k)| json!({"k": k, "i": i})).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn f_051_sorting_permutes_and_sorting_twice_changes_nothing(data in data(), descending: bool) {
        let sort = [Operation::Sort { field: "k".to_owned(), descending }];
        let once = apply(data.clone(), &sort).unwrap().records;
        prop_assert_eq!(&apply(once.clone(), &sort).unwrap().records, &once);
        let mut ids: Vec<i64> = once.iter().map(|r| r["i"].as_i64().unwrap()).collect();
        ids.sort_unstable();
        prop_assert_eq!(ids.len(), data.len());
        prop_assert!(ids.iter().enumerate().all(|(at, id)| usize::try_from(*id).unwrap() == at));
    }

    #[test]
    fn f_051_a_filter_and_its_opposite_share_the_records(data in data(), value in values()) {
        let filter = |operator: &str| json!([{"type": "filter", "field": "k", "operator": operator, "value": value}]);
        let all = Value::Array(data.clone());
        let (same, other) = (run(&all, &filter("eq")).unwrap(), run(&all, &filter("ne")).unwrap());
        prop_assert_eq!(same.len() + other.len(), data.len());
        let (less, rest) = (run(&all, &filter("lt")).unwrap(), run(&all, &filter("gte")).unwrap());
        prop_assert!(less.iter().all(|r| !rest.contains(r)));
    }

    #[test]
    fn f_051_deduplicating_twice_changes_nothing_and_groups_count_all(data in data()) {
        let dedup = [Operation::Deduplicate { fields: vec!["k".to_owned()] }];
        let once = apply(data.clone(), &dedup).unwrap().records;
        prop_assert_eq!(&apply(once.clone(), &dedup).unwrap().records, &once);
        let groups = run(&Value::Array(data.clone()), &json!([{"type": "aggregate", "group_by": "k", "function": "count"}])).unwrap();
        let nulls = data.iter().filter(|record| record["k"].is_null()).count();
        prop_assert_eq!(groups.len(), once.len() - nulls.saturating_sub(1));
        prop_assert_eq!(groups.iter().map(|g| g["count"].as_u64().unwrap()).sum::<u64>(), data.len() as u64);
    }

    #[test]
    fn f_051_no_operation_makes_it_panic(data in data(), kind in "filter|sort|aggregate|deduplicate|limit", a in values(), b in 0_u64..30, field in "[a-z.]{1,3}", function in "sum|avg|min|max|count|count_distinct") {
        let operation = match kind.as_str() {
            "filter" => json!({"type": kind, "field": "k", "operator": "contains", "value": a}),
            "aggregate" => json!({"type": kind, "function": function, "field": "k", "group_by": field}),
            "limit" => json!({"type": kind, "count": b}),
            "deduplicate" => json!({"type": kind, "fields": [field]}),
            _ => json!({"type": kind, "field": field, "direction": "desc"}),
        };
        let _ = run(&Value::Array(data), &json!([operation]));
    }
}
