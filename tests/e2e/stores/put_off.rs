//! Names that are resolved in the background: what cannot be resolved keeps nothing else, and is given up in the end.

use std::time::Duration;

use countersign_identity::UserId;
use countersign_knowledge::explore::Explore as _;
use countersign_knowledge::extract::Extracted;
use countersign_knowledge::graph::{CallState, Deferred, Graph as _, Scope};
use countersign_knowledge::{Discovery, DiscoveryStatus, Namespace, Settings};
use countersign_store_kit::Window;
use countersign_store_kit::{Blobs, Key, Table, Write};
use countersign_store_knowledge::KnowledgeStore;
use cron_sweep::{Knowledge, SweepTask as _};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

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
    let calls = store.deferred(2, at(hours)).await.unwrap();
    calls.into_iter().map(|call| call.call).collect()
}

#[tokio::test]
async fn f_250_what_waits_in_vain_or_cannot_be_read_goes_behind_the_others() {
    let (table, store) = store().await;
    let broken = Key::new("G#nobody", "CALL#broken");
    let write = Write::put(&broken, &json!({ "owner": 1 })).unwrap();
    table.write(write.indexed("DEFERRED", "2026-01-01T00:00:00.000000000Z#x")).await.unwrap();
    for (n, name) in ["Ann Lee", "Bob Smith", "Carla Diaz"].into_iter().enumerate() {
        store.defer(&scope(), &format!("call {n}"), &deferred(name, n as i64)).await.unwrap();
    }
    assert_eq!(waiting(&store, 4).await, ["call 0"], "one of the two cannot be read");
    assert_eq!(waiting(&store, 5).await, ["call 0", "call 1"], "and is behind the others now");
    store.put_off(&scope(), "call 0", at(6)).await.unwrap();
    assert_eq!(waiting(&store, 7).await, ["call 1", "call 2"]);

    // A sweeper that has no time for any of them.
    let sweeper = Knowledge { store: store.clone(), within: Duration::ZERO };
    let done = sweeper.run(at(8), later()).await.unwrap();
    assert_eq!((&done["resolved"], &done["given_up"]), (&json!(0), &json!(0)), "{done}");
    let next = waiting(&store, 9).await;
    assert_eq!(next.first().map(String::as_str), Some("call 0"), "each has its turn: {next:?}");
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
    store.defer(&scope(), "call", &deferred("Ann Lee", 0)).await.unwrap();
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
        store.named(&scope(), "ann").await.unwrap().entities.is_empty(),
        "the graph gains nothing"
    );
    let stands = store.call(&scope(), "call").await.unwrap();
    let CallState::Done(answer) = stands else { panic!("{stands:?}") };
    assert!(answer["warnings"][0].as_str().unwrap().contains("given up"), "{answer}");
    assert_eq!(sweep(8 * 24).await, 0, "once");
}
