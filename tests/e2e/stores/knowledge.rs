//! The graph: plans that were not applied, and decisions of several people at once.

use std::collections::BTreeSet;

use countersign_identity::UserId;
use countersign_knowledge::change::{Origin, changes, mentions};
use countersign_knowledge::decided::Decided;
use countersign_knowledge::explore::Explore as _;
use countersign_knowledge::extract::Extracted;
use countersign_knowledge::graph::{Graph as _, Planned, Scope};
use countersign_knowledge::review::{Decider, merge};
use countersign_knowledge::{Discovery, DiscoveryStatus, Entity, Namespace, Settings, resolve};
use countersign_store_kit::Blobs;
use countersign_store_kit::Window;
use countersign_store_knowledge::KnowledgeStore;
use futures::future::join_all;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

async fn store() -> KnowledgeStore {
    let blobs = Blobs::of(&super::aws().await, "no-bucket-is-needed");
    KnowledgeStore::new(super::table("knowledge").await, blobs)
}

fn at(minutes: i64) -> Timestamp {
    let start: Timestamp = "2026-03-04T05:06:07Z".parse().unwrap();
    start.checked_add(SignedDuration::from_mins(minutes)).unwrap()
}

fn scope() -> Scope {
    Scope { owner: UserId::from_bytes([1; 16]), namespace: Namespace::default() }
}

/// What a run that met these people has planned.
fn planned(names: &[&str]) -> Planned {
    let one = |(index, name): (usize, &&str)| -> Extracted {
        let person = json!({"name": name, "type": "PERSON", "source_record_index": index});
        serde_json::from_value(person).unwrap()
    };
    let entities: Vec<Extracted> = names.iter().enumerate().map(one).collect();
    let Scope { owner, namespace } = scope();
    let key = "run_1/resolved".to_owned();
    let run = "run_1".to_owned();
    let origin = Origin { owner, namespace, run, idempotency_key: key, now: at(0) };
    let mentions = mentions(&entities);
    let resolution = resolve(&mentions, &[], &Settings::default()).unwrap();
    let changes = changes(&origin, &entities, &mentions, &resolution, &[]);
    Planned { changes, answer: json!({}), at: at(0) }
}

async fn discoveries(store: &KnowledgeStore) -> Vec<Discovery> {
    let window = Window { limit: 100, after: None };
    store.discoveries_of(&scope().owner, "run_1", window).await.unwrap().items
}

#[tokio::test]
async fn f_274_f_314_a_write_that_failed_is_pending_and_done_later() {
    let (store, scope, planned) = (store().await, scope(), planned(&["Ann Lee", "Bob Smith"]));
    store.plan(&scope, "run_1/resolved", &planned).await.unwrap();
    store.pending(&scope, &planned.changes).await.unwrap();
    let pending = discoveries(&store).await;
    assert_eq!(pending.len(), 2);
    assert!(pending.iter().all(|one| one.status == DiscoveryStatus::Pending));
    assert!(store.named(&scope, "ann").await.unwrap().entities.is_empty());
    assert!(
        store.open_plans(at(0), 10, at(0)).await.unwrap().is_empty(),
        "it may still be at work"
    );
    let open = store.open_plans(at(16), 10, at(16)).await.unwrap();
    assert_eq!((open.len(), &open[0].planned), (1, &planned));
    store.resume(&open[0]).await.unwrap();
    assert_eq!(store.named(&scope, "ann").await.unwrap().entities.len(), 1);
    let stored = discoveries(&store).await;
    assert!(stored.iter().all(|one| one.status == DiscoveryStatus::Stored), "{stored:#?}");
    assert!(store.open_plans(at(16), 10, at(16)).await.unwrap().is_empty());
}

#[tokio::test]
async fn f_249_of_many_merges_at_once_none_is_lost() {
    let (store, scope) = (store().await, scope());
    let names = ["Ann Lee", "Bob Smith", "Carla Diaz", "Dora Ek", "Emil Fox"];
    store.apply(&scope, &planned(&names).changes).await.unwrap();
    let all: Vec<Entity> = {
        let window = Window { limit: 100, after: None };
        store.entities(&scope, None, window).await.unwrap().items
    };
    assert_eq!(all.len(), names.len());
    let kept = all[0].id.clone();
    let by = Decider { scope: scope.clone(), person: scope.owner.clone(), at: at(1) };
    let merged = all[1..].iter().map(|other| {
        let (store, scope, by, kept, other) = (&store, &scope, &by, &kept, &other.id);
        async move {
            let judge = |decided: &Decided| merge(by, decided, [kept, other], Some(kept));
            let about = BTreeSet::from([kept.clone(), other.clone()]);
            store.decide(scope, about, &judge).await.unwrap().unwrap()
        }
    });
    assert_eq!(join_all(merged).await.len(), 4);
    let one = store.entity(&scope, &all[3].id).await.unwrap().unwrap();
    assert_eq!((one.id, one.members.len()), (kept, 4));
    let window = Window { limit: 100, after: None };
    assert_eq!(store.log(&scope, window).await.unwrap().items.len(), 5 + 4);
}
