use countersign_decimal::json::ExactJson;
use countersign_registry::{DataType, Field};
use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};
use serde_json::{Value, json};

use super::{Mapped, Part, metadata, records};
use crate::JsonPath;
use crate::answer::AnswerError;
use crate::model::{JsonMapping, Layout, MetadataField, OutputSchema, OutputShape};
use crate::reading::Reading;

fn path(text: &str) -> JsonPath {
    JsonPath::parse(text).unwrap()
}

fn mapping(results_path: Option<&str>, fields: &[(&str, &str)]) -> JsonMapping {
    JsonMapping {
        results_path: results_path.map(path),
        fields: fields.iter().map(|(name, text)| ((*name).to_owned(), path(text))).collect(),
        ..JsonMapping::default()
    }
}

fn schema(fields: &[(&str, DataType)]) -> OutputSchema {
    OutputSchema {
        shape: OutputShape::RecordSet,
        fields: fields.iter().map(|(name, kind)| Field::new(name, kind.clone())).collect(),
        inferred: false,
    }
}

fn map(mapping: &JsonMapping, answer: &Value) -> Result<Mapped, AnswerError> {
    records(mapping, &schema(&[]), &answer.clone().into(), Part::default())
}

#[expect(clippy::needless_pass_by_value, reason = "test values are written inline")]
fn check(mapping: &JsonMapping, answer: Value, expect: Value) {
    let mapped = map(mapping, &answer).unwrap();
    assert_eq!(json!(mapped.records), expect);
    assert!(mapped.warnings.is_empty());
}

#[test]
fn f_090_records_are_found_and_mapped() {
    let answer = json!({ "data": { "items": [{ "name": "a", "owner": { "city": "x" }, "tags": [{ "n": 1 }, { "n": 2 }] }, { "name": "b" }] } });
    check(
        &mapping(
            Some("data.items"),
            &[("title", "name"), ("city", "owner.city"), ("tags", "tags[*].n")],
        ),
        answer.clone(),
        json!([{ "title": "a", "city": "x", "tags": [1, 2] }, { "title": "b", "city": null, "tags": null }]),
    );
    check(&mapping(None, &[]), json!({ "a": 1 }), json!([{ "a": 1 }]));
    check(&mapping(None, &[]), json!([1, "x"]), json!([{ "value": 1 }, { "value": "x" }]));
    check(&mapping(Some("data"), &[]), json!({ "data": null }), json!([]));
    check(
        &mapping(Some("a[*].b"), &[]),
        json!({ "a": [{ "b": { "c": 1 } }, {}] }),
        json!([{ "c": 1 }]),
    );
    assert_eq!(
        map(&mapping(Some("data.rows"), &[]), &answer),
        Err(AnswerError::NoResults("data.rows".to_owned()))
    );
}

#[test]
fn f_090_alternatives_are_tried_in_order() {
    let mapping = mapping(Some("items | hits.hits"), &[("name", "title | name.full | id")]);
    check(
        &mapping,
        json!({ "hits": { "hits": [{ "title": "", "name": { "full": "b" } }, { "id": 3 }, { "title": "t", "id": 4 }] } }),
        json!([{ "name": "b" }, { "name": 3 }, { "name": "t" }]),
    );
}

#[test]
fn f_091_values_of_the_wrong_type_are_null_and_said() {
    let fields = [
        ("amount", DataType::Number),
        ("day", DataType::Date),
        ("tags", DataType::array(DataType::String)),
        ("missing", DataType::Integer),
    ];
    let answer = json!([
        { "amount": "1,200.50", "day": "2024-05-06T00:00:00", "tags": "one", "other": { "kept": true } },
        { "amount": "unknown", "day": "soon", "tags": null },
    ]);
    let mapped = records(
        &mapping(None, &[]),
        &schema(&fields),
        &answer.into(),
        Part { before: 10, ..Part::default() },
    )
    .unwrap();
    assert_eq!(
        json!(mapped.records),
        json!([
            { "amount": 1200.5, "day": "2024-05-06", "tags": ["one"], "other": { "kept": true }, "missing": null },
            { "amount": null, "day": null, "tags": null, "missing": null },
        ])
    );
    assert_eq!(
        mapped.warnings.kept(),
        [
            "record 12, field `amount`: `unknown` is not of type number",
            "record 12, field `day`: `soon` is not of type date"
        ]
    );
}

#[test]
fn f_091_metadata_is_read_beside_the_records() {
    let item = |name: &str, kind: DataType, at: &str| MetadataField {
        field: Field::new(name, kind),
        path: path(at),
    };
    let mapping = JsonMapping {
        metadata: vec![
            item("total", DataType::Integer, "meta.total | hits.total.value"),
            item("took", DataType::Integer, "took"),
            item("absent", DataType::Any, "no.such"),
        ],
        ..mapping(Some("hits.hits"), &[])
    };
    let answer = json!({ "took": "long", "hits": { "total": { "value": "1,000" }, "hits": [] } });
    let (values, complaints) = metadata(&mapping, &answer.into());
    assert_eq!(Value::Object(values), json!({ "total": 1000, "took": null, "absent": null }));
    assert_eq!(complaints, ["metadata `took`: `long` is not of type integer"]);
}

