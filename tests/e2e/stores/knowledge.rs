//! The graph: plans that were not applied, and decisions of several people at once.

use std::collections::BTreeSet;

use countersign_identity::UserId;
use countersign_knowledge::change::{Changes, Origin, changes, mentions};
use countersign_knowledge::decided::Decided;
use countersign_knowledge::explore::{Budget, Explore as _};
use countersign_knowledge::extract::Extracted;
use countersign_knowledge::graph::{Applied, CallState, Deferred, Graph as _, Planned, Scope};
use countersign_knowledge::review::{Decider, merge};
use countersign_knowledge::{
    Discovery, DiscoveryStatus, Entity, ExternalId, Namespace, Settings, resolve,
};
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
    planned_by("run_1/resolved", names)
}

/// The same, of a call with this key.
fn planned_by(key: &str, names: &[&str]) -> Planned {
    let one = |(index, name): (usize, &&str)| -> Extracted {
        let person = json!({"name": name, "type": "PERSON", "source_record_index": index});
        serde_json::from_value(person).unwrap()
    };
    let entities: Vec<Extracted> = names.iter().enumerate().map(one).collect();
    let Scope { owner, namespace } = scope();
    let (key, run) = (key.to_owned(), "run_1".to_owned());
    let origin = Origin { owner, namespace, run, idempotency_key: key, now: at(0) };
    let mentions = mentions(&entities);
    let resolution = resolve(&mentions, &[], &Settings::default()).unwrap();
    let changes = changes(&origin, &entities, &mentions, &resolution, &[]);
    let settings = Settings::default();
    let from = Some(Box::new(Deferred { entities, settings, run: "run_1".to_owned(), at: at(0) }));
    Planned { changes, answer: json!({}), at: at(0), from }
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
    assert!(store.named(&scope, "ann", &mut Budget::default()).await.unwrap().entities.is_empty());
    assert!(store.open_plans(at(0), at(0)).await.unwrap().is_empty(), "it may still be at work");
    let open = store.open_plans(at(16), at(16)).await.unwrap();
    assert_eq!(open.len(), 1);
    assert_eq!(store.planned(&open[0], at(16)).await.unwrap().as_ref(), Some(&planned));
    let applied = store.resume(&open[0], &planned, &|| true, at(16)).await.unwrap();
    assert_eq!(applied, Applied::Whole);
    assert_eq!(store.named(&scope, "ann", &mut Budget::default()).await.unwrap().entities.len(), 1);
    let stored = discoveries(&store).await;
    assert!(stored.iter().all(|one| one.status == DiscoveryStatus::Stored), "{stored:#?}");
    assert!(store.open_plans(at(16), at(16)).await.unwrap().is_empty());
}

