//! When a request ends, and what happens before (K-12, K-14, K-16).

use countersign_identity::UserId;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where people see the request, which decides how long it waits unless the gate says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Waiting {
    /// A session shows it to whoever may decide: 120 seconds. Only for a request of which a session says so; no
    /// gate of a run uses it, because no session of a run does.
    Interactive,
    /// It lies in a queue: 24 hours.
    Queue,
    /// It was mailed: 7 days.
    Mail,
}

impl Waiting {
    /// How long a request waits by default.
    #[must_use]
    pub fn lifetime(self) -> SignedDuration {
        match self {
            Self::Interactive => SignedDuration::from_secs(120),
            Self::Queue => SignedDuration::from_hours(24),
            Self::Mail => SignedDuration::from_hours(7 * 24),
        }
    }
}

/// The longest a gate may wait: an execution lives at most a year, a gate at most 300 days of it.
pub(crate) const MAX_DURATION: SignedDuration = SignedDuration::from_hours(300 * 24);

/// Below this lifetime nobody is reminded.
const WORTH_A_REMINDER: SignedDuration = SignedDuration::from_hours(2);

/// Who is asked in addition when time passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ApprovalEscalation")]
pub struct Escalation {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub to: Vec<UserId>,
}

/// Deadline, reminders and escalation. There is always a deadline, and passing it is a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ApprovalTiming")]
pub struct Timing {
    /// From this instant on nobody can decide any more.
    pub deadline: Timestamp,
    /// When to remind those who have not answered.
    #[serde(default)]
    pub reminders: Vec<Timestamp>,
    /// Who is asked in addition, and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalation: Option<Escalation>,
}

impl Timing {
    /// The timing of a gate opened `now`: `minutes` when the gate says so, else what `waiting` gives. Longer than 300
    /// days becomes 300 days. One reminder at three quarters of the time, when that is worth a mail.
    #[must_use]
    pub fn starting(now: Timestamp, minutes: Option<u32>, waiting: Waiting) -> Self {
        let wanted = minutes.map_or_else(
            || waiting.lifetime(),
            |minutes| SignedDuration::from_mins(minutes.into()),
        );
        let lifetime = wanted.min(MAX_DURATION);
        let reminders = reminder(now, lifetime).into_iter().collect();
        Self { deadline: later(now, lifetime), reminders, escalation: None }
    }

    /// The same with another deadline: what was reminded of stays, and the next reminder comes at three quarters of the time that
    /// is left now.
    #[must_use]
    pub(crate) fn moved(&self, now: Timestamp, deadline: Timestamp) -> Self {
        let past = self.reminders.iter().copied().filter(|at| *at <= now);
        let reminders = past.chain(reminder(now, deadline.duration_since(now))).collect();
        Self { deadline, reminders, escalation: self.escalation.clone() }
    }

    /// The same with people who are asked in addition: after `minutes`, else at half of the time. Nobody, or not before the
    /// deadline, is no escalation.
    #[must_use]
    pub fn escalating(self, now: Timestamp, minutes: Option<u32>, to: Vec<UserId>) -> Self {
        let half = self.deadline.duration_since(now) / 2;
        let after = minutes.map_or(half, |minutes| SignedDuration::from_mins(minutes.into()));
        let at = later(now, after);
        let is_in_time = !to.is_empty() && at < self.deadline;
        Self { escalation: is_in_time.then_some(Escalation { at, to }), ..self }
    }
}

/// When to remind within this time; not at all when it is not worth a mail.
fn reminder(now: Timestamp, time: SignedDuration) -> Option<Timestamp> {
    (time >= WORTH_A_REMINDER).then(|| later(now, time / 4 * 3))
}

/// `now + duration`; the end of time when there is no such instant.
pub(crate) fn later(now: Timestamp, duration: SignedDuration) -> Timestamp {
    now.checked_add(duration).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(minutes: Option<u32>, people: usize, expect: Option<i64>) {
        let now = Timestamp::UNIX_EPOCH;
        let to = vec![UserId::from_bytes([1; 16]); people];
        let timing = Timing::starting(now, Some(600), Waiting::Mail).escalating(now, minutes, to);
        let at = timing.escalation.map(|escalation| escalation.at.as_second() / 60);
        assert_eq!(at, expect, "{minutes:?} {people}");
    }

    #[test]
    fn k_12_a_reminder_follows_a_deadline_that_moves() {
        let hours = |hours| later(Timestamp::UNIX_EPOCH, SignedDuration::from_hours(hours));
        let timing = Timing::starting(hours(0), Some(40 * 60), Waiting::Mail);
        assert_eq!(timing.reminders, [hours(30)]);
        let early = timing.moved(hours(20), hours(100));
        assert_eq!((early.deadline, early.reminders), (hours(100), vec![hours(80)]));
        // What was reminded of is not forgotten: each reminder has a number of its own.
        assert_eq!(timing.moved(hours(36), hours(76)).reminders, [hours(30), hours(66)]);
        assert_eq!(timing.moved(hours(39), hours(40)).reminders, [hours(30)], "no time for one");
    }

    #[test]
    fn k_12_others_are_asked_while_there_is_time() {
        check(None, 1, Some(300));
        check(Some(60), 1, Some(60));
        check(Some(600), 1, None);
        check(Some(60), 0, None);
    }
}
