//! What a tick of a monitor's clock has to do.

use std::collections::BTreeMap;

use countersign_run::{BatchId, RunId};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::batch::Batch;
use crate::failing::{Failing, InPart};
use crate::looks::{Looks, looks_with};
use crate::mark::Watermark;
use crate::noticed::{LookWarnings, StepsChanged};
use crate::outcome::TickOutcome;
use crate::parked::LastParked;
use crate::timing::Timing;

/// How long a batch whose run failed rests (F-218).
const REST: SignedDuration = SignedDuration::from_secs(30);

/// The batch that is not processed yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open {
    /// It.
    pub batch: BatchId,
    /// Its number.
    pub number: u64,
    /// The run that has it.
    pub run: RunId,
    /// Set when that run failed: the next one starts at a tick after this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<Timestamp>,
}

/// Where a monitor stands, beside its watermarks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// How many batches it has had.
    #[serde(default)]
    pub batches: u64,
    /// The batch that is not processed yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<Open>,
    /// When its clock ticked last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_tick_at: Option<Timestamp>,
    /// What that came to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_outcome: Option<TickOutcome>,
    /// What the last ticks came to, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<Looks>,
    /// Why, when it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// After a first failed look: when it is tried once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Timestamp>,
    /// Since when it fails at each tick.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing: Option<Failing>,
    /// Since when one of its steps cannot look while others can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_part: Option<InPart>,
    /// The batch that was parked last because its run was refused, until its owner is told of it once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parked: Option<LastParked>,
    /// What could not be read when the steps looked last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<LookWarnings>,
    /// The last time that its detection steps were others than before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps_changed: Option<StepsChanged>,
    /// When detection steps looked that found nothing, where that is later than their watermarks say.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub quiet: BTreeMap<String, Timestamp>,
    /// Raised by every change.
    #[serde(default)]
    pub version: u64,
}

impl State {
    /// The same after a look that failed. The first failure does not count as a tick: it is tried once more, soon (F-218).
    #[must_use]
    pub fn failed(&self, error: &str, at: Timestamp) -> Self {
        let again = self.last_outcome == Some(TickOutcome::Failed);
        Self {
            last_tick_at: if again { Some(at) } else { self.last_tick_at },
            retry_at: if again { None } else { Some(retry_after(at)) },
            last_error: Some(shown(error)),
            failing: Some(Failing::again(self.failing.as_ref(), at)),
            ..self.ticked(TickOutcome::Failed, at)
        }
    }

    /// The same after a look in which a step failed, and the others found nothing.
    #[must_use]
    pub fn failed_in_part(&self, error: &str, at: Timestamp) -> Self {
        let in_part = InPart::again(self.in_part.as_ref(), shown(error), at);
        Self { failing: None, in_part: Some(in_part), ..self.failed(error, at) }
    }

    /// The same after a look in which a step failed, and the others found this batch.
    #[must_use]
    pub fn opened_in_part(&self, batch: &Batch, error: &str, at: Timestamp) -> Self {
        let in_part = InPart::again(self.in_part.as_ref(), shown(error), at);
        Self { in_part: Some(in_part), ..self.opened(batch, at) }
    }

    /// The same after a tick that could not start the run of the open batch. It counts as a tick: what is refused now is refused in a
    /// moment as well.
    #[must_use]
    pub fn not_started(
        &self,
        error: &str,
        why: StartBlocker,
        timing: &Timing,
        at: Timestamp,
    ) -> Self {
        let next = at.checked_add(timing.interval.length()).unwrap_or(at);
        let retry_at = match why {
            StartBlocker::Refused => None,
            StartBlocker::UsedUp { until } => Some(until).filter(|until| *until < next),
            StartBlocker::Unanswered => Some(retry_after(at)),
        };
        Self {
            retry_at,
            last_error: Some(shown(error)),
            failing: Some(Failing::again(self.failing.as_ref(), at)),
            ..self.ticked(TickOutcome::Failed, at)
        }
    }

    /// When the next tick is overdue: a minute after it is due; after a first failure, soon; outside the active hours, when they
    /// begin, if that is before. A clock whose own ticks all lie outside them would never look.
    #[must_use]
    pub fn overdue_at(&self, timing: &Timing, now: Timestamp) -> Timestamp {
        let long = timing.interval.length() + SignedDuration::from_mins(1);
        let due = self.retry_at.or_else(|| now.checked_add(long).ok()).unwrap_or(now);
        let is_outside = self.last_outcome == Some(TickOutcome::OutsideActiveHours);
        let opening = timing.hours.as_ref().filter(|_| is_outside);
        opening.and_then(|hours| hours.opening_after(now)).map_or(due, |opening| opening.min(due))
    }

