//! When a request ends, and what happens before (K-12, K-14, K-16).

use countersign_identity::UserId;
use jiff::{SignedDuration, Timestamp};
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Escalation {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub to: Vec<UserId>,
}

/// Deadline, reminders and escalation. There is always a deadline, and passing it is a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
        let reminders = if lifetime >= WORTH_A_REMINDER {
            vec![later(now, lifetime / 4 * 3)]
        } else {
            Vec::new()
        };
        Self { deadline: later(now, lifetime), reminders, escalation: None }
    }
}

/// `now + duration`; the end of time when there is no such instant.
pub(crate) fn later(now: Timestamp, duration: SignedDuration) -> Timestamp {
    now.checked_add(duration).unwrap_or(Timestamp::MAX)
}
