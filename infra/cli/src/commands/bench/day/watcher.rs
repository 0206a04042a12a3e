//! Ticks of a monitor's clock, request by request, so that two may go on at once and each may break off anywhere.
//!
//! The order of the requests is that of `functions/cron-monitor`; what a tick does and what it finds is the code of the domain.

use std::collections::BTreeMap;

use countersign_monitor::{
    Batch, BatchItem, Content, Due, Found, MAX_BYTES, MAX_SEEN, MarkKind, MonitorId, Open, Overlap,
    Position, Settled, State, TickOutcome, Timing, Watermark, fate, novel, settle, tick,
};
use countersign_run::{RunId, RunStatus};
use jiff::{SignedDuration, Timestamp};
use serde_json::Map;

/// How late an item may come, in minutes.
pub(super) const LATE: i64 = 120;
/// The most items of a batch: few, so that some are left.
const MOST: usize = 5;
/// How often the end of a run is written that others came before.
const TRIES: u32 = 5;
const STEP: &str = "look";

/// What a monitor looks at, and what the tables hold of it.
pub(super) struct Store {
    pub(super) monitor: MonitorId,
    pub(super) timing: Timing,
    pub(super) source: Vec<Found>,
    pub(super) state: State,
    pub(super) mark: Watermark,
    /// Since when the sweeper is to tick it.
    pub(super) overdue_at: Timestamp,
    pub(super) batches: BTreeMap<u64, (Batch, Content)>,
    /// The runs that were started: when they end, and how.
    pub(super) runs: BTreeMap<RunId, (Timestamp, RunStatus)>,
    pub(super) looks: usize,
}

/// What is written at once, unless the monitor has moved.
#[expect(clippy::large_enum_variant, reason = "it is kept in a box")]
enum Change {
    Note(State, Option<Watermark>),
    Open(State, Watermark, Batch, Content),
    Retry(State, Batch),
}

enum Stage {
    Read,
    Decide(State, BTreeMap<String, Watermark>),
    Head(State, Open),
    Write(Box<Change>, Option<RunId>),
    Start(RunId),
    Settle(RunId, RunStatus, u32),
    Settled(Box<Settled>, RunId, u32),
    Done,
}

/// A tick under way, or the end of a run that is noted.
pub(super) struct Watch {
    now: Timestamp,
    /// How a run that this tick starts ends, and whether its source answers.
    ends: (Timestamp, RunStatus),
    answers: bool,
    stage: Stage,
}

impl Watch {
    pub(super) fn tick(now: Timestamp, ends: (Timestamp, RunStatus), answers: bool) -> Self {
        Self { now, ends, answers, stage: Stage::Read }
    }

    pub(super) fn end(now: Timestamp, run: RunId, status: RunStatus) -> Self {
        let stage = Stage::Settle(run, status, 1);
        Self { now, ends: (now, status), answers: true, stage }
    }

    /// Does the next request; whether there is more to do.
    pub(super) fn advance(&mut self, store: &mut Store) -> bool {
        let stage = std::mem::replace(&mut self.stage, Stage::Done);
        self.stage = self.next(stage, store);
        !matches!(self.stage, Stage::Done)
    }

    fn next(&self, stage: Stage, store: &mut Store) -> Stage {
        match stage {
            Stage::Read => {
                let mut marks = BTreeMap::from([(STEP.to_owned(), store.mark.clone())]);
                store.state.complete(&mut marks);
                Stage::Decide(store.state.clone(), marks)
            }
            Stage::Decide(state, marks) => self.decide(state, &marks, store),
            Stage::Head(state, open) => match store.runs.get(&open.run) {
                None => Stage::Write(self.note(&state, TickOutcome::Started), Some(open.run)),
                Some((at, status)) if *at <= self.now && fate(*status).is_some() => {
                    Stage::Settle(open.run, *status, 1)
                }
                Some(_) => Stage::Write(self.note(&state, TickOutcome::Waiting), None),
            },
            Stage::Write(change, run) => match (self.write(*change, store), run) {
                (true, Some(run)) => Stage::Start(run),
                _ => Stage::Done,
            },
            Stage::Start(run) => {
                store.runs.entry(run).or_insert(self.ends);
                Stage::Done
            }
            Stage::Settle(run, status, tries) => self.settled(run, status, tries, store),
            Stage::Settled(settled, run, tries) => {
                let status = self.ends_of(store, &run);
                match self.close(*settled, store) {
                    false if tries < TRIES => Stage::Settle(run, status, tries + 1),
                    _ => Stage::Done,
                }
            }
            Stage::Done => Stage::Done,
        }
    }

    fn ends_of(&self, store: &Store, run: &RunId) -> RunStatus {
        store.runs.get(run).map_or(self.ends.1, |(_, status)| *status)
    }

    fn note(&self, state: &State, outcome: TickOutcome) -> Box<Change> {
        Box::new(Change::Note(state.ticked(outcome, self.now), None))
    }

