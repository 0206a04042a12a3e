//! Occurrences that come to no run: an error in the log where an alarm counts it, and an event, so that the owner is told.

use countersign_outbox::DomainEvent;
use countersign_run::{Occurrence, OccurrenceState};
use jiff::Timestamp;

use crate::Clock;

impl Clock {
    /// Says what has become of an occurrence that ended without a run. An event that is lost is one that the next occurrence
    /// makes again, as long as the reason holds.
    pub(crate) async fn report(&self, of: &Occurrence, now: Timestamp) {
        log(of);
        if !of.is_left_out() {
            return;
        }
        if let Err(error) = self.bus.publish(&[DomainEvent::left_out(of, now)]).await {
            tracing::warn!(occurrence = %of.id, %error, "listeners missed that a run was left out");
        }
    }
}

/// What was missed, and a trigger that would fire itself, is an error in the log: alarms count these lines.
pub(crate) fn log(occurrence: &Occurrence) {
    if occurrence.state == OccurrenceState::Missed {
        tracing::error!(occurrence = %occurrence.id, "OCCURRENCE_MISSED: a due time was missed");
    }
    if occurrence.is_looped() {
        tracing::error!(occurrence = %occurrence.id, "TRIGGER_LOOP: a trigger would fire itself");
    }
}