/// A plan of so many people that it is written in parts.
fn many() -> Planned {
    let letters = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap());
    let names: Vec<String> = (0..260)
        .map(|n| format!("{0}{0}{1} Thorn{1}{0}quist", letters(n), letters(n / 26)))
        .collect();
    planned(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

#[tokio::test]
async fn f_274_a_plan_that_is_larger_than_a_sweep_goes_on_where_it_stopped() {
    let (store, scope, small, planned) = (store().await, scope(), planned(&["Ann Lee"]), many());
    // What is stored of it is small: these stores have no bucket for a large one.
    store.plan(&scope, "run_1/resolved", &small).await.unwrap();
    let open = store.open_plans(at(16), at(16)).await.unwrap();
    let mut attempts = 1;
    // Each attempt has time for one part.
    while store.resume(&open[0], &planned, &|| false, at(16)).await.unwrap() == Applied::Partly {
        attempts += 1;
        assert!(attempts < 50, "it comes to its end");
    }
    assert_eq!(attempts, 9, "100 entities, rows of the log and discoveries at a time");
    let window = Window { limit: 1_000, after: None };
    let there = store.entities(&scope, None, window).await.unwrap().items.len();
    assert_eq!(there, planned.changes.entities.len());
    assert!(store.open_plans(at(16), at(16)).await.unwrap().is_empty());
}

#[tokio::test]
async fn f_251_what_a_discarded_plan_has_written_is_told() {
    let (store, scope, mut planned) = (store().await, scope(), many());
    let small = self::planned(&["Ann Lee"]);
    store.plan(&scope, "run_1/resolved", &small).await.unwrap();
    // These stores have no bucket for what is large.
    planned.from = small.from;
    let last = planned.changes.entities.last_mut().unwrap();
    let mut other = last.clone();
    last.external_ids.insert(ExternalId::new("npi", "2").unwrap());
    other.external_ids.insert(ExternalId::new("npi", "1").unwrap());
    let open = store.open_plans(at(16), at(16)).await.unwrap();
    let first = store.resume(&open[0], &planned, &|| false, at(16)).await.unwrap();
    assert_eq!((first, discoveries(&store).await.len()), (Applied::Partly, 0));
    // Somebody else of the last one's name is written meanwhile.
    let meanwhile = Changes { entities: vec![other], ..Changes::default() };
    store.apply(&scope, "another", &meanwhile, &|| true).await.unwrap();
    let second = store.resume(&open[0], &planned, &|| true, at(17)).await.unwrap();
    assert_eq!(second, Applied::Contradicted);
    let window = Window { limit: 300, after: None };
    let there = store.entities(&scope, None, window.clone()).await.unwrap().items.len();
    let told = store.discoveries_of(&scope.owner, "run_1", window.clone()).await.unwrap().items;
    assert!(there > 100, "{there}");
    assert_eq!(told.len(), there - 1, "of each that it wrote, and not of the one it did not");
    assert!(told.iter().all(|one| one.status == DiscoveryStatus::Stored));
    assert_eq!(store.log(&scope, window).await.unwrap().items.len(), there - 1);
}

#[tokio::test]
async fn f_314_what_a_discarded_plan_had_pending_is_pending_no_more() {
    let (store, scope, planned) = (store().await, scope(), numbered("2"));
    let entities = numbered("1").changes.entities;
    let other = Changes { entities, ..Changes::default() };
    store.apply(&scope, "another", &other, &|| true).await.unwrap();
    store.plan(&scope, "run_1/resolved", &planned).await.unwrap();
    store.pending(&scope, &planned.changes).await.unwrap();
    assert_eq!(discoveries(&store).await.len(), planned.changes.discoveries.len());
    let open = store.open_plans(at(16), at(16)).await.unwrap();
    let resumed = store.resume(&open[0], &planned, &|| true, at(17)).await.unwrap();
    assert_eq!((resumed, discoveries(&store).await), (Applied::Contradicted, Vec::new()));
}

#[tokio::test]
async fn f_274_what_is_written_of_one_plan_says_nothing_of_another_of_its_call() {
    let (store, scope, one) = (store().await, scope(), many());
    store.plan(&scope, "run_1/resolved", &planned(&["Ann Lee"])).await.unwrap();
    let open = store.open_plans(at(16), at(16)).await.unwrap();
    let first = store.resume(&open[0], &one, &|| false, at(16)).await.unwrap();
    assert_eq!(first, Applied::Partly);
    let mut other = one.clone();
    other.changes.entities.reverse();
    // The first part of this one is the last of the other.
    let rest = store.resume(&open[0], &other, &|| true, at(17)).await.unwrap();
    assert_eq!(rest, Applied::Whole);
    let window = Window { limit: 1_000, after: None };
    let there = store.entities(&scope, None, window).await.unwrap().items.len();
    assert_eq!(there, one.changes.entities.len());
}

/// A plan of a person with this number.
pub(super) fn numbered(npi: &str) -> Planned {
    let mut planned = planned_by(&format!("run_1/{npi}"), &["Ann Lee"]);
    let id = ExternalId::new("npi", npi).unwrap();
    planned.changes.entities[0].external_ids.insert(id);
    planned
}

#[tokio::test]
async fn k_71_plans_of_two_people_of_one_name_do_not_make_them_one() {
    let (store, scope) = (store().await, scope());
    let (one, other) = (numbered("1"), numbered("2"));
    let entity = &one.changes.entities[0];
    assert_eq!(entity.id, other.changes.entities[0].id, "by name, the two have one id");
    let both = ["a", "b"].map(|key| {
        let (store, scope) = (&store, &scope);
        let changes = if key == "a" { &one.changes } else { &other.changes };
        async move { store.apply(scope, key, changes, &|| true).await.unwrap() }
    });
    let mut applied = join_all(both).await;
    applied.sort_by_key(|applied| *applied != Applied::Whole);
    assert_eq!(applied, [Applied::Whole, Applied::Contradicted]);
    let stands = store.entity(&scope, &entity.id).await.unwrap().unwrap();
    assert_eq!(stands.external_ids.len(), 1, "{stands:#?}");
    // The sweeper discards such a plan: its names wait to be resolved again.
    let late = if stands.external_ids == entity.external_ids { &other } else { &one };
    store.plan(&scope, "late", late).await.unwrap();
    let open = store.open_plans(at(16), at(16)).await.unwrap();
    let resumed = store.resume(&open[0], late, &|| true, at(17)).await.unwrap();
    assert_eq!(resumed, Applied::Contradicted);
    assert!(matches!(store.call(&scope, "late").await.unwrap(), CallState::Deferred(_)));
    assert_eq!(store.deferred_calls(at(18)).await.unwrap()[0].call, "late");
}

#[tokio::test]
async fn f_249_of_many_merges_at_once_none_is_lost() {
    let (store, scope) = (store().await, scope());
    let names = ["Ann Lee", "Bob Smith", "Carla Diaz", "Dora Ek", "Emil Fox"];
    store.apply(&scope, "k", &planned(&names).changes, &|| true).await.unwrap();
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
