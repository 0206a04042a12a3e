//! Names that are resolved in the background: what cannot be resolved keeps nothing else, and is given up in the end.

use std::time::Duration;

use countersign_identity::UserId;
use countersign_knowledge::explore::{Budget, Explore as _};
use countersign_knowledge::extract::Extracted;
use countersign_knowledge::graph::{CallState, Deferred, Graph as _, Planned, Scope};
use countersign_knowledge::{Discovery, DiscoveryStatus, Namespace, Settings};
use countersign_store_kit::Window;
use countersign_store_kit::{Blobs, Key, Table, Write};
use countersign_store_knowledge::KnowledgeStore;
use cron_sweep::{Knowledge, SweepTask as _};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::knowledge::numbered;
use super::later;

async fn store() -> (Table, KnowledgeStore) {
    let blobs = Blobs::of(&super::aws().await, "no-bucket-is-needed");
    let table = super::table("knowledge").await;
    (table.clone(), KnowledgeStore::new(table, blobs))
}

fn at(hours: i64) -> Timestamp {
    let start: Timestamp = "2026-03-04T05:06:07Z".parse().unwrap();
    start.checked_add(SignedDuration::from_hours(hours)).unwrap()
}

fn scope() -> Scope {
    Scope { owner: UserId::from_bytes([1; 16]), namespace: Namespace::default() }
}

fn deferred(name: &str, hours: i64) -> Deferred {
    let person = json!({ "name": name, "type": "PERSON" });
    let entities: Vec<Extracted> = vec![serde_json::from_value(person).unwrap()];
    Deferred { entities, settings: Settings::default(), run: "run_1".to_owned(), at: at(hours) }
}

async fn waiting(store: &KnowledgeStore, hours: i64) -> Vec<String> {
    let calls = store.deferred_calls(at(hours)).await.unwrap();
    calls.into_iter().map(|call| call.call).collect()
}

async fn defer(store: &KnowledgeStore, key: &str, deferred: &Deferred) {
    store.defer(&scope(), key, deferred, deferred.at).await.unwrap();
}

#[tokio::test]
async fn f_250_what_waits_in_vain_or_cannot_be_read_goes_behind_the_others() {
    let (table, store) = store().await;
    let broken = Key::new("G#nobody", "CALL#broken");
    let write = Write::put(&broken, &json!({ "owner": 1 })).unwrap();
    table.write(write.indexed("DEFERRED", "2026-01-01T00:00:00.000000000Z#x")).await.unwrap();
    for (n, name) in ["Ann Lee", "Bob Smith", "Carla Diaz"].into_iter().enumerate() {
        defer(&store, &format!("call {n}"), &deferred(name, n as i64)).await;
    }
    let waits = waiting(&store, 4).await;
    assert_eq!(waits, ["call 0", "call 1", "call 2"], "what cannot be read is not among them");
    let first = store.deferred_calls(at(5)).await.unwrap().remove(0);
    assert!(store.begin(&first, at(6)).await.unwrap());
    let waits = store.deferred_calls(at(7)).await.unwrap();
    let told: Vec<_> = waits.iter().map(|one| (one.call.as_str(), one.begun)).collect();
    assert_eq!(told, [("call 1", 0), ("call 2", 0), ("call 0", 1)], "what is begun is behind");
    store.put_off(&first, at(7)).await.unwrap();
    let begun = store.deferred_calls(at(7)).await.unwrap().last().map(|one| one.begun);
    assert_eq!(begun, Some(0), "it came to nothing, and nothing was ended with it");

    // A sweeper that has no time for any of them.
    let sweeper = Knowledge { store: store.clone(), within: Duration::ZERO };
    let done = sweeper.run(at(8), later()).await.unwrap();
    assert_eq!((&done["resolved"], &done["given_up"]), (&json!(0), &json!(0)), "{done}");
    assert_eq!(waiting(&store, 9).await.len(), 3, "each has had its turn");
    let sweeper = Knowledge::new(store.clone());
    let mut resolved = 0;
    for hours in 10..12 {
        let done = sweeper.run(at(hours), later()).await.unwrap();
        resolved += done["resolved"].as_u64().unwrap();
    }
    assert_eq!(resolved, 3, "there is time now");
}

#[tokio::test]
async fn f_250_after_a_week_names_are_given_up_and_the_discoveries_say_so() {
    let (_, store) = store().await;
    defer(&store, "call", &deferred("Ann Lee", 0)).await;
    let sweeper = Knowledge { store: store.clone(), within: Duration::ZERO };
    let sweep = async |hours| sweeper.run(at(hours), later()).await.unwrap()["given_up"].clone();
    assert_eq!(sweep(7 * 24).await, 0);
    assert!(matches!(store.call(&scope(), "call").await.unwrap(), CallState::Deferred(_)));
    assert_eq!(sweep(7 * 24 + 1).await, 1);
    let window = Window { limit: 10, after: None };
    let found: Vec<Discovery> =
        store.discoveries_of(&scope().owner, "run_1", window).await.unwrap().items;
    let told: Vec<_> = found.iter().map(|one| (one.status, one.entity_name.as_str())).collect();
    assert_eq!(told, [(DiscoveryStatus::GivenUp, "Ann Lee")]);
    assert!(
        store.named(&scope(), "ann", &mut Budget::default()).await.unwrap().entities.is_empty(),
        "the graph gains nothing"
    );
    let stands = store.call(&scope(), "call").await.unwrap();
    let CallState::Done(answer) = stands else { panic!("{stands:?}") };
    assert!(answer["warnings"][0].as_str().unwrap().contains("given up"), "{answer}");
    assert_eq!(sweep(8 * 24).await, 0, "once");
}