    /// The same after a look that found this batch.
    #[must_use]
    pub fn opened(&self, batch: &Batch, at: Timestamp) -> Self {
        let (id, run) = (batch.id.clone(), batch.run.clone());
        let open = Open { batch: id, number: batch.number, run, retry_after: None };
        let ticked = self.ticked(TickOutcome::Started, at);
        let batches = batch.number;
        Self { batches, open: Some(open), failing: None, in_part: None, ..ticked }
    }

    /// The same after a look that found nothing, and the watermarks that are to be written. A watermark of which only the
    /// time has changed is not: it may remember thousands of items, and its time is noted here.
    #[must_use]
    pub fn found_nothing(
        mut self,
        before: &BTreeMap<String, Watermark>,
        after: &[Watermark],
    ) -> (Self, Vec<Watermark>) {
        self.quiet.retain(|step, _| before.contains_key(step));
        let mut changed = Vec::new();
        for mark in after {
            let known = before.get(&mark.step_name);
            let is_same = known.is_some_and(|known| {
                (known.version, &known.metadata) == (mark.version, &mark.metadata)
            });
            match mark.last_checked_at.filter(|_| is_same) {
                Some(at) => _ = self.quiet.insert(mark.step_name.clone(), at),
                None => changed.push(mark.clone()),
            }
        }
        (self, changed)
    }

    /// Gives watermarks the times of the looks since they were written.
    pub fn complete(&self, marks: &mut BTreeMap<String, Watermark>) {
        for (step, at) in &self.quiet {
            let mark = marks.get_mut(step).filter(|mark| mark.last_checked_at < Some(*at));
            if let Some(mark) = mark {
                (mark.last_checked_at, mark.items_found_last) = (Some(*at), 0);
            }
        }
    }

    /// Since when it, or one of its steps, fails.
    #[must_use]
    pub fn failing_since(&self) -> Option<Timestamp> {
        let in_part = self.in_part.as_ref().map(|in_part| in_part.failing.since);
        self.failing.as_ref().map(|failing| failing.since).into_iter().chain(in_part).min()
    }

    /// The same after a tick. One outside the active hours does not count: the next one, at their beginning, may be close.
    #[must_use]
    pub fn ticked(&self, outcome: TickOutcome, at: Timestamp) -> Self {
        let is_outside = outcome == TickOutcome::OutsideActiveHours;
        Self {
            last_tick_at: if is_outside { self.last_tick_at } else { Some(at) },
            last_outcome: Some(outcome),
            looks: looks_with(&self.looks, outcome, at),
            last_error: None,
            retry_at: None,
            failing: self.failing.clone().filter(|_| !outcome.is_well()),
            in_part: self.in_part.clone().filter(|_| !outcome.is_whole()),
            version: self.version + 1,
            ..self.clone()
        }
    }
}

/// So much of a reason is kept.
fn shown(error: &str) -> String {
    error.chars().take(500).collect()
}

/// Why the run of a batch is not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartBlocker {
    /// As things are, it is refused.
    Refused,
    /// Its owner may start runs again from then on.
    UsedUp {
        /// When the quota begins anew.
        until: Timestamp,
    },
    /// Something does not answer, which may pass at any moment.
    Unanswered,
}

/// What a tick has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Due {
    /// Nothing: it ticked a moment ago.
    Nothing,
    /// Nothing, and that is to be noted.
    OutsideHours,
    /// See that the run of the open batch has been started.
    Resume(Open),
    /// Start the next run of the open batch.
    Retry(Open),
    /// Look.
    Look,
}

/// What a tick has to do. One that a person asks for heeds neither interval nor hours (F-216).
#[must_use]
pub fn tick(state: &State, timing: &Timing, is_asked_for: bool, now: Timestamp) -> Due {
    if let Some(open) = &state.open {
        let is_closed = !is_asked_for && !timing.is_open(now);
        return match open.retry_after {
            Some(after) if !is_asked_for && is_ahead(after, REST, now) => Due::Nothing,
            Some(_) if is_closed => Due::OutsideHours,
            Some(_) => Due::Retry(open.clone()),
            None if !is_asked_for && is_resting(state, timing, now) => Due::Nothing,
            None => Due::Resume(open.clone()),
        };
    }
    if is_asked_for {
        return Due::Look;
    }
    // Two clocks tick a monitor: the schedule, and the sweeper where that did not.
    let long = timing.interval.length() / 2;
    let is_soon = match state.retry_at {
        Some(retry_at) => is_ahead(retry_at, REST, now),
        None => state.last_tick_at.is_some_and(|last| is_recent(last, long, now)),
    };
    match (is_soon, timing.is_open(now)) {
        (true, _) => Due::Nothing,
        (false, false) => Due::OutsideHours,
        (false, true) => Due::Look,
    }
}

