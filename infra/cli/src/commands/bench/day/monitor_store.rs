//! The requests for monitors, as `shared/adapters/store-catalog` makes them (`monitor_store.rs`, `monitor_settle.rs`,
//! `monitor_occurrence.rs`, `monitor_clocks.rs`).

use std::collections::BTreeMap;
use std::rc::Rc;

use countersign_monitor::{Batch, Found, MonitorId, Settled, State, Timing, Watermark, held_up};
use countersign_run::{OccurrenceReason, RunId};
use jiff::Timestamp;

use super::monitors::{Event, Monitors};
use super::tables::{Batched, Change, Run, Start, Tables};
use super::timeline::Unanswered;

type Answer<T> = Result<T, Unanswered>;

/// What a tick reads of its monitor.
#[derive(Debug, Clone)]
pub(super) struct Standing {
    pub(super) id: MonitorId,
    pub(super) is_active: bool,
    pub(super) timing: Timing,
    pub(super) state: State,
    pub(super) marks: BTreeMap<String, Watermark>,
}

fn standing(tables: &Tables, nth: usize) -> Standing {
    let one = &tables.monitors[nth];
    let mut marks = BTreeMap::from([(one.mark.step_name.clone(), one.mark.clone())]);
    one.state.complete(&mut marks);
    let (id, timing, state) = (one.id.clone(), one.timing.clone(), one.state.clone());
    Standing { id, is_active: one.is_active, timing, state, marks }
}

impl Monitors {
    async fn asks<T>(&self, does: impl Fn(&mut Tables) -> T) -> Answer<T> {
        self.time.request(|| does(&mut self.tables.borrow_mut())).await
    }

    pub(super) async fn standing(&self, nth: usize) -> Answer<Standing> {
        self.asks(|tables| standing(tables, nth)).await
    }

    /// What is there to be looked at.
    pub(super) async fn look(&self, nth: usize) -> Answer<Vec<Found>> {
        self.asks(|tables| tables.monitors[nth].source.clone()).await
    }

    pub(super) async fn batch(&self, nth: usize, number: u64) -> Answer<Option<Batched>> {
        self.asks(|tables| tables.monitors[nth].batches.get(&number).cloned()).await
    }

    pub(super) async fn run(&self, nth: usize, run: &RunId) -> Answer<Option<Run>> {
        self.asks(|tables| tables.monitors[nth].runs.get(run).cloned()).await
    }

    /// Starts the run of a batch, and notes with the same write that it has begun; that it ends is to come.
    pub(super) async fn start(
        &self,
        nth: usize,
        of: &Batched,
        run: &Run,
        now: Timestamp,
    ) -> Answer<Start> {
        self.asks(|tables| {
            let start = tables.start(nth, of, run, now);
            if start == Start::New {
                self.time.put(run.ends, Event::Ends(nth, of.batch.run.clone()));
            }
            start
        })
        .await
    }

    pub(super) async fn apply(&self, nth: usize, change: &Change) -> Answer<bool> {
        self.asks(|tables| tables.apply(nth, change)).await
    }

    /// Notes a tick; `false` when the monitor has moved since its state was read.
    pub(super) async fn note(
        &self,
        nth: usize,
        state: &State,
        marks: &[Watermark],
        clock: Timestamp,
    ) -> Answer<bool> {
        let (state, marks) = (state.clone(), marks.to_vec());
        self.apply(nth, &Change { state, marks, clock: Some(clock), batch: None }).await
    }

    /// Notes a tick that could not start the run of a batch, with the reason.
    pub(super) async fn held_up(
        &self,
        nth: usize,
        batched: &Batched,
        why: &OccurrenceReason,
        (state, clock): (&State, Timestamp),
    ) -> Answer<bool> {
        let occurrence = held_up(&batched.occurrence, &why.code, &why.message);
        let after = Batched { occurrence, ..batched.clone() };
        let batch = Some((after, Some(batched.batch.version)));
        let state = state.clone();
        self.apply(nth, &Change { state, marks: Vec::new(), clock: Some(clock), batch }).await
    }

    /// Notes that the run of a batch was refused: it is tried again, or its items are parked and the watermark moves.
    pub(super) async fn refused(
        &self,
        nth: usize,
        batched: &Batched,
        settled: &Settled,
        (clock, now): (Timestamp, Timestamp),
    ) -> Answer<bool> {
        let standing = self.standing(nth).await?;
        self.settle(nth, batched, settled, (&standing.marks, Some(clock), now)).await
    }

    /// Writes what becomes of a batch, and the watermarks that move.
    pub(super) async fn settle(
        &self,
        nth: usize,
        batched: &Batched,
        settled: &Settled,
        (marks, clock, now): (&BTreeMap<String, Watermark>, Option<Timestamp>, Timestamp),
    ) -> Answer<bool> {
        let moved = match settled.moves {
            true => self.moved_by(batched, marks, now).await?,
            false => Vec::new(),
        };
        let has_moved = if settled.moves { !moved.is_empty() } else { settled.batch.has_moved };
        let batch = Batch { has_moved, ..settled.batch.clone() };
        let batch = Some((batched.after(&batch), Some(batched.batch.version)));
        let state = settled.state.clone();
        self.apply(nth, &Change { state, marks: moved, clock, batch }).await
    }

    /// The watermarks that move when a batch is closed: none that was set back in between.
    async fn moved_by(
        &self,
        batched: &Batched,
        marks: &BTreeMap<String, Watermark>,
        now: Timestamp,
    ) -> Answer<Vec<Watermark>> {
        let content = self.time.request(|| Rc::clone(&batched.content)).await?;
        let mut moved = Vec::new();
        for (step, position) in &content.proposed {
            let mark = marks.get(step).cloned().unwrap_or_else(|| Watermark::new(step));
            if batched.batch.previous.get(step).copied().unwrap_or_default() == mark.version {
                moved.push(mark.moved(position.clone(), now));
            }
        }
        Ok(moved)
    }

    pub(super) async fn overdue(
        &self,
        now: Timestamp,
        most: usize,
    ) -> Answer<Vec<(Timestamp, usize)>> {
        self.asks(|tables| tables.overdue(now, most)).await
    }

    pub(super) async fn set_clock(&self, nth: usize, at: Option<Timestamp>) -> Answer<()> {
        self.asks(|tables| tables.set_clock(nth, at)).await
    }

    pub(super) async fn put_off(
        &self,
        (seen, nth): (Timestamp, usize),
        to: Timestamp,
    ) -> Answer<bool> {
        self.asks(|tables| tables.put_off(nth, seen, to)).await
    }

    /// Has a monitor ticked within a minute, once however often that is asked for in this minute.
    pub(super) async fn call(&self, nth: usize, now: Timestamp) -> Answer<()> {
        let at = self.time.now() + self.time.seconds(0..60);
        self.asks(|tables| {
            if tables.call(nth, now) {
                self.time.put(at, Event::Tick(nth));
            }
        })
        .await
    }
}
