//! A day of monitors: items come, ticks are lost, come twice or late, runs end in every way, are refused, or cannot begin.

use std::cell::{RefCell, RefMut};
use std::collections::BTreeMap;

use countersign_monitor::{
    BatchState, Found, Interval, MAX_ATTEMPTS, MAX_TICKED, MarkKind, MonitorId, Position,
    StartBlocker, TICKED_AGAIN, Timing, Watermark, run_id,
};
use countersign_run::{BatchId, Quota, RunId, RunStatus};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::tables::{Batched, Monitor, Obstacle, Run, Tables};
use super::timeline::{Function, Invocation, Timeline, Unanswered};
use super::watcher::{LATE, STEP, Ticking};
use super::{Day, MINUTE, id_bytes};

/// The function that a tick invokes, and the one at the end of a run (`CronMonitor`, `RunFinish` in the template).
const WATCHER: Function = Function { timeout: SignedDuration::from_secs(120), requests: 16 };
/// What the sweeper's function leaves for monitors.
const SWEEPER: Function = Function { timeout: SignedDuration::from_secs(20), requests: 200 };
/// The longest that is waited for what is under way: who looks once a day tries a batch once a day, three times.
const DRAIN: SignedDuration = SignedDuration::from_hours(90 * 24);

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
    /// How often the run of a batch could not be started, and batches that were parked for it.
    pub(super) not_started: usize,
    pub(super) refused: usize,
    /// Items that are not in exactly one closed batch.
    pub(super) wrong: usize,
    /// Batches that are open, parked without three tries, have other runs than their tries, or whose line is not at its end.
    pub(super) untrue: usize,
    /// How often a monitor had two open batches.
    pub(super) two_open: usize,
}

#[derive(Debug)]
pub(super) enum Event {
    /// Something new comes.
    Item(usize),
    /// A monitor's own schedule ticks.
    Native(usize),
    Tick(usize),
    /// A run ends.
    Ends(usize, RunId),
    Sweep,
}

/// A deployment with its monitors.
pub(super) struct Monitors {
    day: Day,
    pub(super) time: Timeline<Event>,
    pub(super) tables: RefCell<Tables>,
    outcome: RefCell<MonitorDay>,
}

/// Lets the day pass for so many monitors.
pub(super) fn pass(day: &Day, monitors: usize) -> MonitorDay {
    let mut world = Monitors {
        day: *day,
        time: Timeline::new(day.start, day.random(1_000)),
        tables: RefCell::default(),
        outcome: RefCell::default(),
    };
    (0..monitors).for_each(|nth| world.add(nth));
    world.time.put(day.at(1), Event::Sweep);
    world.time.pass(|event| world.happens(event));
    world.judged()
}

impl Monitors {
    fn add(&mut self, nth: usize) {
        let interval = self.time.pick(&INTERVALS);
        let mut mark = Watermark::new(STEP);
        mark.position = Some(Position::start(MarkKind::Cursor));
        let timing = Timing { interval, hours: self.hours(), suppress_if_empty: true };
        let id = MonitorId::from_bytes(id_bytes(nth));
        let obstacle =
            self.time.pick(&[Some(Obstacle::Refusal), Some(Obstacle::Quota), None, None]);
        let obstacle = obstacle.filter(|_| self.time.is_one_of(5));
        let monitor = Monitor::new(id, timing, mark, obstacle);
        self.tables.get_mut().add(monitor, self.day.start);
        let first = self.time.seconds(0..60 * i64::from(interval.minutes()));
        self.time.put(self.day.start + first, Event::Native(nth));
        self.time.put(self.day.start + self.until_next(), Event::Item(nth));
    }

    /// One of five has hours of its own.
    fn hours(&self) -> Option<countersign_monitor::ActiveHours> {
        let hours = json!({ "start": "08:00", "end": "18:30", "timezone": "Europe/Berlin" });
        self.time.is_one_of(5).then(|| serde_json::from_value(hours).ok()).flatten()
    }

    /// About every two hours something new comes.
    fn until_next(&self) -> SignedDuration {
        self.time.seconds(60..4 * 3_600)
    }

