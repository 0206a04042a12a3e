//! Ticks of one schedule at the same moment, and what waits for its turn.

use countersign_clock::{Clock, Followed, Schedule, Tick};
use countersign_identity::UserId;
use countersign_run::{Occurrence, OccurrenceId, OccurrenceState, RunRecord, RunStatus};
use countersign_schedule::ScheduleId;
use countersign_store_catalog::Catalog;
use countersign_store_kit::{Key, Table, Window, Write};
use countersign_store_runs::{Asked, RunLimits};
use futures::future::join_all;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::clocks::{at, open};
use super::later;
use super::runs::head;
use super::sweeps::clock;

/// A schedule that is due every minute, none of whose runs can be begun: its agent cannot be read.
struct Unreadable {
    catalog: Catalog,
    clock: Clock,
    schedule: Schedule,
}

impl Unreadable {
    async fn with(changes: &Value) -> Self {
        let table = super::table("clocks").await;
        let catalog = Catalog::new(table.clone());
        let schedule = every_minute(changes);
        catalog.collection::<Schedule>().create(&schedule).await.unwrap();
        garble(&table, &schedule).await;
        let clock = clock(&catalog).await;
        Self { catalog, clock, schedule }
    }

    /// A due time of it, or a request when `asked`.
    async fn notices(&self, n: i64, state: OccurrenceState, asked: bool) -> Occurrence {
        let source_id = self.schedule.id.to_string();
        let owner = self.schedule.user_id.clone().unwrap();
        let id = match asked {
            true => OccurrenceId::of_event(&source_id, at(n), &format!("asked/{n}")),
            false => OccurrenceId::new(&source_id, at(n)),
        };
        let asked_by = asked.then(|| owner.clone());
        let runs = if state == OccurrenceState::Started { vec![id.run(0)] } else { Vec::new() };
        let one = Occurrence { id, source_id, owner, asked_by, state, runs, ..open(n) };
        assert!(self.catalog.notice(&one).await.unwrap());
        one
    }

    async fn sweep(&self, now: Timestamp) -> Followed {
        let done = self.clock.sweep(now, later()).await.unwrap();
        assert_eq!(done.left, 0, "there was time for everything: {done:?}");
        done
    }

    async fn state(&self, of: &Occurrence) -> (OccurrenceState, Option<String>) {
        let known = self.catalog.occurrence(&of.owner, &of.id).await.unwrap().unwrap();
        (known.state, known.reason.map(|reason| reason.code))
    }
}

fn every_minute(changes: &Value) -> Schedule {
    let mut body = json!({
        "name": "A", "profile_id": format!("prof_{}", "1".repeat(32)), "query_template": "q",
        "cron_expression": "* * * * *", "is_enabled": true,
    });
    body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    let before = super::clocks::schedule([4; 16]);
    let id = ScheduleId::from_bytes([5; 16]);
    let user_id = Some(UserId::from_bytes([6; 16]));
    Schedule { id, user_id, spec: serde_json::from_value(body).unwrap(), ..before }
}

/// Lets its agent be one that cannot be read.
async fn garble(table: &Table, schedule: &Schedule) {
    let owner = schedule.user_id.as_ref().unwrap();
    let key = Key::new(format!("OWNER#{owner}"), format!("PROFILE#{}", schedule.spec.profile_id));
    let put = Write::put(&key, &json!({ "json": "{}", "version": 1 })).unwrap();
    table.write(put).await.unwrap();
}

/// A slow sweep has begun before a due time, the native schedule ticks behind it.
#[tokio::test]
async fn issue_14_two_ticks_at_once_of_different_minutes_begin_one_run() {
    for _ in 0..8 {
        let of = Unreadable::with(&json!({})).await;
        let owner = of.schedule.user_id.clone().unwrap();
        let tick = Tick { owner: owner.clone(), schedule: of.schedule.id.clone() };
        let ticks = [at(119), at(121)].map(|now| of.clock.tick(&tick, now));
        assert_eq!(join_all(ticks).await.len(), 2);
        let source = Some(tick.schedule.as_str());
        let all = of.catalog.occurrences(&owner, source, Window::first(10)).await.unwrap().items;
        let begin = all.iter().filter(|one| one.state == OccurrenceState::Due).count();
        assert!(begin <= 1, "{begin} begin at once: {all:#?}");
    }
}