/// Whether the run of the open batch could not be started, and it is not time yet to try again.
fn is_resting(state: &State, timing: &Timing, now: Timestamp) -> bool {
    let long = timing.interval.length();
    state.last_outcome == Some(TickOutcome::Failed)
        && match state.retry_at {
            Some(retry_at) => is_ahead(retry_at, long, now),
            None => state.last_tick_at.is_some_and(|last| is_recent(last, long / 2, now)),
        }
}

/// Whether this moment is to come, and not further ahead than it was set: a clock that was ahead has set it otherwise.
fn is_ahead(at: Timestamp, most: SignedDuration, now: Timestamp) -> bool {
    now < at && at.duration_since(now) <= most
}

/// Whether this was less than so long ago. What is still to come was noted by a clock that was ahead, and means nothing.
fn is_recent(at: Timestamp, long: SignedDuration, now: Timestamp) -> bool {
    now.duration_since(at).abs() < long
}

/// When a batch whose run failed now is tried again.
pub(crate) fn retry_after(now: Timestamp) -> Timestamp {
    now.checked_add(REST).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use countersign_schedule::TimeZoneName;

    use super::*;
    use crate::hours::ActiveHours;
    use crate::mark::{MarkKind, Position};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn issue_14_a_clock_that_was_ahead_keeps_no_monitor_from_looking() {
        let (now, year) = (at(100_000_000), 365 * 24 * 3600);
        let due = |state: &State| tick(state, &Timing::unknown(), false, now);
        let last = |second| State { last_tick_at: Some(at(second)), ..State::default() };
        assert_eq!(due(&last(100_000_000 - 1_799)), Due::Nothing);
        assert_eq!(due(&last(100_000_010)), Due::Nothing, "clocks are not exact");
        assert_eq!(due(&last(100_000_000 + year)), Due::Look);
        let failed = |second| State::default().failed("down", at(second));
        assert_eq!(due(&failed(100_000_000)), Due::Nothing);
        assert_eq!(due(&failed(100_000_000 + year)), Due::Look);
        let batch = Batch::found(
            &countersign_run::MonitorId::from_bytes([1; 16]),
            &State::default(),
            1,
            BTreeMap::new(),
            now,
        );
        let waits = |after: Timestamp| {
            let state = State::default().opened(&batch, now);
            let open = state.open.clone().map(|open| Open { retry_after: Some(after), ..open });
            due(&State { open, ..state })
        };
        assert_eq!(waits(at(100_000_030)), Due::Nothing);
        assert!(matches!(waits(at(100_000_000 + year)), Due::Retry(_)));
    }

    #[test]
    fn f_210_outside_its_hours_a_batch_that_failed_is_not_tried_again() {
        // 100,000,000 is 09:46:40 in UTC.
        let now = at(100_000_000);
        let hours = |start: &str, end: &str| ActiveHours {
            start: start.parse().unwrap(),
            end: end.parse().unwrap(),
            timezone: TimeZoneName::default(),
        };
        let monitor = countersign_run::MonitorId::from_bytes([1; 16]);
        let batch = Batch::found(&monitor, &State::default(), 1, BTreeMap::new(), now);
        let state = State::default().opened(&batch, now);
        let open =
            state.open.clone().map(|open| Open { retry_after: Some(at(99_999_000)), ..open });
        let state = State { open, ..state };
        let due = |start: &str, end: &str, is_asked_for| {
            let timing = Timing { hours: Some(hours(start, end)), ..Timing::unknown() };
            tick(&state, &timing, is_asked_for, now)
        };
        assert!(matches!(due("09:00", "10:00", false), Due::Retry(_)));
        assert_eq!(due("10:00", "11:00", false), Due::OutsideHours);
        assert!(matches!(due("10:00", "11:00", true), Due::Retry(_)), "F-216");
    }

    #[test]
    fn f_212_a_look_that_finds_nothing_writes_no_watermark() {
        let known = Watermark::new("known").moved(Position::start(MarkKind::Cursor), at(1));
        let known = known.looked(3, at(1));
        let before = BTreeMap::from([("known".to_owned(), known.clone())]);
        let looked = |mark: &Watermark, second| mark.clone().looked(0, at(second));
        let after = [looked(&known, 9), looked(&Watermark::new("new"), 9)];
        let (state, changed) = State::default().found_nothing(&before, &after);
        assert_eq!(changed, [after[1].clone()]);
        let mut read = before;
        state.complete(&mut read);
        assert_eq!(read["known"], after[0]);
        let mut written_since = BTreeMap::from([("known".to_owned(), known.looked(2, at(10)))]);
        state.complete(&mut written_since);
        assert_eq!(written_since["known"].items_found_last, 2);
        let (state, _) = state.found_nothing(&BTreeMap::new(), &[]);
        assert_eq!(state.quiet, BTreeMap::new(), "a watermark that is gone is forgotten");
    }
}
