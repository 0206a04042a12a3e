//! The power fails after every operation in turn; then everything is tried again, as Lambda, the state machine and the
//! sweeper would. Nothing is lost and nothing happens twice.

use countersign_approval::{Status, Verdict};
use countersign_store_approvals::TaskToken;
use serde_json::json;

use super::adapters::{World, at, by_mail, gate};
use crate::{Opened, Swept};

/// Runs the story of a gate with the power failing after `limit` operations, and tries again until it is over.
async fn story(limit: usize, second: Verdict) -> World {
    let world = World::new();
    world.state().waiting.insert("t1".to_owned());
    world.state().power = Some(limit);
    let mut now = 0;
    for round in 0..3 {
        now += 40;
        let token = TaskToken::new("t1");
        let opened = world.gatekeeper().open(gate("10"), &token, at(now)).await;
        if let Ok(Opened::Pending { id, .. } | Opened::Decided { id, .. }) = opened {
            let request = world.request(&id);
            for (person, verdict) in [(1, Verdict::Approve), (2, second)] {
                let attempting = by_mail(&request, person, verdict);
                let _ = world.gatekeeper().decide(&attempting, at(now + 1)).await;
            }
        }
        if round == 0 {
            world.state().power = None;
        }
        if round == 2 {
            // A run that was woken comes to its end.
            let mut state = world.state();
            state.run_over = !state.told.is_empty();
        }
        let _ = world.gatekeeper().sweep(at(now + 35)).await;
    }
    world
}

async fn check(second: Verdict, expect: Status) {
    let calm = story(usize::MAX, second).await;
    let operations = calm.state().operations;
    assert!(operations > 20, "the story is long enough to be interrupted");
    for limit in 0..operations {
        let world = story(limit, second).await;
        let id = world.state().requests.keys().next().unwrap().clone();
        assert_eq!(world.request(&id).status, expect, "interrupted after {limit}");
        assert_eq!(world.told("t1"), [json!({ "decision": expect })], "interrupted after {limit}");
        let state = world.state();
        assert_eq!(state.requests.len(), 1, "interrupted after {limit}");
        assert_eq!((state.votes.len(), state.receipts.len()), (2, 2), "interrupted after {limit}");
        assert_eq!(state.ledger.len(), 2, "interrupted after {limit}");
        assert!(state.unmoved.is_empty() && state.unasked.is_empty(), "interrupted after {limit}");
        assert_eq!(state.run_closed[&id], expect, "interrupted after {limit}");
    }
}

#[tokio::test]
async fn r_058_an_approval_survives_a_failure_after_every_operation() {
    check(Verdict::Approve, Status::Approved).await;
}

#[tokio::test]
async fn r_058_a_denial_survives_a_failure_after_every_operation() {
    check(Verdict::Deny, Status::Denied).await;
}

#[tokio::test]
async fn k_09_a_wish_for_changes_survives_a_failure_after_every_operation() {
    check(Verdict::Enhance, Status::Superseded).await;
}

#[tokio::test]
async fn a_sweep_of_a_calm_world_does_nothing() {
    let world = story(usize::MAX, Verdict::Approve).await;
    assert_eq!(world.gatekeeper().sweep(at(100_000)).await.unwrap(), Swept::default());
}