#[tokio::test]
async fn issue_14_what_waits_and_cannot_be_begun_is_missed_so_that_others_have_their_turn() {
    let of = Unreadable::with(&json!({ "overlap": "queue" })).await;
    let [first, second] = [10, 20].map(|n| of.notices(n, OccurrenceState::Queued, false));
    let (first, second) = (first.await, second.await);
    let waits = (OccurrenceState::Queued, None);
    let hour = 3_600;
    assert_eq!(of.sweep(at(30)).await.failed, 1, "the first one was tried");
    of.sweep(at(30 + hour)).await;
    assert_eq!(of.state(&first).await, waits);
    of.sweep(at(31 + hour)).await;
    let missed = (OccurrenceState::Missed, Some("NOT_STARTED".to_owned()));
    assert_eq!(of.state(&first).await, missed);
    of.sweep(at(90 + hour)).await;
    assert_eq!(of.state(&second).await, waits, "its own hour has just begun");
    of.sweep(at(91 + 2 * hour)).await;
    assert_eq!(of.state(&second).await, missed);
}

/// The function that entered it died, and no sweep came for hours.
#[tokio::test]
async fn issue_14_what_nobody_tried_to_begin_is_not_missed() {
    let of = Unreadable::with(&json!({})).await;
    let due = of.notices(10, OccurrenceState::Due, false).await;
    of.sweep(at(5 * 3_600)).await;
    assert_eq!(of.state(&due).await.0, OccurrenceState::Due, "it was tried now");
    of.sweep(at(6 * 3_600 + 60)).await;
    assert_eq!(of.state(&due).await.0, OccurrenceState::Missed);
}

#[tokio::test]
async fn issue_14_a_due_time_waits_for_what_was_asked_for_and_goes_on() {
    let of = Unreadable::with(&json!({ "overlap": "queue" })).await;
    let waits = of.notices(10, OccurrenceState::Queued, false).await;
    let asked = of.notices(20, OccurrenceState::Started, true).await;
    assert_eq!(of.sweep(at(30)).await.failed, 0, "nobody tried to begin {}", waits.id);
    let over = Occurrence { version: 2, ..asked.moved(OccurrenceState::Finished, at(31)) };
    assert!(of.catalog.move_occurrence(&over).await.unwrap());
    assert_eq!(of.sweep(at(32)).await.failed, 1, "it is its turn");
}

#[tokio::test]
async fn p_003_the_sweep_that_sees_the_end_of_a_run_begins_what_waited_for_it() {
    let of = Unreadable::with(&json!({ "overlap": "queue" })).await;
    let before = of.notices(10, OccurrenceState::Started, false).await;
    of.notices(20, OccurrenceState::Queued, false).await;
    let (runs, head) = (&of.clock.runs, head(&before.runs[0]));
    let asked = Asked { inputs: json!({}), samples: None, playbook: None };
    runs.create(&head, &asked, RunLimits::NONE, &[]).await.unwrap();
    assert_eq!(of.sweep(at(30)).await.failed, 0, "the run before goes on");
    let record = RunRecord::default();
    assert!(runs.finish(&head, RunStatus::Complete, &record, at(31)).await.unwrap());
    let done = of.sweep(at(32)).await;
    assert_eq!((done.finished, done.failed), (1, 1), "it was tried at once: {done:?}");
    assert_eq!(of.state(&before).await.0, OccurrenceState::Finished);
}

#[tokio::test]
async fn issue_14_what_is_to_be_asked_for_again_takes_no_room_and_holds_nothing_back() {
    let of = Unreadable::with(&json!({ "overlap": "queue" })).await;
    for some in (0..110).collect::<Vec<i64>>().chunks(11) {
        join_all(some.iter().map(|n| of.notices(*n, OccurrenceState::Due, true))).await;
    }
    let before = of.notices(110, OccurrenceState::Started, false).await;
    let tick = Tick { owner: before.owner.clone(), schedule: of.schedule.id.clone() };
    let ticked = of.clock.tick(&tick, at(130)).await.unwrap();
    assert_eq!((ticked.queued, ticked.skipped), (2, 0), "both wait: {ticked:?}");
    assert_eq!(of.sweep(at(140)).await.failed, 0, "nobody tried to begin one");
    let over = Occurrence { version: 2, ..before.moved(OccurrenceState::Finished, at(141)) };
    assert!(of.catalog.move_occurrence(&over).await.unwrap());
    assert_eq!(of.sweep(at(142)).await.failed, 1, "the first one was tried");
}
