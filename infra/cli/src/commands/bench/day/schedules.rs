//! A day of schedules: their ticks come, are lost, come twice or late; runs fail, take too long, wait for people, or cannot begin.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

use countersign_identity::UserId;
use countersign_run::{Occurrence, OccurrenceId, OccurrenceState};
use countersign_schedule::{
    MAX_SCHEDULES, SWEEP_USED, ScheduleId, ScheduleSpec, TASK_ENDS, sweep_share,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::ledger::{Ledger, StoredSchedule, Trouble};
use super::timeline::{Function, Invocation, Timeline};
use super::{Day, MINUTE, id_bytes};
use crate::error::CliError;

/// The function that a tick invokes (`CronSchedule` in the template).
const CLOCK: Function = Function { timeout: SignedDuration::from_secs(60), requests: 24 };
/// How long the sweeper's function may take (`CronSweep` in the template).
const SWEEPER: Duration = Duration::from_secs(60);
/// Of its tasks, the approvals have had their turn; schedules are the first of so many that are left.
const TASKS: usize = 5;
/// What comes late comes before this, after the day.
const LATEST: SignedDuration = SignedDuration::from_hours(1);
/// The longest that is waited for what is not at its end.
const DRAIN: SignedDuration = SignedDuration::from_hours(7 * 24);

const CRONS: [&str; 10] = [
    "*/5 * * * *",
    "*/15 * * * *",
    "*/15 * * * *",
    "7,37 8-18 * * *",
    "0 * * * *",
    "0 * * * *",
    "30 */2 * * *",
    "30 2 * * *",
    "0 6 * * SAT,SUN",
    "59 23 * * *",
];
const ZONES: [&str; 4] = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"];

/// What became of the due times.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ScheduleDay {
    pub(super) schedules: usize,
    pub(super) due: usize,
    pub(super) lost: usize,
    pub(super) doubled: usize,
    pub(super) late: usize,
    /// Ticks and sweeps that broke off, and how often a sweep had no time for all.
    pub(super) broken: usize,
    pub(super) left: usize,
    pub(super) finished: usize,
    pub(super) skipped: usize,
    /// Nobody came in time, or no run could be started for too long.
    pub(super) missed: usize,
    pub(super) not_started: usize,
    /// Runs, repetitions among them, and how many of them were asked for more than once, or ended because they took too long.
    pub(super) runs: usize,
    pub(super) asked_again: usize,
    pub(super) overlong: usize,
    /// Due times without an occurrence, and occurrences that were not due.
    pub(super) wrong: usize,
    /// Occurrences that are not at their end, or at one without a reason or without the runs it has.
    pub(super) untrue: usize,
    /// Runs that are no occurrence's.
    pub(super) stray: usize,
    /// Occurrences of which something is to be said that nobody said.
    pub(super) unsaid: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Event {
    /// So many ticks of a schedule at once.
    Ticks(usize, usize),
    Sweep,
}

/// A deployment with its schedules.
pub(super) struct World {
    pub(super) day: Day,
    pub(super) time: Timeline<Event>,
    pub(super) ledger: RefCell<Ledger>,
    pub(super) outcome: RefCell<ScheduleDay>,
    expected: BTreeSet<OccurrenceId>,
}

/// Lets the day pass.
pub(super) fn pass(day: &Day) -> Result<ScheduleDay, CliError> {
    let mut world = World::new(*day);
    while world.expected.len() < day.due {
        world.add()?;
    }
    world.time.put(day.at(1), Event::Sweep);
    world.time.pass(|event| world.happens(event));
    Ok(world.judged())
}

fn spec(time: &Timeline<Event>) -> Result<ScheduleSpec, CliError> {
    let spec = json!({
        "name": "A day",
        "profile_id": format!("prof_{}", "0".repeat(32)),
        "cron_expression": time.pick(&CRONS),
        "timezone": time.pick(&ZONES),
        "query_template": "What is new?",
        "is_enabled": true,
        "misfire": time.pick(&["skip", "once", "all"]),
        "overlap": time.pick(&["skip", "queue", "allow"]),
        "max_retries": time.below(3),
        "timeout_seconds": time.pick(&[300, 900, 3_600]),
    });
    serde_json::from_value(spec).map_err(|error| CliError::Found(error.to_string()))
}

impl World {
    fn new(day: Day) -> Self {
        Self {
            day,
            time: Timeline::new(day.start, day.random(1)),
            ledger: RefCell::default(),
            outcome: RefCell::default(),
            expected: BTreeSet::new(),
        }
    }

    /// One more schedule, with the ticks that come for it.
    fn add(&mut self) -> Result<(), CliError> {
        let (of, start, end) = (self.ledger.get_mut().count(), self.day.start, self.day.end());
        let (id, spec) = (ScheduleId::from_bytes(id_bytes(of)), spec(&self.time)?);
        let nowhere = || CliError::Found("a schedule of the day is never due".to_owned());
        let times = spec.timetable().ok_or_else(nowhere)?;
        let of_day = std::iter::successors(times.next(start), |due| times.next(*due));
        for due in of_day.take_while(|due| *due <= end) {
            self.expected.insert(OccurrenceId::new(id.as_str(), due));
            self.ticks_for(of, due);
        }
        // As many of each owner as they may have.
        let owner = UserId::from_bytes(id_bytes(of / MAX_SCHEDULES));
        let schedule = StoredSchedule { id, owner, spec, trouble: self.trouble() };
        self.ledger.get_mut().add(schedule, times.next(start));
        self.outcome.get_mut().schedules += 1;
        Ok(())
    }

    /// One of 25 schedules has two hours in which its runs are refused, or nothing answers that could start them.
    fn trouble(&self) -> Option<Trouble> {
        let refuses = match self.time.below(50) {
            0 => true,
            1 => false,
            _ => return None,
        };
        let from = self.day.at(self.time.below(20 * 60));
        Some(Trouble { refuses, hours: from..from + SignedDuration::from_hours(2) })
    }

    fn ticks_for(&mut self, of: usize, due: Timestamp) {
        let on_time = due + self.time.seconds(0..60);
        let outcome = self.outcome.get_mut();
        let tick = |at, many| self.time.put(at, Event::Ticks(of, many));
        match self.time.below(10) {
            0 => outcome.lost += 1,
            1 => {
                outcome.doubled += 1;
                tick(on_time, 2);
            }
            2 => {
                outcome.doubled += 1;
                tick(on_time, 1);
                tick(on_time + self.time.seconds(0..600), 1);
            }
            3 => {
                outcome.late += 1;
                tick(on_time + self.time.seconds(0..1_200), 1);
            }
            _ => tick(on_time, 1),
        }
    }

    fn happens(&self, event: Event) -> Vec<Invocation<'_>> {
        match event {
            Event::Ticks(_, many) if self.day.is_down(self.time.now()) => {
                self.outcome.borrow_mut().lost += many;
                Vec::new()
            }
            Event::Ticks(of, many) => {
                (0..many).map(|_| self.time.invocation(CLOCK, self.ticked(of))).collect()
            }
            Event::Sweep => self.swept_each_minute(),
        }
    }

    async fn ticked(&self, of: usize) {
        // What a tick did not come to, the sweeper does.
        _ = self.tick(of, self.time.now()).await;
    }

    /// A sweep, and the next one in a minute; now and then two meet.
    fn swept_each_minute(&self) -> Vec<Invocation<'_>> {
        let now = self.time.now();
        if self.is_over(now) {
            return Vec::new();
        }
        self.time.put(now + MINUTE, Event::Sweep);
        let many = match self.day.is_down(now) {
            true => 0,
            false => 1 + usize::from(self.time.is_one_of(20)),
        };
        (0..many).map(|_| self.sweeper()).collect()
    }

    fn sweeper(&self) -> Invocation<'_> {
        let share = self.share();
        self.time.invocation(Function { timeout: share, requests: 4_000 }, self.swept(share))
    }

    async fn swept(&self, share: SignedDuration) {
        let now = self.time.now();
        _ = self.sweep(now, now + share.mul_f64(TASK_ENDS)).await;
    }

    /// The time a sweep has for schedules, after approvals have taken theirs.
    fn share(&self) -> SignedDuration {
        let whole = SWEEPER.mul_f64(SWEEP_USED);
        let approvals = Duration::from_secs(self.time.below(20) as u64);
        let share = sweep_share(whole, whole.saturating_sub(approvals), TASKS);
        SignedDuration::try_from(share).unwrap_or(SignedDuration::ZERO)
    }

    /// Whether the day is over, and everything that was due is at its end.
    fn is_over(&self, now: Timestamp) -> bool {
        let end = self.day.end();
        let is_done = || self.ledger.borrow().is_done(end);
        now > end + DRAIN || (now > end + LATEST && is_done())
    }

    fn judged(self) -> ScheduleDay {
        let (end, broken) = (self.day.end(), self.time.broken());
        let ledger = self.ledger.into_inner();
        let of_day: Vec<_> = ledger.occurrences().filter(|one| one.due_at <= end).collect();
        let entered: BTreeSet<&OccurrenceId> = of_day.iter().map(|one| &one.id).collect();
        let expected: BTreeSet<&OccurrenceId> = self.expected.iter().collect();
        let known: usize = ledger.occurrences().map(|one| one.runs.len()).sum();
        let runs = ledger.runs.all().count();
        let not_started = of_day.iter().filter(|one| is_not_started(one)).count();
        ScheduleDay {
            due: expected.len(),
            broken,
            finished: count(&of_day, OccurrenceState::Finished),
            skipped: count(&of_day, OccurrenceState::Skipped),
            missed: count(&of_day, OccurrenceState::Missed) - not_started,
            not_started,
            runs,
            asked_again: ledger.runs.all().filter(|run| run.asked > 1).count(),
            overlong: ledger.runs.all().filter(|run| run.is_stopped).count(),
            wrong: expected.symmetric_difference(&entered).count(),
            untrue: ledger.occurrences().filter(|one| !is_true(&ledger, one)).count(),
            stray: runs.abs_diff(known),
            unsaid: ledger.unsaid(usize::MAX).len(),
            ..self.outcome.into_inner()
        }
    }
}

fn count(all: &[&Occurrence], state: OccurrenceState) -> usize {
    all.iter().filter(|one| one.state == state).count()
}

fn is_not_started(of: &Occurrence) -> bool {
    let is_said = of.reason.as_ref().is_some_and(|reason| reason.code == "NOT_STARTED");
    of.state == OccurrenceState::Missed && is_said
}

/// Whether an occurrence is at its end, and has the runs or the reason that it should have.
fn is_true(ledger: &Ledger, of: &Occurrence) -> bool {
    let ran = |nth: usize| ledger.runs.has(&of.id.run(nth));
    match of.state {
        OccurrenceState::Finished => {
            let is_its_own = |nth: usize| of.runs[nth] == of.id.run(nth) && ran(nth);
            !of.runs.is_empty() && (0..of.runs.len()).all(is_its_own)
        }
        OccurrenceState::Skipped | OccurrenceState::Missed => {
            of.reason.is_some() && of.runs.is_empty() && !ran(0)
        }
        _ => false,
    }
}