    pub(super) fn counts(&self) -> RefMut<'_, MonitorDay> {
        self.outcome.borrow_mut()
    }

    fn happens(&self, event: Event) -> Vec<Invocation<'_>> {
        match event {
            Event::Item(nth) => self.arrive(nth),
            Event::Native(nth) => self.native(nth),
            Event::Tick(nth) => self.ticks(nth, 1),
            Event::Ends(nth, run) => self.ends(nth, &run),
            Event::Sweep => self.swept_each_minute(),
        }
    }

    /// An item comes, dated before now by less than the overlap, or without a date.
    fn arrive(&self, nth: usize) -> Vec<Invocation<'_>> {
        let now = self.time.now();
        if now <= self.day.end() {
            let back = self.time.seconds(0..60 * LATE);
            let at = (!self.time.is_one_of(4)).then(|| now - back);
            self.time.put(now + self.until_next(), Event::Item(nth));
            let mut tables = self.tables.borrow_mut();
            let source = &mut tables.monitors[nth].source;
            let key = format!("item-{}", source.len());
            source.push(Found { key, at, record: json!({}) });
        }
        Vec::new()
    }

    /// A tick of its own schedule: it comes, or is lost, or comes twice, or late. A monitor that has done its day's work is
    /// switched off.
    fn native(&self, nth: usize) -> Vec<Invocation<'_>> {
        let now = self.time.now();
        if now > self.day.end() && self.is_finished(nth) {
            self.tables.borrow_mut().switch_off(nth);
            return Vec::new();
        }
        let interval = self.tables.borrow().monitors[nth].timing.interval;
        self.time.put(now + interval.length(), Event::Native(nth));
        match self.time.below(10) {
            0 => self.lose(1),
            1 => {
                self.counts().doubled += 1;
                self.ticks(nth, 2)
            }
            2 => {
                self.time.put(now + self.time.seconds(60..1_200), Event::Tick(nth));
                Vec::new()
            }
            _ => self.ticks(nth, 1),
        }
    }

    /// Whether a monitor has done its day's work, or has had all the time there is.
    fn is_finished(&self, nth: usize) -> bool {
        let is_done = self.tables.borrow().monitors[nth].is_done();
        is_done || self.time.now() > self.day.end() + DRAIN
    }

    fn lose(&self, many: usize) -> Vec<Invocation<'_>> {
        self.counts().lost += many;
        Vec::new()
    }

    fn ticks(&self, nth: usize, many: usize) -> Vec<Invocation<'_>> {
        if self.day.is_down(self.time.now()) {
            return self.lose(many);
        }
        self.counts().ticks += many;
        (0..many).map(|_| self.time.invocation(WATCHER, self.ticked(nth))).collect()
    }

    async fn ticked(&self, nth: usize) {
        // What a tick did not come to, the next one does.
        _ = Ticking { world: self, nth, now: self.time.now() }.tick().await;
    }

    /// A run that is over notes its end; some do it twice, some not at all.
    fn ends(&self, nth: usize, run: &RunId) -> Vec<Invocation<'_>> {
        let many = self.time.pick(&[0, 1, 1, 1, 2]);
        let end = |_| self.time.invocation(WATCHER, self.ended(nth, run.clone()));
        (0..many).map(end).collect()
    }

    async fn ended(&self, nth: usize, id: RunId) {
        let ticking = Ticking { world: self, nth, now: self.time.now() };
        if let Ok(Some(run)) = self.run(nth, &id).await {
            _ = ticking.ended(&run.batch, &id, run.status).await;
        }
    }

    fn swept_each_minute(&self) -> Vec<Invocation<'_>> {
        let (now, end) = (self.time.now(), self.day.end());
        if now > end + DRAIN || (now > end && self.tables.borrow().is_over()) {
            return Vec::new();
        }
        self.time.put(now + MINUTE, Event::Sweep);
        match self.day.is_down(now) {
            true => Vec::new(),
            false => vec![self.time.invocation(SWEEPER, self.swept())],
        }
    }

    async fn swept(&self) {
        _ = self.sweep(self.time.now()).await;
    }

    /// Has overdue monitors ticked, in the order of the requests of `functions/cron-sweep` (`monitors.rs`).
    async fn sweep(&self, now: Timestamp) -> Result<(), Unanswered> {
        let overdue = self.overdue(now, MAX_TICKED + 1).await?;
        for clock in overdue.into_iter().take(MAX_TICKED) {
            _ = self.tick_overdue(clock, now).await;
        }
        Ok(())
    }

    async fn tick_overdue(
        &self,
        clock: (Timestamp, usize),
        now: Timestamp,
    ) -> Result<(), Unanswered> {
        if self.put_off(clock, now + TICKED_AGAIN).await? {
            self.call(clock.1, now).await?;
        }
        Ok(())
    }

    /// Why no run of a monitor begins at the moment.
    pub(super) fn obstacle(&self, nth: usize) -> Option<StartBlocker> {
        let until = Quota::runs(1).exceeded(self.time.now()).anew;
        let is_late = until.duration_since(self.time.now()) < SignedDuration::from_hours(1);
        match self.tables.borrow().monitors[nth].obstacle? {
            Obstacle::Refusal => (!self.time.is_one_of(4)).then_some(StartBlocker::Refused),
            Obstacle::Quota => is_late.then_some(StartBlocker::UsedUp { until }),
        }
    }

    /// A run takes up to twenty minutes.
    pub(super) fn drawn(&self, batch: &BatchId) -> Run {
        let ends = self.time.now() + self.time.seconds(1..1_200);
        Run { ends, status: self.time.pick(&ENDS), batch: batch.clone() }
    }

    fn judged(self) -> MonitorDay {
        let broken = self.time.broken();
        let tables = self.tables.into_inner();
        let mut outcome = self.outcome.into_inner();
        outcome.monitors = tables.monitors.len();
        (outcome.broken, outcome.two_open) = (broken, tables.two_open);
        for monitor in &tables.monitors {
            judge(monitor, &mut outcome);
        }
        outcome
    }
}

