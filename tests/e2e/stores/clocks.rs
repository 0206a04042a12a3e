//! Open occurrences by turns, and native schedules that the sweeper makes what the documents say.

use std::collections::BTreeSet;

use countersign_identity::UserId;
use countersign_run::{Occurrence, OccurrenceId, OccurrenceSource, OccurrenceState};
use countersign_schedule::{ScheduleId, ScheduleSpec};
use countersign_states::Schedules;
use countersign_store_catalog::{Catalog, Open, OpenOccurrence, Place, Stored};
use cron_sweep::{SchedulerSync, SweepTask as _};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::later;
use crate::world::world;

pub(super) async fn catalog() -> Catalog {
    Catalog::new(super::table("clocks").await)
}

pub(super) fn at(seconds: i64) -> Timestamp {
    let start: Timestamp = "2026-03-04T22:00:00Z".parse().unwrap();
    start.checked_add(SignedDuration::from_secs(seconds)).unwrap()
}

pub(super) fn open(n: i64) -> Occurrence {
    let source = format!("sched_{}", "1".repeat(32));
    Occurrence {
        id: OccurrenceId::new(&source, at(n)),
        owner: UserId::from_bytes([1; 16]),
        source: OccurrenceSource::Schedule,
        source_id: source,
        name: "A".to_owned(),
        profile_id: String::new(),
        due_at: at(n),
        noticed_at: at(n),
        asked_by: None,
        fired_by: None,
        chain: Vec::new(),
        others: Vec::new(),
        state: OccurrenceState::Queued,
        reason: None,
        runs: Vec::new(),
        status: None,
        finished_at: None,
        max_retries: 0,
        timeout_seconds: 1,
        version: 1,
    }
}

#[tokio::test]
async fn p_003_every_open_occurrence_has_its_turn_however_many_there_are() {
    let catalog = catalog().await;
    for n in 0..450 {
        assert!(catalog.notice(&open(n)).await.unwrap());
    }
    let mut seen = BTreeSet::new();
    for looks in [200, 200, 50] {
        let place = catalog.place_of_open(Open::Waiting).await.unwrap();
        let after = place.after.as_deref();
        let page = catalog.open_behind(Open::Waiting, after, 200, None).await.unwrap();
        assert_eq!(page.items.len(), looks);
        let after = page.items.last().map(OpenOccurrence::place);
        let place = Place { after, ..Place::default() };
        catalog.set_place_of_open(Open::Waiting, &place).await.unwrap();
        seen.extend(page.items.into_iter().map(|one| one.id));
    }
    assert_eq!(seen.len(), 450);
    let (mut all, mut next) = (0, None);
    loop {
        let page = catalog.open_behind(Open::Waiting, None, 200, next.as_deref()).await.unwrap();
        all += page.items.len();
        next = page.next;
        if next.is_none() {
            break;
        }
    }
    assert_eq!(all, 450, "a look that begins at the beginning sees all");
}

pub(super) fn schedule(bytes: [u8; 16]) -> Stored<ScheduleSpec> {
    let body = json!({
        "name": "A", "profile_id": format!("prof_{}", "1".repeat(32)), "cron_expression": "0 6 * * *",
        "query_template": "q", "is_enabled": true,
    });
    Stored {
        id: ScheduleId::from_bytes(bytes),
        user_id: Some(UserId::from_bytes([2; 16])),
        version: 1,
        created_at: at(0),
        updated_at: at(0),
        scopes: None,
        token: None,
        spec: serde_json::from_value(body).unwrap(),
    }
}

/// What the sweeper repairs with, in this group of the service.
async fn natives(catalog: &Catalog, group: &str) -> SchedulerSync {
    let function = "arn:aws:lambda:us-east-1:000000000000:function:nobody";
    let service = Schedules::new(
        &super::aws().await,
        group,
        "arn:aws:iam::000000000000:role/clocks",
        function,
    );
    SchedulerSync { catalog: catalog.clone(), schedules: service.clone(), monitors: service }
}

async fn is_set(id: &ScheduleId) -> bool {
    world().aws(&["scheduler", "get-schedule", "--name", id.as_str()]).await.is_ok()
}

#[tokio::test]
async fn f_217_a_native_schedule_that_was_not_set_or_removed_is_repaired() {
    let catalog = catalog().await;
    let natives = natives(&catalog, "default").await;
    let stored = schedule(*uuid::Uuid::now_v7().as_bytes());
    // Whoever saved it broke off here.
    catalog.collection().create(&stored).await.unwrap();
    let early = natives.run(at(30), later()).await.unwrap();
    assert_eq!(early, json!({ "repaired": 0, "failed": 0 }), "its own minute is not over");
    assert!(!is_set(&stored.id).await);
    assert_eq!(natives.run(at(90), later()).await.unwrap()["repaired"], 1);
    assert!(is_set(&stored.id).await);
    assert_eq!(natives.run(at(150), later()).await.unwrap()["repaired"], 0, "once");

    catalog.collection().delete(&stored).await.unwrap();
    assert_eq!(natives.run(at(150), later()).await.unwrap()["repaired"], 1);
    assert!(!is_set(&stored.id).await, "the document is gone");
}

#[tokio::test]
async fn f_217_what_cannot_be_repaired_comes_after_the_others() {
    let catalog = catalog().await;
    let broken = natives(&catalog, "there-is-no-such-group").await;
    let stored = schedule(*uuid::Uuid::now_v7().as_bytes());
    catalog.collection().create(&stored).await.unwrap();
    assert_eq!(broken.run(at(90), later()).await.unwrap(), json!({ "repaired": 0, "failed": 1 }));
    assert_eq!(
        broken.run(at(100), later()).await.unwrap()["failed"],
        0,
        "it was tried a moment ago"
    );
    let marks = catalog.native_open(at(1_000), 10).await.unwrap();
    assert_eq!((marks.len(), marks[0].at), (1, at(90)));
    assert_eq!(
        natives(&catalog, "default").await.run(at(200), later()).await.unwrap()["repaired"],
        1
    );
}

/// The sweeper has read the first version when the second one is saved and set, and sets the first one last.
#[tokio::test]
async fn f_217_a_newer_change_is_set_once_more_whoever_comes_to_the_service_last() {
    let catalog = catalog().await;
    let first = schedule(*uuid::Uuid::now_v7().as_bytes());
    catalog.collection().create(&first).await.unwrap();
    let stale = catalog.native_open(at(90), 10).await.unwrap().remove(0);
    let second = Stored { version: 2, updated_at: at(60), ..first.clone() };
    catalog.collection().replace(&first, &second).await.unwrap();
    assert!(!catalog.native_done(&stale).await.unwrap(), "it is not done with the second one");
    let natives = natives(&catalog, "default").await;
    assert_eq!(natives.run(at(130), later()).await.unwrap()["repaired"], 1);
    assert!(is_set(&first.id).await);

    // The same of one that is removed meanwhile.
    let last = Stored { version: 3, updated_at: at(200), ..second.clone() };
    catalog.collection().replace(&second, &last).await.unwrap();
    let stale = catalog.native_open(at(261), 10).await.unwrap().remove(0);
    catalog.collection().delete(&last).await.unwrap();
    assert!(!catalog.native_done(&stale).await.unwrap());
    assert_eq!(natives.run(at(300), later()).await.unwrap()["repaired"], 1);
    assert!(!is_set(&first.id).await);
}
