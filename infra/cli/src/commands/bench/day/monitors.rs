//! A day of monitors: items come, ticks are lost, come twice or late and break off, runs end in every way.

use std::collections::{BTreeMap, BTreeSet};

use countersign_monitor::{
    BatchState, Found, Interval, MAX_ATTEMPTS, MarkKind, MonitorId, Position, State, Timing,
    Watermark,
};
use countersign_run::{RunId, RunStatus};
use jiff::{SignedDuration, Timestamp};
use rand::RngExt as _;
use rand::rngs::StdRng;
use serde_json::json;

use super::watcher::{LATE, Store, Watch};
use super::{Day, pick};

/// The longest that is waited for what is under way, in minutes: who looks once a day tries a batch once a day, three times.
const DRAIN: usize = 60 * 24 * 60;

const INTERVALS: [Interval; 6] = [
    Interval::Minutes5,
    Interval::Minutes15,
    Interval::Minutes30,
    Interval::Hour,
    Interval::Hours4,
    Interval::Day,
];
const ENDS: [RunStatus; 10] = [
    RunStatus::Complete,
    RunStatus::Complete,
    RunStatus::Complete,
    RunStatus::Partial,
    RunStatus::Rejected,
    RunStatus::Timeout,
    RunStatus::Error,
    RunStatus::Error,
    RunStatus::Error,
    RunStatus::Cancelled,
];

/// What became of what was new.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MonitorDay {
    pub(super) monitors: usize,
    pub(super) ticks: usize,
    pub(super) lost: usize,
    pub(super) doubled: usize,
    pub(super) broken: usize,
    pub(super) looks: usize,
    pub(super) items: usize,
    pub(super) committed: usize,
    pub(super) parked: usize,
    pub(super) runs: usize,
    /// Items that are not in exactly one closed batch.
    pub(super) wrong: usize,
    /// Batches that are open, parked without three tries, or have other runs than their tries.
    pub(super) untrue: usize,
    /// Monitors that had two open batches.
    pub(super) two_open: usize,
}

/// Lets the day pass for so many monitors.
pub(super) fn pass(day: &Day, monitors: usize) -> MonitorDay {
    let mut outcome = MonitorDay { monitors, ..MonitorDay::default() };
    for nth in 0..monitors {
        let mut one = One::new(*day, nth);
        for minute in 1..=day.minutes() {
            one.minute(minute, &mut outcome);
        }
        one.drain(&mut outcome);
        one.judge(&mut outcome);
    }
    outcome
}

struct One {
    day: Day,
    random: StdRng,
    store: Store,
    /// Ticks to come, by minute.
    ticks: BTreeMap<usize, usize>,
    /// The minute at which its own schedule ticks, of each interval.
    offset: usize,
    /// The runs whose end was noted.
    told: BTreeSet<RunId>,
    /// What has read and takes its time before it writes.
    stalled: Vec<Watch>,
}

impl One {
    fn new(day: Day, nth: usize) -> Self {
        let mut random = day.random(1_000 + nth as u64);
        let interval = pick(&mut random, &INTERVALS);
        let offset = random.random_range(0..interval.minutes() as usize);
        let mut mark = Watermark::new("look");
        mark.position = Some(Position::start(MarkKind::Cursor));
        let mut id = [0; 16];
        id[8..].copy_from_slice(&(nth as u64).to_be_bytes());
        let store = Store {
            monitor: MonitorId::from_bytes(id),
            timing: Timing { interval, hours: None, suppress_if_empty: true },
            source: Vec::new(),
            state: State::default(),
            mark,
            overdue_at: day.start,
            batches: BTreeMap::new(),
            runs: BTreeMap::new(),
            looks: 0,
        };
        let (ticks, told) = (BTreeMap::new(), BTreeSet::new());
        Self { day, random, store, ticks, offset, told, stalled: Vec::new() }
    }

    fn minute(&mut self, minute: usize, outcome: &mut MonitorDay) {
        if self.random.random_range(0..120) == 0 {
            self.arrive(minute);
        }
        self.passes(minute, outcome);
    }

    /// A minute in which nothing new comes.
    fn passes(&mut self, minute: usize, outcome: &mut MonitorDay) {
        let now = self.day.at(minute);
        let mut under_way = std::mem::take(&mut self.stalled);
        under_way.extend(self.runs_end(now));
        if minute % self.store.timing.interval.minutes() as usize == self.offset {
            self.schedule(minute, outcome);
        }
        let many = self.ticks.remove(&minute).unwrap_or_default();
        let is_swept = self.store.overdue_at <= now && self.random.random_range(0..20) > 0;
        if self.day.is_down(now) {
            outcome.lost += many;
        } else {
            outcome.ticks += many + usize::from(is_swept);
            under_way.extend((0..many + usize::from(is_swept)).map(|_| self.tick(now)));
        }
        self.carry_out(under_way, outcome);
        let open = self.store.batches.values();
        let open = open.filter(|(batch, _)| batch.state == BatchState::Open).count();
        outcome.two_open += usize::from(open > 1);
    }

