//! Two ticks of a monitor at once: what the late one leaves of the other's batch.

use std::collections::BTreeMap;

use countersign_identity::UserId;
use countersign_monitor::{
    Batch, BatchItem, BatchState, Content, MarkKind, MonitorId, NotReopened, Open, Origin,
    Position, State, TickOutcome, batch_id, noticed, parked_at_once, refused, run_id, settle,
};
use countersign_run::{FromMonitor, OccurrenceReason, OccurrenceState, RunStatus};
use countersign_store_catalog::{Batched, CatalogError, Clock, MonitorStore, NewBatch};
use countersign_store_kit::Blobs;
use countersign_store_runs::{Asked, Created, RunLimits};
use jiff::Timestamp;
use serde_json::{Map, json};

async fn store() -> MonitorStore {
    // A bucket that every deployment of the emulator has.
    let blobs = Blobs::of(&super::aws().await, "countersign-code");
    MonitorStore::new(super::table("monitors").await, blobs)
}

/// More than a record of the table holds.
fn content() -> Content {
    let item = |n: usize| BatchItem { step: "look".to_owned(), key: format!("{n:0100}") };
    let items = (0..1_000).map(item).collect();
    Content { items, outputs: Map::new(), proposed: BTreeMap::new(), too_large: None }
}

#[tokio::test]
async fn f_214_a_tick_that_is_late_leaves_the_batch_of_the_other_whole() {
    let (store, now) = (store().await, Timestamp::now());
    let monitor = MonitorId::from_bytes(*uuid::Uuid::now_v7().as_bytes());
    let id = batch_id(&monitor, 1, now);
    let run = run_id(&id, 1);
    let open = Open { batch: id.clone(), number: 1, run: run.clone(), retry_after: None };
    let batch = Batch {
        id,
        number: 1,
        monitor_id: monitor.clone(),
        state: BatchState::Open,
        run,
        attempt: 1,
        count: 1_000,
        previous: BTreeMap::new(),
        has_moved: false,
        run_status: None,
        refusals: 0,
        refused_for: None,
        created_at: now,
        closed_at: None,
        reopened_at: None,
        is_untold: false,
        version: 1,
    };
    let owner = UserId::from_bytes([1; 16]);
    let origin = Origin { owner: &owner, name: "A", profile: "prof", asked_for: false };
    let occurrence = noticed(&batch, origin);
    let state = State::default().ticked(TickOutcome::Started, now);
    let state = State { batches: 1, open: Some(open), ..state };

    // Both have read the same and seen the same.
    let content = content();
    let new = NewBatch { batch: &batch, content: &content, occurrence: &occurrence };
    let read = store.open(&state, &[], None, new).await.unwrap();
    let late = store.open(&state, &[], None, new).await;
    assert!(matches!(late, Err(CatalogError::Changed(_))), "{late:?}");
    let written = store.batch(&monitor, 1).await.unwrap().unwrap();
    assert_eq!(store.content(&written).await.unwrap(), content);

    // One that has seen something else takes away what is its own.
    let mut other = content.clone();
    other.items.pop();
    let new = NewBatch { content: &other, ..new };
    assert!(store.open(&state, &[], None, new).await.is_err());
    assert_eq!(store.content(&written).await.unwrap(), content);

    // One whose run was refused does not undo that another has started it.
    let runs = super::runs::store().await;
    let begins = async |read: &Batched| {
        let asked = Asked { inputs: json!({}), samples: None, playbook: None };
        let with = store.begun(read, now).unwrap();
        runs.create(&super::runs::head(&read.batch.run), &asked, RunLimits::NONE, &with).await
    };
    assert_eq!(begins(&read).await.unwrap(), Created::New);
    let (why, clock) = (refusal(), Clock { owner, monitor: monitor.clone(), overdue_at: now });
    let failed = state.failed("refused", now);
    let settled = refused(&read.batch, &failed, &why, false, now);
    let late = store.refused(&read, &settled, &clock, now).await;
    assert!(matches!(late, Err(CatalogError::Changed(_))), "{late:?}");
    let late = store.held_up(&read, &why, &failed, &clock).await;
    assert!(matches!(late, Err(CatalogError::Changed(_))), "{late:?}");
    let written = store.batch(&monitor, 1).await.unwrap().unwrap();
    assert_eq!((written.batch.refusals, &written.batch.refused_for), (0, &None));
    let line = written.occurrence.as_ref().unwrap();
    assert_eq!((line.state, line.runs.len()), (OccurrenceState::Started, 1));
    assert!(matches!(begins(&read).await.unwrap(), Created::Existing(_)));

    // One that was held up until the batch was parked starts nothing.
    let end = settle(&written.batch, &state, &read.batch.run, RunStatus::Error, now).unwrap();
    let ended = store.change(&written, &end.batch, &end.state).await.unwrap();
    let (next, open) = ended.batch.tried_again(&end.state);
    let again = store.change(&ended, &next, &open).await.unwrap();
    let settled = parked_at_once(&again.batch, &open.failed("refused", now), &why, now);
    store.refused(&again, &settled, &clock, now).await.unwrap();
    assert!(begins(&again).await.unwrap_err().is_condition());
    assert_eq!(runs.head(&again.batch.run).await.unwrap(), None);
    let written = store.batch(&monitor, 1).await.unwrap().unwrap();
    assert_eq!((written.batch.state, written.batch.refused_for), (BatchState::Parked, Some(why)));
}

