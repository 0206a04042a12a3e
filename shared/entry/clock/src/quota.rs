//! What finds the runs of its owner's day used up. A due time of a schedule comes again, and so does a webhook whose sender is told
//! to send it again; nobody reports a file or the end of a run twice, so these wait.

use countersign_run::{Occurrence, OccurrenceReason, OccurrenceState, QUOTA_EXCEEDED};
use countersign_schedule::MAX_WAITING;
use jiff::{SignedDuration, Timestamp};

use crate::begin::Refusal;
use crate::source::Source;
use crate::{Clock, ClockError};

/// What has waited for so long is missed.
const MAX_WAIT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Whether an occurrence that was refused is to wait: an event that nobody will report again.
pub(crate) fn waits(of: &Occurrence, refusal: &Refusal, now: Timestamp) -> bool {
    refusal.code == QUOTA_EXCEEDED && of.fired_by.is_some() && !of.may_come_again(now)
}

impl Clock {
    /// An occurrence that begins to wait, or is left out where too many of its source are open already.
    pub(crate) async fn waiting(
        &self,
        of: &Occurrence,
        refusal: &Refusal,
        now: Timestamp,
    ) -> Result<Occurrence, ClockError> {
        if !of.waits_for_quota() && self.are_open(of, MAX_WAITING + 1).await? {
            let message = "the quota of the day is used up, and a thousand of this trigger are under way or wait";
            return Ok(of.ended(OccurrenceState::Skipped, "QUEUE_FULL", message, now));
        }
        let Refusal { code, message } = refusal;
        let reason = OccurrenceReason { code: code.clone(), message: message.clone() };
        Ok(Occurrence { reason: Some(reason), ..of.moved(OccurrenceState::Queued, now) })
    }

    /// One that waits and is not to begin yet, as it is now; none when it is to begin. Of a source that is gone or off there is a
    /// better reason, and what has a run already need not wait.
    pub(crate) async fn still_waits(
        &self,
        of: &Occurrence,
        source: Option<Source<'_>>,
        now: Timestamp,
    ) -> Result<Option<Occurrence>, ClockError> {
        let is_on = source.is_some_and(|source| source.is_on());
        if !of.waits_for_quota()
            || !is_on
            || self.runs.has_room(self.runs_per_day, &of.owner, now).await?
            || self.runs.head(&of.id.run(0)).await?.is_some()
        {
            return Ok(None);
        }
        if now.duration_since(of.noticed_at) <= MAX_WAIT {
            return Ok(Some(of.clone()));
        }
        let message = "for a week, the runs that its owner may start in a day were used up";
        let missed = of.ended(OccurrenceState::Missed, QUOTA_EXCEEDED, message, now);
        self.catalog.move_occurrence(&missed).await?;
        crate::tick::report(&missed);
        Ok(Some(missed))
    }
}