fn judge(of: &Monitor, outcome: &mut MonitorDay) {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for batched in of.batches.values() {
        outcome.untrue += usize::from(!is_true(of, batched));
        outcome.refused += usize::from(is_refused(batched));
        match batched.batch.state {
            BatchState::Committed => outcome.committed += 1,
            BatchState::Parked => outcome.parked += 1,
            BatchState::Open => continue,
        }
        for item in &batched.content.items {
            *times.entry(&item.key).or_default() += 1;
        }
    }
    let once = |found: &&Found| times.get(found.key.as_str()) == Some(&1);
    let tries: usize = of.batches.values().map(|one| tries(one) as usize).sum();
    outcome.untrue += tries.abs_diff(of.runs.len());
    outcome.wrong += of.source.len() - of.source.iter().filter(once).count();
    outcome.items += of.source.len();
    outcome.runs += of.runs.len();
}

/// Whether a batch was parked because its run was refused too often.
fn is_refused(of: &Batched) -> bool {
    of.batch.state == BatchState::Parked && of.batch.refusals >= MAX_ATTEMPTS
}

/// How many runs a batch has had: the one that was refused is none.
fn tries(of: &Batched) -> u32 {
    of.batch.attempt - u32::from(is_refused(of))
}

/// Whether a batch is closed, for a reason that there may be, and has the runs that it should have.
fn is_true(of: &Monitor, batched: &Batched) -> bool {
    let Batched { batch, occurrence, .. } = batched;
    let is_cancelled = batch.run_status.as_deref() == Some(RunStatus::Cancelled.as_str());
    let may_be_parked = is_cancelled || is_refused(batched) || batch.attempt >= MAX_ATTEMPTS;
    let is_closed = match batch.state {
        BatchState::Open => false,
        BatchState::Committed => true,
        BatchState::Parked => may_be_parked,
    };
    let has_run = |attempt| of.runs.contains_key(&run_id(&batch.id, attempt));
    is_closed && (1..=tries(batched)).all(has_run) && occurrence.state.is_final()
}