#[test]
fn f_091_texts_of_an_answer_are_read_by_the_declared_locale() {
    let reading = Reading::new(Some("de-DE"), None).unwrap();
    let mapping =
        JsonMapping { reading, ..mapping(None, &[("sum", "s"), ("day", "d"), ("id", "i")]) };
    let schema =
        schema(&[("sum", DataType::Number), ("day", DataType::Date), ("id", DataType::String)]);
    let answer = json!([
        { "s": "12.500,75 €", "d": "29.02.2024", "i": "1.250,00" },
        { "s": 1.5, "d": "2024-02-29", "i": "x" },
        { "s": "$12", "d": "29.02.24", "i": "" },
    ]);
    let found = records(&mapping, &schema, &answer.into(), Part::default()).unwrap();
    let rows: Vec<Value> = found.records.into_iter().map(Value::Object).collect();
    let day = "2024-02-29";
    let expect = json!([
        { "sum": 12500.75, "day": day, "id": "1.250,00" },
        { "sum": 1.5, "day": day, "id": "x" },
        { "sum": null, "day": null, "id": "" },
    ]);
    assert_eq!(Value::from(rows), expect);
    assert_eq!(
        found.warnings.kept(),
        [
            "record 3, field `sum`: `$12` is not of type number",
            "record 3, field `day`: `29.02.24` is not of type date; its year must have four digits",
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn f_090_every_item_becomes_one_record(values in proptest::collection::vec("[a-z0-9,.-]{0,8}", 0..20)) {
        let items: Vec<Value> = values.iter().map(|text| json!({ "a": { "b": text } })).collect();
        let answer = json!({ "rows": items });
        let schema = schema(&[("x", DataType::Number)]);
        let mapped = records(&mapping(Some("rows"), &[("x", "a.b")]), &schema, &answer.into(), Part::default()).unwrap();
        prop_assert_eq!(mapped.records.len(), values.len());
        let unread = mapped.records.iter().zip(&values).filter(|(record, text)| record["x"].is_null() && !text.is_empty());
        prop_assert_eq!(unread.count(), mapped.warnings.kept().len());
    }
}

#[test]
fn f_090_an_answer_may_be_a_list_for_each_field() {
    let columns = JsonMapping {
        layout: Layout::Columns,
        ..mapping(Some("recent"), &[("form", "form"), ("day", "filed"), ("of", "name")])
    };
    let answer =
        json!({ "recent": { "form": ["10-K", "4"], "filed": ["2024-02-21"], "name": "one" } });
    let expect = json!([{ "form": "10-K", "day": "2024-02-21", "of": null }, { "form": "4", "day": null, "of": null }]);
    let found = map(&columns, &answer).unwrap();
    let said = "the lists of the answer are of different lengths: `filed` has 1 of 2 values; the rest is null";
    assert_eq!(found.warnings.kept(), [said]);
    assert_eq!(json!(found.records), expect);
    // A list that no field is read from says nothing.
    let other = json!({ "recent": { "form": ["4"], "filed": ["2024-02-21"], "tags": [] } });
    check(&columns, other, json!([{ "form": "4", "day": "2024-02-21", "of": null }]));
    check(&columns, json!({ "recent": {} }), json!([]));
    check(
        &columns,
        json!({ "recent": [{ "form": "4" }] }),
        json!([{ "form": "4", "day": null, "of": null }]),
    );
}

#[test]
fn f_091_numbers_of_an_answer_are_exact_or_said() {
    let long = "12345678901234567890.25";
    let body = format!(
        r#"{{"total": {long}, "rows": [{{"s": {long}, "t": [{long}, 2.5], "o": {{"x": {long}}}, "left": {long}}}, {{"s": 1.50}}]}}"#
    );
    let answer = ExactJson::from_slice(body.as_bytes()).unwrap();
    let reading = Reading::new(Some("de-DE"), None).unwrap();
    let fields =
        [("s", "s"), ("n", "s"), ("i", "s"), ("w", "s"), ("t", "t"), ("o", "o"), ("left", "left")];
    let total =
        |name: &str, kind| MetadataField { field: Field::new(name, kind), path: path("total") };
    let mapping = JsonMapping {
        reading,
        metadata: vec![total("exact", DataType::Decimal), total("near", DataType::Number)],
        ..mapping(Some("rows"), &fields)
    };
    let schema = schema(&[
        ("s", DataType::Decimal),
        ("n", DataType::Number),
        ("i", DataType::Integer),
        ("w", DataType::String),
        ("t", DataType::array(DataType::Decimal)),
        ("o", DataType::Object),
    ]);
    let found = records(&mapping, &schema, &answer, Part::default()).unwrap();
    assert_eq!(
        json!(found.records),
        json!([
            { "s": long, "n": null, "i": null, "w": long, "t": [long, "2.5"], "o": { "x": long }, "left": long },
            { "s": "1.5", "n": 1.5, "i": null, "w": "1.5", "t": null, "o": null, "left": null },
        ])
    );
    let more = "has more digits than a number keeps: a `decimal` has up to 28";
    assert_eq!(
        found.warnings.kept(),
        [
            format!("record 1, field `n`: `{long}` is not of type number; it {more}"),
            format!("record 1, field `i`: `{long}` is not of type integer"),
            format!("record 1, field `o`: `{long}` {more}; it is kept as a text"),
            format!("record 1, field `left`: `{long}` {more}; it is kept as a text"),
            "record 2, field `i`: `1.5` is not of type integer".to_owned(),
        ]
    );
    let (values, complaints) = metadata(&mapping, &answer);
    assert_eq!(Value::Object(values), json!({ "exact": long, "near": null }));
    assert_eq!(complaints.len(), 1);
}