    /// An item comes, dated before now by less than the overlap, or without a date.
    fn arrive(&mut self, minute: usize) {
        let key = format!("item-{}", self.store.source.len());
        let back = SignedDuration::from_mins(self.random.random_range(0..LATE));
        let is_dated = self.random.random_range(0..4) > 0;
        let at = is_dated.then(|| self.day.at(minute) - back);
        self.store.source.push(Found { key, at, record: json!({}) });
    }

    /// A tick of its own schedule: it comes, or is lost, or comes twice, or late.
    fn schedule(&mut self, minute: usize, outcome: &mut MonitorDay) {
        match self.random.random_range(0..10) {
            0 => outcome.lost += 1,
            1 => {
                outcome.doubled += 1;
                *self.ticks.entry(minute).or_default() += 2;
            }
            2 => {
                let late = minute + self.random.random_range(1..20);
                *self.ticks.entry(late).or_default() += 1;
            }
            _ => *self.ticks.entry(minute).or_default() += 1,
        }
    }

    fn tick(&mut self, now: Timestamp) -> Watch {
        let takes = SignedDuration::from_secs(self.random.random_range(1..1_200));
        let ends = (now + takes, pick(&mut self.random, &ENDS));
        Watch::tick(now, ends, self.random.random_range(0..50) > 0)
    }

    /// Runs that are over note their end; some do it twice, some not at all.
    fn runs_end(&mut self, now: Timestamp) -> Vec<Watch> {
        let is_new = |run: &RunId| !self.told.contains(run);
        let over = self.store.runs.iter().filter(|(run, (at, _))| *at <= now && is_new(run));
        let over: Vec<_> = over.map(|(run, (_, status))| (run.clone(), *status)).collect();
        let mut ends = Vec::new();
        for (run, status) in over {
            self.told.insert(run.clone());
            let many = pick(&mut self.random, &[0, 1, 1, 1, 2]);
            ends.extend((0..many).map(|_| Watch::end(now, run.clone(), status)));
        }
        ends
    }

    /// What goes on at once: the requests come in any order, and each breaks off now and then, or goes on a minute later.
    fn carry_out(&mut self, mut watches: Vec<Watch>, outcome: &mut MonitorDay) {
        while !watches.is_empty() {
            let at = self.random.random_range(0..watches.len());
            let goes_on = watches[at].advance(&mut self.store);
            match self.random.random_range(0..50) {
                _ if !goes_on => _ = watches.swap_remove(at),
                0 => {
                    outcome.broken += 1;
                    watches.swap_remove(at);
                }
                1 | 2 => self.stalled.push(watches.swap_remove(at)),
                _ => {}
            }
        }
    }

    /// The day is over: what is under way comes to its end.
    fn drain(&mut self, outcome: &mut MonitorDay) {
        let mut minute = self.day.minutes();
        for _ in 0..DRAIN {
            let held: usize = self.store.batches.values().map(|(batch, _)| batch.count).sum();
            let is_over = self.store.state.open.is_none() && self.stalled.is_empty();
            if is_over && held >= self.store.source.len() {
                return;
            }
            minute += 1;
            self.passes(minute, outcome);
        }
    }

    fn judge(&self, outcome: &mut MonitorDay) {
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        let mut tries = 0;
        for (batch, content) in self.store.batches.values() {
            tries += batch.attempt as usize;
            let stopped = batch.run_status.as_deref() == Some(RunStatus::Cancelled.as_str());
            match batch.state {
                BatchState::Committed => outcome.committed += 1,
                BatchState::Parked => outcome.parked += 1,
                BatchState::Open => outcome.untrue += 1,
            }
            let is_parked_early =
                batch.state == BatchState::Parked && batch.attempt < MAX_ATTEMPTS && !stopped;
            outcome.untrue += usize::from(is_parked_early);
            for item in content.items.iter().filter(|_| batch.state != BatchState::Open) {
                *times.entry(&item.key).or_default() += 1;
            }
        }
        let once = |found: &&Found| times.get(found.key.as_str()) == Some(&1);
        outcome.untrue += tries.abs_diff(self.store.runs.len());
        outcome.wrong += self.store.source.len() - self.store.source.iter().filter(once).count();
        outcome.items += self.store.source.len();
        outcome.runs += self.store.runs.len();
        outcome.looks += self.store.looks;
    }
}
