//! A day of schedules: their ticks come, are lost, come twice or late, and break off.

use std::collections::{BTreeMap, BTreeSet};

use countersign_run::{Occurrence, OccurrenceId, OccurrenceState};
use countersign_schedule::ScheduleSpec;
use jiff::{SignedDuration, Timestamp};
use rand::RngExt as _;
use rand::rngs::StdRng;
use serde_json::json;

use super::clock::{Tick, follow_all};
use super::ledger::Ledger;
use super::{Day, pick};
use crate::error::CliError;

/// How many overdue schedules one sweep ticks.
const MAX_OVERDUE: usize = 200;
/// The longest that is waited for what is not at its end, in minutes.
const DRAIN: usize = 3 * 24 * 60;

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
    pub(super) broken: usize,
    pub(super) finished: usize,
    pub(super) skipped: usize,
    pub(super) missed: usize,
    /// Runs, repetitions among them, and how many of them were asked for more than once.
    pub(super) runs: usize,
    pub(super) asked_again: usize,
    /// Due times without an occurrence, and occurrences that were not due.
    pub(super) wrong: usize,
    /// Occurrences that are not at their end, or at one without a reason or without the runs it has.
    pub(super) untrue: usize,
    /// Runs that are no occurrence's.
    pub(super) stray: usize,
}

enum Event {
    /// So many ticks of a schedule at once.
    Ticks(usize, usize),
    Sweep,
}

/// The events to come, by time.
#[derive(Default)]
struct Agenda {
    events: BTreeMap<(Timestamp, usize), Event>,
    counted: usize,
}

impl Agenda {
    fn put(&mut self, at: Timestamp, event: Event) {
        self.counted += 1;
        self.events.insert((at, self.counted), event);
    }
}

struct World<'d> {
    day: &'d Day,
    ledger: Ledger,
    random: StdRng,
    agenda: Agenda,
    expected: BTreeSet<OccurrenceId>,
    outcome: ScheduleDay,
}

/// Lets the day pass.
pub(super) fn pass(day: &Day) -> Result<ScheduleDay, CliError> {
    let mut world = World {
        day,
        ledger: Ledger::default(),
        random: day.random(1),
        agenda: Agenda::default(),
        expected: BTreeSet::new(),
        outcome: ScheduleDay::default(),
    };
    while world.expected.len() < day.due {
        world.add()?;
    }
    for minute in 1..=day.minutes() {
        if !day.is_down(day.at(minute)) {
            world.agenda.put(day.at(minute), Event::Sweep);
        }
    }
    world.run();
    world.drain();
    Ok(world.judged())
}

fn spec(random: &mut StdRng) -> Result<ScheduleSpec, CliError> {
    let spec = json!({
        "name": "A day",
        "profile_id": format!("prof_{}", "0".repeat(32)),
        "cron_expression": pick(random, &CRONS),
        "timezone": pick(random, &ZONES),
        "query_template": "What is new?",
        "is_enabled": true,
        "misfire": pick(random, &["skip", "once", "all"]),
        "overlap": pick(random, &["skip", "queue", "allow"]),
        "max_retries": random.random_range(0..3),
    });
    serde_json::from_value(spec).map_err(|error| CliError::Found(error.to_string()))
}

