//! The marks of runs that are not finished, when there are more of them than one look takes.

use std::collections::BTreeSet;

use countersign_identity::{Scopes, UserId};
use countersign_run::{Head, RunContext, RunId};
use countersign_store_kit::Blobs;
use countersign_store_runs::{Asked, RunStore};
use futures::future::join_all;
use jiff::Timestamp;
use serde_json::json;

async fn store() -> RunStore {
    RunStore::new(super::table("runs").await, Blobs::of(&super::aws().await, "nothing-is-kept"))
}

/// A run whose id says when it was made and, in its last digit, which partition its mark lies in.
fn run(n: u8, last: u8) -> RunId {
    let mut bytes = [0; 16];
    (bytes[0], bytes[15]) = (n, last);
    RunId::from_bytes(bytes)
}

fn head(run: &RunId) -> Head {
    let owner = UserId::from_bytes([1; 16]);
    let head = json!({
        "run": run, "owner": owner, "invoked_by": owner, "scopes": Scopes::default(), "profile_id": "p",
        "profile_name": "P", "context": RunContext::Background, "started_at": Timestamp::UNIX_EPOCH, "attempt": 1,
        "version": 1,
    });
    serde_json::from_value(head).unwrap()
}

async fn look(store: &RunStore, most: usize) -> BTreeSet<RunId> {
    let seen = store.next_active(most).await.unwrap();
    let runs: BTreeSet<RunId> = seen.iter().map(|mark| mark.run.clone()).collect();
    assert_eq!(runs.len(), seen.len(), "a run is told twice");
    runs
}

#[tokio::test]
async fn every_unfinished_run_has_its_turn_however_many_wait() {
    let store = store().await;
    assert!(look(&store, 50).await.is_empty());
    let crowded = (0..130).map(|n| run(n, 3));
    let all: BTreeSet<RunId> = crowded.chain((0..8).map(|last| run(200, last))).collect();
    let asked = Asked { inputs: json!({}), samples: None };
    let heads: Vec<Head> = all.iter().map(head).collect();
    let made = join_all(heads.iter().map(|head| store.create(head, &asked))).await;
    assert!(made.iter().all(Result::is_ok), "{made:?}");
    let mut seen = BTreeSet::new();
    for _ in 0..6 {
        let now = look(&store, 50).await;
        assert!(now.len() >= 38, "a look that sees next to nothing: {}", now.len());
        seen.extend(now);
    }
    assert_eq!(seen, all);
    assert_eq!(look(&store, 1000).await, all, "one look with room for all sees all");
}
