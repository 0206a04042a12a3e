//! What a sweep comes to when there is more than it has time for.

use std::sync::{Arc, LazyLock};
use std::time::Instant;

use countersign_clock::Clock;
use countersign_outbox::EventBus;
use countersign_recovery::Runner;
use countersign_registry::Registry;
use countersign_run::{Occurrence, OccurrenceId, OccurrenceState, Quota};
use countersign_states::Machine;
use countersign_store_catalog::{Catalog, HookBodies, Open};
use countersign_store_directory::Directory;
use countersign_store_kit::Blobs;
use countersign_store_runs::RunStore;

use super::clocks::{at, catalog, open};

/// What the sweeper works with, over this catalog; nobody has any runs.
pub(super) async fn clock(catalog: &Catalog) -> Clock {
    let aws = super::aws().await;
    let blobs = Blobs::of(&aws, "countersign-code");
    let runs = RunStore::new(super::table("runs").await, blobs.clone());
    let machine = "arn:aws:states:us-east-1:000000000000:stateMachine:nobody";
    Clock {
        catalog: catalog.clone(),
        hook_bodies: HookBodies::new(blobs),
        directory: Directory::new(super::table("directory").await),
        runner: Runner::new(runs.clone(), Machine::new(&aws, machine)),
        registry: Arc::new(LazyLock::new(Registry::builtin)),
        runs_per_day: Quota::runs(0),
        bus: EventBus::new(&aws, "nobody"),
        runs,
    }
}

/// An occurrence of a schedule of its own, whose id sorts by `n`.
fn of(n: i64, state: OccurrenceState) -> Occurrence {
    let source_id = format!("sched_{n:032}");
    let id = OccurrenceId::new(&source_id, at(n));
    let runs = if state == OccurrenceState::Started { vec![id.run(0)] } else { Vec::new() };
    Occurrence { id, source_id, state, runs, ..open(n) }
}

async fn state(catalog: &Catalog, of: &Occurrence) -> OccurrenceState {
    catalog.occurrence(&of.owner, &of.id).await.unwrap().unwrap().state
}

#[tokio::test]
async fn issue_14_what_waits_is_begun_however_many_runs_wait_for_people() {
    let catalog = catalog().await;
    let clock = clock(&catalog).await;
    let begun: Vec<_> = (0..8).map(|n| of(n, OccurrenceState::Started)).collect();
    let waiting = [of(20, OccurrenceState::Due), of(21, OccurrenceState::Queued)];
    for one in begun.iter().chain(&waiting) {
        assert!(catalog.notice(one).await.unwrap());
    }
    // There is no time: of each kind one is looked after, another one each time.
    for n in 0..2 {
        let done = clock.sweep(at(30), Instant::now()).await.unwrap();
        assert_eq!((done.open, done.failed), (2, 0), "{done:?}");
        assert_eq!(done.left, [8, 7][n], "{done:?}");
        let over = OccurrenceState::Skipped;
        assert_eq!(state(&catalog, &waiting[n]).await, over, "its schedule is gone");
        let place = catalog.place_of_open(Open::Begun).await.unwrap();
        assert_eq!(place.had, n + 1, "the next look begins behind the last one");
    }
    let done = clock.sweep(at(30), Instant::now()).await.unwrap();
    assert_eq!(done.open, 1, "nothing waits any more: {done:?}");
}

#[tokio::test]
async fn issue_14_marks_of_earlier_releases_and_runs_that_begin_are_followed_too() {
    let catalog = catalog().await;
    let noticed = of(1, OccurrenceState::Due);
    catalog.notice(&noticed).await.unwrap();
    let ids = async |which| -> Vec<OccurrenceId> {
        let page = catalog.open_behind(which, None, 10, None).await.unwrap();
        page.items.into_iter().map(|open| open.id).collect()
    };
    assert_eq!(ids(Open::Waiting).await, std::slice::from_ref(&noticed.id));
    assert_eq!(ids(Open::Begun).await, []);
    let begun = catalog.note_begun(&noticed, 1, at(2)).await.unwrap();
    assert_eq!(ids(Open::Waiting).await, []);
    assert_eq!(ids(Open::Begun).await, std::slice::from_ref(&begun.id));
    // As it was written when marks did not say what they are about.
    let mark: countersign_store_catalog::OpenOccurrence =
        serde_json::from_value(serde_json::json!({ "owner": begun.owner, "id": begun.id }))
            .unwrap();
    assert!(!mark.is_waiting);
}

#[tokio::test]
async fn issue_14_what_nobody_said_because_they_died_is_said_by_the_sweep() {
    let catalog = catalog().await;
    let clock = clock(&catalog).await;
    let due = of(1, OccurrenceState::Due);
    assert!(catalog.notice(&due).await.unwrap());
    assert_eq!(catalog.unsaid_occurrences(9).await.unwrap(), [], "there is nothing to say yet");
    let missed = due.ended(OccurrenceState::Missed, "NOT_STARTED", "again and again", at(2));
    assert!(catalog.move_occurrence(&missed).await.unwrap());
    // Whoever wrote it dies here.
    let unsaid = catalog.unsaid_occurrences(9).await.unwrap();
    assert_eq!(unsaid.len(), 1);
    assert_eq!((&unsaid[0].owner, &unsaid[0].id), (&missed.owner, &missed.id));
    let soon = at(2) + jiff::SignedDuration::from_secs(3);
    let done = clock.sweep(soon, Instant::now()).await.unwrap();
    assert_eq!((done.said, done.failed), (0, 0), "they may be saying it: {done:?}");
    // Nobody listens on this bus: it stays unsaid, and the next sweep tries again.
    let done = clock.sweep(at(30), Instant::now()).await.unwrap();
    assert_eq!(done.said + done.failed, 1, "{done:?}");
    let is_left = !catalog.unsaid_occurrences(9).await.unwrap().is_empty();
    assert_eq!(is_left, done.failed == 1, "what is not taken is said again");
    let skipped = of(3, OccurrenceState::Due);
    let looped = skipped.ended(OccurrenceState::Skipped, "TRIGGER_LOOP", "round", at(3));
    let looped = Occurrence { version: 1, ..looped };
    assert!(catalog.notice(&looped).await.unwrap());
    let ids = || async {
        let all = catalog.unsaid_occurrences(9).await.unwrap();
        all.into_iter().map(|one| one.id).collect::<Vec<_>>()
    };
    assert!(ids().await.contains(&looped.id), "also what is entered so");
    catalog.said(&looped.id).await.unwrap();
    assert!(!ids().await.contains(&looped.id));
}