fn refusal() -> OccurrenceReason {
    OccurrenceReason { code: "REFUSED".to_owned(), message: "refused".to_owned() }
}

#[tokio::test]
async fn f_218_a_parked_batch_is_opened_again_in_one_write_and_moves_no_watermark_at_its_end() {
    let (store, now) = (store().await, Timestamp::now());
    let monitor = MonitorId::from_bytes(*uuid::Uuid::now_v7().as_bytes());
    let owner = UserId::from_bytes([2; 16]);
    let previous = BTreeMap::from([("look".to_owned(), 0)]);
    let batch = Batch::found(&monitor, &State::default(), 1, previous, now);
    let state = State::default().opened(&batch, now);
    let position = Position { value: Some("2026".to_owned()), ..Position::start(MarkKind::Cursor) };
    let proposed = BTreeMap::from([("look".to_owned(), position)]);
    let content = Content { items: Vec::new(), outputs: Map::new(), proposed, too_large: None };
    let origin = Origin { owner: &owner, name: "A", profile: "prof", asked_for: false };
    let occurrence = noticed(&batch, origin);
    let new = NewBatch { batch: &batch, content: &content, occurrence: &occurrence };
    let read = store.open(&state, &[], None, new).await.unwrap();
    let clock = Clock { owner, monitor: monitor.clone(), overdue_at: now };
    let open = store.reopen(&read, &clock, now).await.unwrap();
    assert!(matches!(open, Err(NotReopened::NotParked { .. })), "{open:?}");

    let why = refusal();
    let settled = parked_at_once(&read.batch, &state.failed("refused", now), &why, now);
    store.refused(&read, &settled, &clock, now).await.unwrap();
    let marked = store.standing(&monitor).await.unwrap().marks;
    assert_eq!(marked["look"].version, 1, "it moved behind what is parked");

    // Two ask at once, and one asks again.
    let both =
        futures::future::join(store.reopen(&read, &clock, now), store.reopen(&read, &clock, now));
    let (one, other) = both.await;
    assert_eq!(one.unwrap().unwrap(), other.unwrap().unwrap(), "one has opened it");
    let open = store.reopen(&read, &clock, now).await.unwrap().unwrap();
    assert_eq!((open.state, open.attempt), (BatchState::Open, 1));
    let written = store.batch(&monitor, 1).await.unwrap().unwrap();
    assert_eq!(written.batch, open);
    assert_eq!(store.content(&written).await.unwrap(), content, "it still has what was found");
    let line = written.occurrence.clone().unwrap();
    assert_eq!((line.state, line.asked_by.is_some()), (OccurrenceState::Due, true));
    let later = now + jiff::SignedDuration::from_secs(1);
    let overdue = store.overdue(later, 1_000).await.unwrap();
    assert!(overdue.contains(&clock), "whoever dies here leaves it to the sweeper");

    let state = store.standing(&monitor).await.unwrap().state;
    assert_eq!(state.open.as_ref().map(|open| open.number), Some(1));
    let again = parked_at_once(&open, &state.failed("refused", now), &why, now);
    store.refused(&written, &again, &clock, now).await.unwrap();
    assert_eq!(store.standing(&monitor).await.unwrap().marks, marked);
    let parked = store.batch(&monitor, 1).await.unwrap().unwrap();
    assert_eq!((parked.batch.state, parked.batch.has_moved), (BatchState::Parked, true));
}

