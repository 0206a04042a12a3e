//! What the tables hold of monitors, with the conditions under which the store writes.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use countersign_monitor::{
    Batch, BatchState, Content, Found, MonitorId, State, Timing, Watermark, begun, followed,
};
use countersign_run::{BatchId, Occurrence, RunId, RunStatus};
use jiff::Timestamp;

/// A batch as it is stored.
#[derive(Debug, Clone)]
pub(super) struct Batched {
    pub(super) batch: Batch,
    pub(super) content: Rc<Content>,
    /// Its line in the ledger of occurrences.
    pub(super) occurrence: Occurrence,
}

impl Batched {
    /// The same after a change of the batch; its occurrence follows.
    pub(super) fn after(&self, batch: &Batch) -> Self {
        let occurrence = followed(&self.occurrence, batch);
        Self { batch: batch.clone(), occurrence, content: Rc::clone(&self.content) }
    }
}

/// A run that was started: when it ends, how, and whose it is.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) ends: Timestamp,
    pub(super) status: RunStatus,
    pub(super) batch: BatchId,
}

/// What keeps runs of a monitor from beginning, now and then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// Something about the monitor is wrong.
    Refusal,
    /// In the last hour of a day the runs of its owner are used up.
    Quota,
}

/// A monitor, what it looks at, and where it stands.
#[derive(Debug)]
pub(super) struct Monitor {
    pub(super) id: MonitorId,
    pub(super) timing: Timing,
    pub(super) is_active: bool,
    pub(super) obstacle: Option<Obstacle>,
    pub(super) source: Vec<Found>,
    pub(super) state: State,
    pub(super) mark: Watermark,
    /// Since when the sweeper is to tick it; none of one that does not look.
    clock: Option<Timestamp>,
    /// The minute of the last tick that the sweeper has asked for.
    called: Option<i64>,
    pub(super) batches: BTreeMap<u64, Batched>,
    pub(super) runs: BTreeMap<RunId, Run>,
}

impl Monitor {
    pub(super) fn new(
        id: MonitorId,
        timing: Timing,
        mark: Watermark,
        obstacle: Option<Obstacle>,
    ) -> Self {
        Self {
            id,
            timing,
            is_active: true,
            obstacle,
            source: Vec::new(),
            state: State::default(),
            mark,
            clock: None,
            called: None,
            batches: BTreeMap::new(),
            runs: BTreeMap::new(),
        }
    }

    /// Whether everything that came is in a batch that is closed.
    pub(super) fn is_done(&self) -> bool {
        let held: usize = self.batches.values().map(|one| one.batch.count).sum();
        self.state.open.is_none() && held >= self.source.len()
    }

    fn open(&self) -> usize {
        self.batches.values().filter(|one| one.batch.state == BatchState::Open).count()
    }
}

/// What comes of writing a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// It is written.
    New,
    /// It was there.
    Known,
    /// Nothing is written: the batch has changed.
    Outdated,
}

/// What is written at once, or not at all.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) state: State,
    pub(super) marks: Vec<Watermark>,
    pub(super) clock: Option<Timestamp>,
    /// A batch, and the version that it has in the table; none of a new one.
    pub(super) batch: Option<(Batched, Option<u64>)>,
}

/// The tables.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) monitors: Vec<Monitor>,
    /// The index of clocks, by time.
    clocks: BTreeSet<(Timestamp, usize)>,
    /// How many monitors look.
    active: usize,
    /// How often a monitor had two open batches.
    pub(super) two_open: usize,
}

impl Tables {
    /// Stores a monitor; one that was made is due at once.
    pub(super) fn add(&mut self, monitor: Monitor, now: Timestamp) {
        let nth = self.monitors.len();
        self.monitors.push(monitor);
        self.active += 1;
        self.set_clock(nth, Some(now));
    }

    /// Switches a monitor off: it has no clock any more.
    pub(super) fn switch_off(&mut self, nth: usize) {
        if std::mem::take(&mut self.monitors[nth].is_active) {
            self.active -= 1;
            self.set_clock(nth, None);
        }
    }

    /// Whether nothing looks any more.
    pub(super) fn is_over(&self) -> bool {
        self.active == 0 && self.clocks.is_empty()
    }

    /// The first clocks that are overdue.
    pub(super) fn overdue(&self, now: Timestamp, most: usize) -> Vec<(Timestamp, usize)> {
        self.clocks.range(..=(now, usize::MAX)).take(most).copied().collect()
    }

    pub(super) fn set_clock(&mut self, nth: usize, at: Option<Timestamp>) {
        let before = std::mem::replace(&mut self.monitors[nth].clock, at);
        if let Some(before) = before {
            self.clocks.remove(&(before, nth));
        }
        self.clocks.extend(at.map(|at| (at, nth)));
    }

    /// Puts an overdue clock behind the others, unless the monitor has ticked since.
    pub(super) fn put_off(&mut self, nth: usize, seen: Timestamp, to: Timestamp) -> bool {
        let is_seen = self.monitors[nth].clock == Some(seen);
        if is_seen {
            self.set_clock(nth, Some(to));
        }
        is_seen
    }

    /// Sets a single tick, once a minute; whether it is new.
    pub(super) fn call(&mut self, nth: usize, now: Timestamp) -> bool {
        let minute = Some(now.as_second() / 60);
        std::mem::replace(&mut self.monitors[nth].called, minute) != minute
    }

    /// Writes everything or nothing: nothing when the monitor has moved since its state was read, or the batch has changed.
    pub(super) fn apply(&mut self, nth: usize, change: &Change) -> bool {
        let one = &mut self.monitors[nth];
        if !fits(one, change) {
            return false;
        }
        one.state = change.state.clone();
        one.mark = change.marks.last().unwrap_or(&one.mark).clone();
        if let Some((batched, _)) = &change.batch {
            one.batches.insert(batched.batch.number, batched.clone());
        }
        self.two_open += usize::from(one.open() > 1);
        if change.clock.is_some() {
            self.set_clock(nth, change.clock);
        }
        true
    }

    /// Notes that the run of a batch has been started, unless the batch has changed.
    fn begun(&mut self, nth: usize, batched: &Batched, now: Timestamp) -> bool {
        let known = self.monitors[nth].batches.get_mut(&batched.batch.number);
        let known = known.filter(|known| known.batch.version == batched.batch.version);
        let Some(known) = known else { return false };
        let version = batched.batch.version + 1;
        let batch = Batch { version, refusals: 0, refused_for: None, ..batched.batch.clone() };
        let occurrence = begun(&batched.occurrence, &batch, now);
        *known = Batched { batch, occurrence, content: Rc::clone(&batched.content) };
        true
    }

    /// Starts the run of a batch, once, and notes that it has begun.
    pub(super) fn start(&mut self, nth: usize, of: &Batched, run: &Run, now: Timestamp) -> Start {
        let id = &of.batch.run;
        if self.monitors[nth].runs.contains_key(id) {
            return Start::Known;
        }
        if !self.begun(nth, of, now) {
            return Start::Outdated;
        }
        self.monitors[nth].runs.insert(id.clone(), run.clone());
        Start::New
    }
}

fn fits(one: &Monitor, change: &Change) -> bool {
    let known =
        |batched: &Batched| one.batches.get(&batched.batch.number).map(|known| known.batch.version);
    let fits = match &change.batch {
        None => true,
        Some((batched, Some(seen))) => known(batched) == Some(*seen),
        // Its line must not be in the ledger yet.
        Some((new, None)) => {
            one.batches.values().all(|other| other.occurrence.id != new.occurrence.id)
        }
    };
    fits && one.state.version + 1 == change.state.version
}
