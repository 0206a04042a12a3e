//! What has its turn and cannot be begun: it is tried again and again, and given up when that was for nothing too long.

use countersign_failure::Failure as _;
use countersign_run::{Occurrence, OccurrenceState};
use countersign_schedule::is_too_long;
use jiff::Timestamp;

use crate::{Clock, ClockError};

impl Clock {
    /// What has become of an occurrence that somebody tried to begin. One that could not be begun for long is missed, which is an
    /// alarm, so that what waits behind it has its own turn.
    pub(crate) async fn unless_given_up(
        &self,
        of: &Occurrence,
        tried: Result<Occurrence, ClockError>,
        now: Timestamp,
    ) -> Result<Occurrence, ClockError> {
        let error = match tried {
            Ok(after) => return Ok(after),
            Err(error) => error,
        };
        let since = self.catalog.unbegun_since(of, now).await?;
        // What was started and not noted is not missed: beginning it again finds its run.
        if !is_too_long(of, since, now) || self.runs.head(&of.id.run(0)).await?.is_some() {
            return Err(error);
        }
        tracing::warn!(occurrence = %of.id, code = error.code(), "a due run is given up");
        let message = "its run could not be started, again and again";
        self.changed(of.ended(OccurrenceState::Missed, "NOT_STARTED", message, now), now).await
    }
}

#[cfg(test)]
mod tests {
    use countersign_run::{RunId, RunStatus, TriggeredBy};
    use jiff::SignedDuration;

    use super::*;
    use crate::event::tests::occurrence;

    fn check(fired_by: Option<TriggeredBy>, minutes: i64, expect: bool) {
        let of = Occurrence { fired_by, ..occurrence() };
        let now = of.noticed_at + SignedDuration::from_hours(24 * 30);
        let since = now - SignedDuration::from_mins(minutes);
        assert_eq!(is_too_long(&of, since, now), expect, "{minutes} minutes");
    }

    #[test]
    fn issue_14_what_waits_is_given_up_by_how_long_it_was_tried() {
        let (run, playbook) = (RunId::from_bytes([1; 16]), "a".to_owned());
        let event = TriggeredBy::After { run, status: RunStatus::Complete, playbook };
        check(None, 0, false);
        check(None, 60, false);
        check(None, 61, true);
        check(Some(event.clone()), 61, false);
        check(Some(event), 7 * 24 * 60 + 1, true);
        // Noted by a clock that was ahead.
        check(None, -365 * 24 * 60, true);
    }
}
