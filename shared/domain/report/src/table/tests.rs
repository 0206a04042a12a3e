use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Mapping, RowOrigin, Schema, keyed, rows, schema};
use crate::error::ReportError;
use crate::written::Columns;

fn origin() -> RowOrigin {
    RowOrigin {
        source: "run_1/save".into(),
        query: "q".into(),
        at: "2026-11-21T10:00:00Z".parse().unwrap(),
    }
}

fn mapping(value: &Value) -> Mapping {
    serde_json::from_value::<Columns>(value.clone()).unwrap().into()
}

fn check(shape: &Value, record: &Value, expect: Result<Value, &str>) {
    let made = rows(&[record], &mapping(shape), &[], &origin(), "key");
    match (made, expect) {
        (Ok(rows), Ok(value)) => {
            let mut cells = rows[0].cells.clone();
            cells.retain(|name, _| !name.starts_with('_'));
            assert_eq!(Value::Object(cells), value);
        }
        (Err(error), Err(text)) => assert_eq!(error.to_string(), text),
        (made, expect) => panic!("{made:?} instead of {expect:?}"),
    }
}

#[test]
fn f_289_only_mapped_columns_are_kept_and_three_are_added() {
    let made = rows(
        &[&json!({"name": "A", "secret": 1, "deep": {"ein": "9"}})],
        &mapping(&json!({"name": "TEXT", "ein": {"type": "TEXT", "from": "deep.ein"}})),
        &[],
        &origin(),
        "key",
    )
    .unwrap();
    let expect = json!({"name": "A", "ein": "9", "_source": "run_1/save", "_query": "q", "_timestamp": "2026-11-21T10:00:00Z"});
    assert_eq!(Value::Object(made[0].cells.clone()), expect);
}

#[test]
fn f_291_values_take_their_columns_type() {
    let shape = json!({"a": "TEXT", "b": "REAL", "c": "TIMESTAMP"});
    check(
        &shape,
        &json!({"a": 7, "b": "1200", "c": "2026-01-02"}),
        Ok(json!({"a": "7", "b": 1200, "c": "2026-01-02"})),
    );
    check(
        &shape,
        &json!({"a": [1], "b": -2.5, "c": "2026-01-02T03:04:05+01:00"}),
        Ok(json!({"a": "[1]", "b": -2.5, "c": "2026-01-02T02:04:05Z"})),
    );
    check(&shape, &json!({"b": ""}), Ok(json!({"a": null, "b": null, "c": null})));
    check(
        &shape,
        &json!({"b": "1e5", "c": "soon"}),
        Err("2 values do not fit their columns, the first: [0].b: `1e5` is not a number; \
             [0].c: `soon` is not a date or time"),
    );
}

