use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{Edge, MAX_PROVENANCE, Stated};
use crate::model::EntityId;
use crate::review::tests::edge;

/// An edge as this record of this run says it.
fn reading(run: u8, record: usize, properties: &Value) -> Edge {
    let ids = [1, 2].map(|byte| EntityId::from_bytes([byte; 16]));
    let mut edge = edge(&ids[0], &ids[1], &[]);
    let mut one = edge.provenance.pop_first().unwrap();
    one.execution_id = format!("run_{run}");
    one.source_record_index = record;
    one.retrieved_at = format!("2026-11-{:02}T10:00:00Z", run + 1).parse().unwrap();
    one.properties = Stated::new(properties.as_object().unwrap());
    (edge.first_seen, edge.last_seen) = (one.retrieved_at, one.retrieved_at);
    edge.provenance.insert(one);
    edge
}

fn joined(readings: impl IntoIterator<Item = Edge>) -> Edge {
    let join = |mut all: Edge, one: Edge| {
        all.absorb(&one);
        all
    };
    readings.into_iter().reduce(join).unwrap()
}

#[track_caller]
fn check(readings: &[(u8, Value)], properties: &Value, differing: &[&str]) {
    let all = readings.iter().enumerate();
    let all = joined(all.map(|(record, (run, properties))| reading(*run, record, properties)));
    let agreed = all.agreed();
    assert_eq!(&Value::from(agreed.properties), properties);
    assert_eq!(agreed.differing.iter().map(String::as_str).collect::<Vec<_>>(), differing);
}

#[test]
fn f_257_f_264_properties_of_several_records_are_not_mixed() {
    let gift = |amount: u32| json!({ "amount": amount, "date": "2024-01-31" });
    check(&[(1, gift(100))], &gift(100), &[]);
    check(&[(1, gift(100)), (1, gift(250))], &json!({ "date": "2024-01-31" }), &["amount"]);
    // The last run that says anything is believed as a whole.
    let undated = json!({ "amount": 250 });
    check(&[(1, gift(100)), (2, undated.clone())], &undated, &[]);
    check(&[(2, undated.clone()), (1, gift(100)), (3, json!({}))], &undated, &[]);
    check(&[(1, gift(100)), (1, json!({ "amount": 100 }))], &json!({ "amount": 100 }), &["date"]);
}

#[test]
fn f_264_one_other_amount_among_many_readings_is_not_forgotten() {
    let gift = |record| json!({ "amount": if record == 7 { 250 } else { 100 } });
    let all = joined((0..3 * MAX_PROVENANCE).map(|record| reading(1, record, &gift(record))));
    assert_eq!((all.provenance.len(), all.is_cut), (MAX_PROVENANCE, true));
    assert!(all.agreed().differing.contains("amount"));
    // One of many that are all different, and the only one without a date.
    let gift = |record: usize| match record {
        3 => json!({ "amount": record }),
        _ => json!({ "amount": record, "date": "2024-01-31" }),
    };
    let all = joined((0..MAX_PROVENANCE + 10).map(|record| reading(1, record, &gift(record))));
    let agreed = all.agreed();
    assert_eq!(agreed.differing.len(), 2, "{agreed:?}");
}

#[test]
fn f_259_what_one_run_has_read_outlives_many_that_say_nothing() {
    let titled = reading(1, 0, &json!({ "title": "CHAIR" }));
    let bare = (0..3 * MAX_PROVENANCE).map(|record| {
        let mut bare = reading(2, record, &json!({}));
        let mut one = bare.provenance.pop_first().unwrap();
        one.execution_id = format!("run_bare_{record}");
        bare.provenance.insert(one);
        bare
    });
    let all = joined([reading(0, 0, &json!({})), titled].into_iter().chain(bare));
    assert_eq!((all.provenance.len(), all.is_cut), (MAX_PROVENANCE, true));
    assert_eq!(all.agreed().properties["title"], "CHAIR");
}

#[test]
fn f_272_an_edge_has_room_in_an_item_of_the_table() {
    let long: Map<String, Value> =
        (0..200).map(|n| (format!("property_{n}"), json!("€".repeat(900)))).collect();
    let all = joined((0..60).map(|record| {
        let mut long = long.clone();
        long.insert("number".to_owned(), json!(record));
        reading(1, record, &Value::Object(long))
    }));
    let bytes = serde_json::to_string(&all).unwrap().len();
    assert!(all.is_cut && bytes < 380_000, "{bytes}");
    assert!(all.agreed().properties.contains_key("_left_out"));
}

#[test]
fn what_was_stored_before_readings_had_properties_is_still_shown() {
    let stored = reading(1, 0, &json!({}));
    let before = Map::from_iter([("title".to_owned(), json!("CHAIR"))]);
    let stored = Edge { properties: before.clone(), ..stored };
    let read: Edge = serde_json::from_value(serde_json::to_value(&stored).unwrap()).unwrap();
    assert_eq!(read.agreed().properties, before);
    let newer = joined([stored, reading(2, 0, &json!({ "title": "DIRECTOR" }))]);
    assert_eq!(newer.agreed().properties["title"], "DIRECTOR");
}

#[test]
fn long_texts_are_cut() {
    let stated = Stated::new(json!({ "purpose": "é".repeat(600) }).as_object().unwrap());
    let text = stated.0["purpose"].as_str().unwrap();
    assert_eq!((text.chars().count(), text.ends_with('…')), (200, true));
}

proptest! {
    #[test]
    fn readings_say_the_same_in_any_order_and_twice(
        runs in proptest::collection::vec((0..4_u8, 0..4_u32), 1..120),
    ) {
        let said = |amount: u32| if amount == 3 { json!({}) } else { json!({ "amount": amount }) };
        let readings: Vec<Edge> = runs.iter().enumerate()
            .map(|(record, (run, amount))| reading(*run, record, &said(*amount)))
            .collect();
        let once = joined(readings.iter().cloned());
        prop_assert_eq!(&joined(readings.iter().rev().chain(&readings).cloned()), &once);
        let stating = || runs.iter().filter(|(_, amount)| *amount != 3);
        let last = stating().map(|(run, _)| run).max();
        let amounts: BTreeSet<u32> =
            stating().filter(|(run, _)| Some(run) == last).map(|(_, amount)| *amount).collect();
        prop_assert_eq!(once.agreed().differing.is_empty(), amounts.len() <= 1);
    }
}