impl World<'_> {
    /// One more schedule, with the ticks that come for it.
    fn add(&mut self) -> Result<(), CliError> {
        let (nth, start) = (self.ledger.schedules.len(), self.day.start);
        let spec = spec(&mut self.random)?;
        let id = format!("sched_{nth:032x}");
        let nowhere = || CliError::Found("a schedule of the day is never due".to_owned());
        let times = spec.timetable().ok_or_else(nowhere)?;
        let of_day = std::iter::successors(times.next(start), |due| times.next(*due));
        for due in of_day.take_while(|due| *due <= self.day.end()) {
            self.expected.insert(OccurrenceId::new(&id, due));
            self.ticks_for(nth, due);
        }
        self.ledger.add(id, spec, times.next(start));
        self.outcome.schedules += 1;
        Ok(())
    }

    fn ticks_for(&mut self, of: usize, due: Timestamp) {
        let seconds =
            |random: &mut StdRng, most| SignedDuration::from_secs(random.random_range(0..most));
        let on_time = due + seconds(&mut self.random, 60);
        if self.day.is_down(on_time) {
            self.outcome.lost += 1;
            return;
        }
        match self.random.random_range(0..10) {
            0 => self.outcome.lost += 1,
            1 => {
                self.outcome.doubled += 1;
                self.agenda.put(on_time, Event::Ticks(of, 2));
            }
            2 => {
                self.outcome.doubled += 1;
                let again = on_time + seconds(&mut self.random, 600);
                self.agenda.put(on_time, Event::Ticks(of, 1));
                self.agenda.put(again, Event::Ticks(of, 1));
            }
            3 => {
                self.outcome.late += 1;
                let late = on_time + seconds(&mut self.random, 1_200);
                self.agenda.put(late, Event::Ticks(of, 1));
            }
            _ => self.agenda.put(on_time, Event::Ticks(of, 1)),
        }
    }

    fn run(&mut self) {
        while let Some(((now, _), event)) = self.agenda.events.pop_first() {
            match event {
                Event::Ticks(of, many) => self.tick(of, many, now),
                Event::Sweep => self.sweep(now, now),
            }
        }
    }

    /// Ticks at once: their requests come in any order, and each tick breaks off now and then.
    fn tick(&mut self, of: usize, many: usize, now: Timestamp) {
        let mut ticks: Vec<Tick> = (0..many).map(|_| Tick::new(of, now)).collect();
        while !ticks.is_empty() {
            let at = self.random.random_range(0..ticks.len());
            let goes_on = ticks[at].advance(&mut self.ledger, &mut self.random);
            let breaks_off = self.random.random_range(0..100) == 0;
            self.outcome.broken += usize::from(goes_on && breaks_off);
            if !goes_on || breaks_off {
                ticks.swap_remove(at);
            }
        }
    }

    /// Ticks for what was due by `until` and follows the rest; now and then two sweeps meet.
    fn sweep(&mut self, now: Timestamp, until: Timestamp) {
        for of in self.ledger.overdue(until, MAX_OVERDUE) {
            let many = 1 + usize::from(self.random.random_range(0..5) == 0);
            self.tick(of, many, now);
        }
        follow_all(&mut self.ledger, now, &mut self.random);
    }

    /// The day is over: sweeps bring what is left to its end.
    fn drain(&mut self) {
        let mut minute = self.day.minutes();
        for _ in 0..DRAIN {
            if self.ledger.open(None, 1).is_empty()
                && self.ledger.overdue(self.day.end(), 1).is_empty()
            {
                return;
            }
            minute += 1;
            self.sweep(self.day.at(minute), self.day.end());
        }
    }

    fn judged(mut self) -> ScheduleDay {
        let end = self.day.end();
        let entered: BTreeSet<OccurrenceId> = self
            .ledger
            .occurrences()
            .filter(|one| one.due_at <= end)
            .map(|one| one.id.clone())
            .collect();
        let mut outcome = std::mem::take(&mut self.outcome);
        outcome.due = self.expected.len();
        outcome.wrong = self.expected.symmetric_difference(&entered).count();
        outcome.finished = self.ledger.count(OccurrenceState::Finished);
        outcome.skipped = self.ledger.count(OccurrenceState::Skipped);
        outcome.missed = self.ledger.count(OccurrenceState::Missed);
        outcome.runs = self.ledger.runs.len();
        outcome.asked_again = self.ledger.runs.values().filter(|run| run.asked > 1).count();
        outcome.untrue = self.ledger.occurrences().filter(|one| !self.is_true(one)).count();
        let known: usize = self.ledger.occurrences().map(|one| one.runs.len()).sum();
        outcome.stray = outcome.runs.abs_diff(known);
        outcome
    }

    /// Whether an occurrence is at its end, and has the runs or the reason that it should have.
    fn is_true(&self, of: &Occurrence) -> bool {
        let ran = |nth: usize| self.ledger.runs.contains_key(&of.id.run(nth));
        match of.state {
            OccurrenceState::Finished => {
                !of.runs.is_empty()
                    && (0..of.runs.len()).all(|nth| of.runs[nth] == of.id.run(nth) && ran(nth))
            }
            OccurrenceState::Skipped | OccurrenceState::Missed => {
                of.reason.is_some() && of.runs.is_empty() && !ran(0)
            }
            _ => false,
        }
    }
}
