//! The two clocks of a monitor: its own schedule, and the sweeper where that does not tick.

use jiff::{SignedDuration, Timestamp};

use crate::looks::looks_with;
use crate::outcome::TickOutcome;
use crate::tick::State;
use crate::timing::Timing;

/// How many monitors one sweep ticks; the others are still overdue in a minute.
pub const MAX_TICKED: usize = 100;

/// A monitor that is still overdue then is ticked again.
pub const TICKED_AGAIN: SignedDuration = SignedDuration::from_secs(45);

impl State {
    /// When the sweeper need not come before, after a tick that had nothing to do: it ticked a moment ago. None while a batch rests
    /// whose run failed: what that waits for comes before.
    #[must_use]
    pub fn due_again(&self, timing: &Timing, now: Timestamp) -> Option<Timestamp> {
        if self.open.as_ref().is_some_and(|open| open.retry_after.is_some()) {
            return None;
        }
        let last = self.last_tick_at.unwrap_or(now);
        let next = last.checked_add(timing.interval.length()).unwrap_or(last);
        Some(self.retry_at.unwrap_or(next))
    }

    /// The same after a tick that tries a batch again whose run failed.
    #[must_use]
    pub fn retried(self, at: Timestamp) -> Self {
        Self {
            last_tick_at: Some(at),
            last_outcome: Some(TickOutcome::Retried),
            looks: looks_with(&self.looks, TickOutcome::Retried, at),
            last_error: None,
            ..self
        }
    }
}
