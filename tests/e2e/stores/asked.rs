//! What is asked again under the same name, and what waits when much of an owner does.

use countersign_clock::{EventOutcome, Trigger};
use countersign_identity::{Scopes, UserId};
use countersign_run::{
    Occurrence, OccurrenceId, OccurrenceState, Quota, RunId, RunStatus, TriggeredBy,
};
use countersign_run_start::Invoker;
use countersign_schedule::MAX_WAITING_OF_OWNER;
use countersign_store_catalog::Stored;
use countersign_store_kit::Window;
use countersign_trigger::{FiringTrigger, TriggerId, TriggerSpec};
use futures::future::join_all;
use serde_json::{Value, json};

use super::clocks::{at, catalog, open, schedule};
use super::sweeps::clock;

#[tokio::test]
async fn f_207_what_is_asked_for_again_under_the_same_name_is_the_same_and_counts_once() {
    let catalog = catalog().await;
    let clock = countersign_clock::Clock { runs_per_day: Quota::runs(1), ..clock(&catalog).await };
    let schedule = schedule([7; 16]);
    let user = schedule.user_id.clone().unwrap();
    let invoker =
        Invoker { user, scopes: Scopes::default(), token: None, shared: None, by_mention: false };
    let first = clock.run_now(&schedule, &invoker, "request-1", at(0)).await.unwrap();
    // Its sender has not heard the answer, and asks again, seconds later.
    let again = clock.run_now(&schedule, &invoker, "request-1", at(5)).await.unwrap();
    assert_eq!((&again.id, again.due_at), (&first.id, at(0)));
    let other = clock.run_now(&schedule, &invoker, "request-2", at(6)).await.unwrap_err();
    assert_eq!(other.code, "QUOTA_EXCEEDED", "one was counted: {other:?}");
}

#[tokio::test]
async fn issue_14_a_request_that_comes_several_times_at_once_counts_once() {
    let catalog = catalog().await;
    let clock = countersign_clock::Clock { runs_per_day: Quota::runs(1), ..clock(&catalog).await };
    let schedule = schedule([8; 16]);
    let user = schedule.user_id.clone().unwrap();
    let invoker =
        Invoker { user, scopes: Scopes::default(), token: None, shared: None, by_mention: false };
    let asked = (0..6).map(|n| clock.run_now(&schedule, &invoker, "request-1", at(n)));
    let all: Vec<Occurrence> = join_all(asked).await.into_iter().map(Result::unwrap).collect();
    let known = catalog.occurrences(&all[0].owner, None, Window::first(10)).await.unwrap().items;
    let [one] = known.as_slice() else { panic!("{known:#?}") };
    assert!(all.iter().all(|asked| asked.id == one.id), "{all:#?}");
    let other = clock.run_now(&schedule, &invoker, "request-2", at(6)).await.unwrap_err();
    assert_eq!(other.code, "QUOTA_EXCEEDED", "one was counted: {other:?}");
}

/// A trigger of this owner whose runs go one after the other.
fn trigger(owner: &UserId, on: &Value) -> Trigger {
    let spec = json!({
        "name": "A", "profile_id": format!("prof_{}", "1".repeat(32)), "on": on, "overlap": "queue",
    });
    Stored {
        id: TriggerId::from_bytes([9; 16]),
        user_id: Some(owner.clone()),
        version: 1,
        created_at: at(0),
        updated_at: at(0),
        scopes: None,
        token: None,
        spec: serde_json::from_value::<TriggerSpec>(spec).unwrap(),
    }
}

#[tokio::test]
async fn issue_14_so_much_of_an_owner_waits_and_what_comes_then_is_skipped() {
    let catalog = catalog().await;
    let clock = clock(&catalog).await;
    let trigger =
        trigger(&UserId::from_bytes([1; 16]), &json!({ "type": "after", "playbook": "before" }));
    let (owner, id) = (trigger.user_id.clone().unwrap(), trigger.id.to_string());
    // One goes on, so that what comes waits.
    let goes_on = Occurrence {
        id: OccurrenceId::new(&id, at(0)),
        source_id: id,
        state: OccurrenceState::Started,
        ..open(0)
    };
    assert!(catalog.notice(&goes_on).await.unwrap() && catalog.take_turn(&goes_on).await.unwrap());
    let fire = async |n: u8| {
        let (run, playbook) = (RunId::from_bytes([n; 16]), "before".to_owned());
        let fired = TriggeredBy::After { run, status: RunStatus::Complete, playbook };
        let firing = FiringTrigger {
            owner: &owner,
            trigger: &trigger.id,
            spec: &trigger.spec,
            fired: &fired,
            led_by: &countersign_run::Ancestry::NONE,
            at: at(5_000 + i64::from(n)),
        };
        match clock.fire(&firing, &trigger, None).await.unwrap() {
            EventOutcome::New(of) => (of.state, of.reason.map(|reason| reason.code)),
            EventOutcome::Known(known) => panic!("{known} is new"),
        }
    };
    assert_eq!(fire(1).await, (OccurrenceState::Queued, None));
    // Of other sources of the same owner, and of somebody else.
    let others = i64::try_from(MAX_WAITING_OF_OWNER).unwrap() - 2;
    let waiting: Vec<_> = (0..others).map(open).collect();
    for some in waiting.chunks(20) {
        let noticed = join_all(some.iter().map(|one| catalog.notice(one))).await;
        assert!(noticed.into_iter().all(|noticed| noticed.unwrap()));
    }
    assert_eq!(fire(2).await, (OccurrenceState::Queued, None), "there is room for one");
    let full = (OccurrenceState::Skipped, Some("QUEUE_FULL".to_owned()));
    assert_eq!(fire(3).await, full);
    assert_eq!(catalog.waiting_of(&owner, 5_000).await.unwrap(), MAX_WAITING_OF_OWNER);
    assert_eq!(catalog.waiting_of(&UserId::from_bytes([2; 16]), 10).await.unwrap(), 0);
}

#[tokio::test]
async fn issue_14_a_document_that_was_changed_meanwhile_is_removed_with_what_belongs_to_it_now() {
    let catalog = catalog().await;
    let owner = UserId::from_bytes([3; 16]);
    let first = trigger(&owner, &json!({ "type": "file", "folder": "incoming" }));
    let second = Trigger { version: 2, ..trigger(&owner, &json!({ "type": "webhook" })) };
    catalog.collection().create(&first).await.unwrap();
    catalog.collection().replace(&first, &second).await.unwrap();
    let listens = async || catalog.hook(&first.id).await.unwrap().0.is_some();
    assert!(listens().await);
    // Whoever removes it has read the first one.
    catalog.collection().delete(&first).await.unwrap();
    assert!(!listens().await, "the second one listens no more");
}