    fn decide(
        &self,
        state: State,
        marks: &BTreeMap<String, Watermark>,
        store: &mut Store,
    ) -> Stage {
        match tick(&state, &store.timing, false, self.now) {
            Due::Nothing => {
                if state.open.is_none() {
                    let last = state.last_tick_at.unwrap_or(self.now);
                    store.overdue_at =
                        state.retry_at.unwrap_or(last + store.timing.interval.length());
                }
                Stage::Done
            }
            Due::OutsideHours => {
                Stage::Write(self.note(&state, TickOutcome::OutsideActiveHours), None)
            }
            Due::Resume(open) => Stage::Head(state, open),
            Due::Retry(open) => {
                let Some((batch, _)) = store.batches.get(&open.number) else { return Stage::Done };
                let (batch, state) = batch.tried_again(&state);
                let run = batch.run.clone();
                Stage::Write(Box::new(Change::Retry(state, batch)), Some(run))
            }
            Due::Look => self.look(&state, marks, store),
        }
    }

    fn look(&self, state: &State, marks: &BTreeMap<String, Watermark>, store: &mut Store) -> Stage {
        let mark = marks.get(STEP).cloned().unwrap_or_else(|| Watermark::new(STEP));
        if !self.answers {
            let state = state.failed("the source is down", self.now);
            return Stage::Write(Box::new(Change::Note(state, None)), None);
        }
        store.looks += 1;
        let how = Overlap {
            kind: MarkKind::Cursor,
            late: SignedDuration::from_mins(LATE),
            now: self.now,
            most: MOST,
            bytes: MAX_BYTES,
            memory: MAX_SEEN,
            is_cut: false,
        };
        let Ok(seen) = novel(mark.position.as_ref(), store.source.clone(), how) else {
            let state = state.failed("DETECT_TOO_MANY", self.now);
            return Stage::Write(Box::new(Change::Note(state, None)), None);
        };
        let looked = mark.clone().looked(seen.items.len(), self.now);
        if seen.items.is_empty() {
            let begins = mark.position.as_ref().is_none_or(Position::is_start);
            let looked = if begins { looked.moved(seen.position, self.now) } else { looked };
            let state = state.ticked(TickOutcome::Suppressed, self.now);
            let (state, mut changed) = state.found_nothing(marks, &[looked]);
            return Stage::Write(Box::new(Change::Note(state, changed.pop())), None);
        }
        let previous = BTreeMap::from([(STEP.to_owned(), mark.version)]);
        let batch = Batch::found(&store.monitor, state, seen.items.len(), previous, self.now);
        let item = |found: &Found| BatchItem { step: STEP.to_owned(), key: found.key.clone() };
        let content = Content {
            items: seen.items.iter().map(item).collect(),
            outputs: Map::new(),
            proposed: BTreeMap::from([(STEP.to_owned(), seen.position)]),
            too_large: None,
        };
        let run = batch.run.clone();
        let state = state.opened(&batch, self.now);
        Stage::Write(Box::new(Change::Open(state, looked, batch, content)), Some(run))
    }

    /// Writes everything or nothing; nothing when the monitor has moved since it was read.
    fn write(&self, change: Change, store: &mut Store) -> bool {
        let (Change::Note(state, _) | Change::Open(state, ..) | Change::Retry(state, _)) = &change;
        if store.state.version + 1 != state.version {
            return false;
        }
        let overdue_at = state.overdue_at(&store.timing, self.now);
        match change {
            Change::Note(state, mark) => {
                (store.state, store.overdue_at) = (state, overdue_at);
                store.mark = mark.unwrap_or_else(|| store.mark.clone());
            }
            Change::Open(state, mark, batch, content) => {
                (store.state, store.mark, store.overdue_at) = (state, mark, overdue_at);
                store.batches.insert(batch.number, (batch, content));
            }
            Change::Retry(state, batch) => {
                store.state = state;
                if let Some((known, _)) = store.batches.get_mut(&batch.number) {
                    *known = batch;
                }
            }
        }
        true
    }

    fn settled(&self, run: RunId, status: RunStatus, tries: u32, store: &Store) -> Stage {
        let open = store.state.open.as_ref();
        let batch = open.and_then(|open| store.batches.get(&open.number));
        let settled =
            batch.and_then(|(batch, _)| settle(batch, &store.state, &run, status, self.now));
        settled.map_or(Stage::Done, |settled| Stage::Settled(Box::new(settled), run, tries))
    }

    fn close(&self, settled: Settled, store: &mut Store) -> bool {
        if store.state.version + 1 != settled.state.version {
            return false;
        }
        store.state = settled.state;
        if let Some((batch, content)) = store.batches.get_mut(&settled.batch.number) {
            *batch = settled.batch;
            let proposed = content.proposed.get(STEP).filter(|_| settled.moves);
            let unmoved = batch.previous.get(STEP) == Some(&store.mark.version);
            if let Some(position) = proposed.filter(|_| unmoved) {
                store.mark = store.mark.clone().moved(position.clone(), self.now);
            }
        }
        true
    }
}