#[tokio::test]
async fn f_218_what_a_run_parks_and_nobody_could_tell_is_due_to_be_told() {
    let (store, now) = (store().await, Timestamp::now());
    let monitor = MonitorId::from_bytes(*uuid::Uuid::now_v7().as_bytes());
    let batch = Batch::found(&monitor, &State::default(), 1, BTreeMap::new(), now);
    let from = FromMonitor { monitor: monitor.clone(), batch: batch.id.clone() };
    let mut head = super::runs::head(&batch.run);
    head.from_monitor = Some(from.clone());
    store.leave_untold(&head, &from, now).await.unwrap();
    let state = store.standing(&monitor).await.unwrap().state;
    assert_eq!(state, State::default(), "nothing is written of a monitor that is gone");

    let content = Content {
        items: Vec::new(),
        outputs: Map::new(),
        proposed: BTreeMap::new(),
        too_large: None,
    };
    let origin = Origin { owner: &head.owner, name: "A", profile: "prof", asked_for: false };
    let occurrence = noticed(&batch, origin);
    let new = NewBatch { batch: &batch, content: &content, occurrence: &occurrence };
    let state = State::default().opened(&batch, now);
    store.open(&state, &[], None, new).await.unwrap();
    store.leave_untold(&head, &from, now).await.unwrap();
    let open = store.standing(&monitor).await.unwrap().state;
    assert_eq!((open.parked, open.version), (None, state.version), "it is not parked");
    let ended = store.ended(&head, RunStatus::Cancelled, now).await.unwrap();
    assert_eq!(ended, Some(BatchState::Parked));
    // Its owner may have had it processed long after others were found.
    for second in 1..=6 {
        let at = now + jiff::SignedDuration::from_secs(second);
        let state = store.standing(&monitor).await.unwrap().state;
        let next = Batch::found(&monitor, &state, 1, BTreeMap::new(), at);
        let occurrence = noticed(&next, origin);
        let new = NewBatch { batch: &next, content: &content, occurrence: &occurrence };
        store.open(&state.opened(&next, at), &[], None, new).await.unwrap();
    }
    assert!(store.was_parked_by(&head, &from).await.unwrap());
    for _ in 0..2 {
        store.leave_untold(&head, &from, now).await.unwrap();
    }
    let batch = store.batch(&monitor, 1).await.unwrap().unwrap().batch;
    assert!(batch.is_parked_without_notice(), "the mail of a later one counts it");
    let state = store.standing(&monitor).await.unwrap().state;
    let parked = state.parked.as_ref().unwrap();
    assert_eq!((parked.number, parked.is_unsaid), (1, true));
    let later = now + jiff::SignedDuration::from_secs(1);
    let clock = Clock { owner: head.owner.clone(), monitor, overdue_at: now };
    assert!(store.overdue(later, 1_000).await.unwrap().contains(&clock), "the sweeper ticks it");
}