#[test]
fn f_291_decimals_keep_their_digits() {
    let shape = json!({"a": "DECIMAL"});
    for (value, expect) in [
        (json!("1250.00"), json!("1250.00")),
        (json!(" -3.10 "), json!("-3.10")),
        (json!(12.5), json!("12.5")),
        (json!(7), json!("7")),
        (json!(""), Value::Null),
    ] {
        check(&shape, &json!({ "a": value }), Ok(json!({ "a": expect })));
    }
    let said = "1 values do not fit their columns, the first: [0].a: `$5` is not a decimal of at most 28 digits";
    check(&shape, &json!({"a": "$5"}), Err(said));
    let records =
        [json!({"sum": "12.50", "id": "12", "n": "1"}), json!({"sum": 3, "id": "13", "n": "x"})];
    let inferred = Mapping::inferred(&[&records[0], &records[1]]).unwrap();
    let told = serde_json::to_value(schema(&inferred, &[]).columns).unwrap();
    let types: Vec<&str> = (0..3).map(|at| told[at]["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["DECIMAL", "TEXT", "TEXT"]);
}

#[test]
fn f_290_the_key_alone_tells_rows_apart() {
    let shape = mapping(&json!({"ein": "TEXT", "year": "TEXT", "note": "TEXT"}));
    let key = ["ein".to_owned(), "year".to_owned()];
    let id = |record: Value, call: &str| {
        rows(&[&record], &shape, &key, &origin(), call).unwrap()[0].id.clone()
    };
    let first = id(json!({"ein": "1", "year": "2020", "note": "x"}), "one");
    assert_eq!(first, id(json!({"ein": "1", "year": "2020", "note": "y"}), "two"));
    assert_ne!(first, id(json!({"ein": "1", "year": "2021", "note": "x"}), "one"));
    assert_ne!(
        id(json!({"ein": "1", "year": null}), "one"),
        id(json!({"ein": null, "year": "1"}), "one")
    );
}

#[test]
fn f_290_rows_of_a_call_without_a_key_have_that_of_their_table() {
    let shape = mapping(&json!({ "no": "TEXT", "sum": "DECIMAL" }));
    let key = ["no".to_owned(), "sum".to_owned()];
    let table = schema(&shape, &key);
    let record = json!({ "no": "O-1", "sum": "5.00" });
    let with = rows(&[&record], &shape, &key, &origin(), "one").unwrap();
    let without = rows(&[&record], &shape, &[], &origin(), "two").unwrap();
    assert_ne!(with[0].id, without[0].id);
    assert_eq!(with[0].id, keyed(without, &table)[0].id);
}

#[test]
fn f_290_a_decimal_of_a_key_is_the_number_it_writes() {
    let key = ["amount".to_owned()];
    let id = |column: &str, amount: Value| {
        let shape = mapping(&json!({ "amount": column }));
        rows(&[&json!({ "amount": amount })], &shape, &key, &origin(), "one").unwrap()[0].id.clone()
    };
    assert_eq!(id("DECIMAL", json!("10")), id("DECIMAL", json!("10.00")));
    assert_eq!(id("DECIMAL", json!(10)), id("DECIMAL", json!("10.00")));
    assert_ne!(id("DECIMAL", json!("10")), id("DECIMAL", json!("10.01")));
    assert_ne!(id("TEXT", json!("10")), id("TEXT", json!("10.00")));
}

#[test]
fn rows_without_a_key_are_named_by_their_call() {
    let shape = mapping(&json!({"a": "TEXT"}));
    let records = [json!({"a": "x"}), json!({"a": "x"})];
    let made = |call: &str| {
        let rows = rows(&[&records[0], &records[1]], &shape, &[], &origin(), call).unwrap();
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_ne!(made("one")[0], made("one")[1]);
    assert_eq!(made("one"), made("one"));
    assert_ne!(made("one"), made("two"));
}

#[test]
fn f_291_columns_are_read_off_the_records() {
    let records = [
        json!({"n": 1, "when": "2026-01-01", "ein": "12", "x-y": "a", "_hidden": 1}),
        json!({"n": 2.5, "z": null}),
    ];
    let inferred = Mapping::inferred(&[&records[0], &records[1]]).unwrap();
    let told = serde_json::to_value(schema(&inferred, &[]).columns).unwrap();
    let names: Vec<String> = told
        .as_array()
        .unwrap()
        .iter()
        .map(|c| format!("{} {}", c["name"].as_str().unwrap(), c["type"].as_str().unwrap()))
        .collect();
    let expect = [
        "n REAL",
        "when TIMESTAMP",
        "ein TEXT",
        "x_y TEXT",
        "hidden REAL",
        "z TEXT",
        "_source TEXT",
        "_query TEXT",
        "_timestamp TIMESTAMP",
    ];
    assert_eq!(names, expect);
}

#[test]
fn every_field_has_a_column_of_its_own_or_the_records_are_refused() {
    let told = |record: &Value| Mapping::inferred(&[record]).unwrap_err().to_string();
    let no = "the records do not make a table:";
    assert_eq!(told(&json!({})), format!("{no} the records have no fields"));
    assert_eq!(
        told(&json!({"имя": 1})),
        format!("{no} `имя` has no Latin letter to name a column")
    );
    assert_eq!(
        told(&json!({"a-b": 1, "a_b": 2})),
        format!("{no} `a-b` and `a_b` would both be the column `a_b`")
    );
    let wide = |count: usize| (0..count).map(|n| (format!("f{n}"), json!(n))).collect::<Value>();
    assert_eq!(Mapping::inferred(&[&wide(100)]).unwrap().len(), 100);
    assert_eq!(told(&wide(101)), format!("{no} 101 fields; a table has at most 100 columns"));
    let years = Mapping::inferred(&[&json!({"2024": 1, "2025": 2})]).unwrap();
    assert!(years.has("column_2024") && years.has("column_2025"), "{years:?}");
}

#[test]
fn f_291_f_314_a_table_refuses_other_columns_and_other_keys_and_says_which_it_has() {
    let of = |shape: Value, key: &[&str]| -> Schema {
        schema(&mapping(&shape), &key.iter().map(|k| (*k).to_owned()).collect::<Vec<_>>())
    };
    let table = of(json!({"a": "TEXT", "b": "REAL"}), &["a"]);
    assert_eq!(table.accepts("t", &of(json!({"a": "TEXT"}), &[])), Ok(()));
    let told = |schema: &Schema| table.accepts("t", schema).unwrap_err().to_string();
    assert_eq!(
        told(&of(json!({"a": "TEXT", "b": "TEXT", "c": "TEXT"}), &["a"])),
        "the table `t` does not fit: b: is REAL in the table and TEXT here; c: is not a column of the table; its columns \
         are `a` TEXT, `b` REAL"
    );
    assert_eq!(
        told(&of(json!({"a": "TEXT", "b": "REAL"}), &["b"])),
        "the table `t` tells its rows apart by [a], not by [b]"
    );
    let missing = table.accepts("t", &of(json!({"b": "REAL"}), &[]));
    assert!(matches!(missing, Err(ReportError::Schema { .. })), "{missing:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn no_field_is_lost(names in prop::collection::btree_set("[a-c1 ._я-]{0,3}", 0..5)) {
        let record: Value = names.iter().map(|name| (name.clone(), json!(name))).collect();
        if let Ok(mapping) = Mapping::inferred(&[&record]) {
            let made = rows(&[&record], &mapping, &[], &origin(), "call").unwrap();
            let values: Vec<&Value> = made[0].cells.values().collect();
            prop_assert!(names.iter().all(|name| values.contains(&&json!(name))), "{:?}", made);
        }
    }

    #[test]
    fn f_290_two_rows_have_one_id_only_when_their_keys_are_equal(a in ".{0,6}", b in ".{0,6}", c in ".{0,6}", d in ".{0,6}") {
        let shape = mapping(&json!({"x": "TEXT", "y": "TEXT"}));
        let key = ["x".to_owned(), "y".to_owned()];
        let records = [json!({"x": a, "y": b}), json!({"x": c, "y": d})];
        let made = rows(&[&records[0], &records[1]], &shape, &key, &origin(), "call").unwrap();
        prop_assert_eq!(made[0].id == made[1].id, (a, b) == (c, d));
    }
}