#[tokio::test]
async fn k_71_what_contradicts_the_graph_for_a_week_is_given_up_and_says_so() {
    let (_, store) = store().await;
    store.apply(&scope(), "one", &numbered("1").changes, &|| true).await.unwrap();
    let sweeper = Knowledge::new(store.clone());
    let sweep = async |hours| sweeper.run(at(hours), later()).await.unwrap()["given_up"].clone();
    store.plan(&scope(), "call", &numbered("2")).await.unwrap();
    assert_eq!(sweep(7 * 24).await, 0);
    let stands = store.call(&scope(), "call").await.unwrap();
    assert!(matches!(stands, CallState::Deferred(_)), "it is to be planned again: {stands:?}");
    // The plan of somebody who has read the graph before the first was written.
    store.plan(&scope(), "call", &numbered("2")).await.unwrap();
    assert_eq!(sweep(7 * 24 + 1).await, 1);
    let stands = store.call(&scope(), "call").await.unwrap();
    let CallState::Done(answer) = stands else { panic!("{stands:?}") };
    let why = "its plans contradicted the graph for seven days";
    assert_eq!(answer["warnings"], json!([format!("1 name is given up: {why}")]));
    assert_eq!(reasons(&store).await, [json!(why)]);
    assert_eq!(sweep(8 * 24).await, 0, "once");
}

#[tokio::test]
async fn k_71_a_plan_that_cannot_be_made_again_is_given_up_for_what_it_contradicts() {
    let (_, store) = store().await;
    store.apply(&scope(), "one", &numbered("1").changes, &|| true).await.unwrap();
    let sweeper = Knowledge::new(store.clone());
    let sweep = async |hours| sweeper.run(at(hours), later()).await.unwrap()["given_up"].clone();
    // As earlier versions have stored it.
    let old = Planned { from: None, ..numbered("2") };
    store.plan(&scope(), "call", &old).await.unwrap();
    store.pending(&scope(), &old.changes).await.unwrap();
    assert_eq!(sweep(7 * 24).await, 0);
    assert_eq!(store.open_plans(at(8 * 24), at(8 * 24)).await.unwrap().len(), 1, "it stays open");
    let both = [DiscoveryStatus::Stored, DiscoveryStatus::Pending];
    assert_eq!(statuses(&store).await, both, "and what it found stays pending");
    assert_eq!(sweep(7 * 24 + 1).await, 1);
    assert_eq!(reasons(&store).await, [json!("its plans contradicted the graph for seven days")]);
    let both = [DiscoveryStatus::Stored, DiscoveryStatus::GivenUp];
    assert_eq!(statuses(&store).await, both, "what the other plan has stored stays so");
    assert_eq!(sweep(8 * 24).await, 0, "once");
}

/// How each discovery of the run is shown.
async fn statuses(store: &KnowledgeStore) -> Vec<DiscoveryStatus> {
    let window = Window { limit: 10, after: None };
    let found = store.discoveries_of(&scope().owner, "run_1", window).await.unwrap().items;
    let mut shown: Vec<DiscoveryStatus> = found.into_iter().map(|one| one.status).collect();
    shown.sort();
    shown
}

/// Why each name that was given up was.
async fn reasons(store: &KnowledgeStore) -> Vec<Value> {
    let window = Window { limit: 10, after: None };
    let found = store.discoveries_of(&scope().owner, "run_1", window).await.unwrap().items;
    let given_up = found.into_iter().filter(|one| one.status == DiscoveryStatus::GivenUp);
    given_up.map(|one| one.details["reason"].clone()).collect()
}

#[tokio::test]
async fn f_250_what_ends_its_function_each_time_is_given_up_and_keeps_nothing_else() {
    let (_, store) = store().await;
    defer(&store, "ends it", &deferred("Ann Lee", 0)).await;
    defer(&store, "another", &deferred("Bob Smith", 1)).await;
    // As a sweeper does that is killed while it is at work.
    for hours in 2..7 {
        let waits = store.deferred_calls(at(hours)).await.unwrap();
        let one = waits.iter().find(|one| one.call == "ends it").unwrap();
        assert!(store.begin(one, at(hours)).await.unwrap());
        assert_eq!(waiting(&store, hours).await[0], "another", "it is behind the others");
    }
    let done = Knowledge::new(store.clone()).run(at(8), later()).await.unwrap();
    assert_eq!((&done["resolved"], &done["given_up"]), (&json!(1), &json!(1)), "{done}");
    let why = "resolving it was begun 5 times in the background and never came to an end";
    assert_eq!(reasons(&store).await, [json!(why)]);
}

#[tokio::test]
async fn f_250_names_of_one_person_do_not_stand_before_those_of_the_others() {
    let (_, store) = store().await;
    for n in 0..10 {
        defer(&store, &format!("call {n}"), &deferred("Ann Lee", n)).await;
    }
    let other = Scope { owner: UserId::from_bytes([2; 16]), namespace: Namespace::default() };
    let last = deferred("Bob Smith", 20);
    store.defer(&other, "theirs", &last, last.at).await.unwrap();
    let done = Knowledge::new(store.clone()).run(at(21), later()).await.unwrap();
    assert_eq!(done["resolved"], 3, "{done}");
    let of_other = store.named(&other, "bob", &mut Budget::default()).await.unwrap();
    assert_eq!(of_other.entities.len(), 1, "theirs among them");
}
