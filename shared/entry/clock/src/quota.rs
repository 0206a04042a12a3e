//! What finds the runs of its owner's day used up. A due time of a schedule comes again, and so does a webhook whose sender is told
//! to send it again; nobody reports a file or the end of a run twice, so these wait.

use countersign_identity::UserId;
use countersign_run::{Occurrence, OccurrenceReason, OccurrenceState, QUOTA_EXCEEDED, SourceLimit};
use countersign_schedule::MAX_WAITING;
use countersign_store_catalog::Noticed;
use countersign_trigger::{FiringTrigger, noticed};
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};

use crate::begin::Refusal;
use crate::source::{Source, limit};
use crate::{Clock, ClockError};

/// What has waited for so long is missed.
const MAX_WAIT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Whether an occurrence that was refused is to wait: an event that nobody will report again.
pub(crate) fn waits(of: &Occurrence, refusal: &Refusal, now: Timestamp) -> bool {
    refusal.code == QUOTA_EXCEEDED && of.fired_by.is_some() && !of.may_come_again(now)
}

impl Clock {
    /// Whether what fires a trigger comes while the runs of its owner's day, or its own, are used up: then its occurrence, which is
    /// skipped.
    /// `before` is an earlier one of the same event that was skipped for that; no second one is entered then.
    ///
    /// # Errors
    /// [`ClockError`] when a table does not answer.
    pub fn turned_away<'a>(
        &'a self,
        firing: &'a FiringTrigger<'a>,
        before: Option<&'a Occurrence>,
    ) -> BoxFuture<'a, Result<Option<Occurrence>, ClockError>> {
        Box::pin(async move {
            let limit = limit(firing.owner, firing.trigger, firing.spec);
            let Some(why) = self.used_up(firing.owner, limit, firing.at).await? else {
                return Ok(None);
            };
            if before.is_some() {
                return Ok(before.cloned());
            }
            let due = noticed(firing);
            let skipped = due.ended(OccurrenceState::Skipped, QUOTA_EXCEEDED, &why, firing.at);
            let skipped = Occurrence { version: 1, ..skipped };
            let event = firing.fired.event();
            let entered = self.catalog.notice_event(&skipped, &event, None).await?;
            if entered != Noticed::New {
                return Ok(None);
            }
            self.report(&skipped, firing.at).await;
            Ok(Some(skipped))
        })
    }

    /// Why no more runs begin today; none when there is room, in the owner's day and in what the source may start.
    async fn used_up(
        &self,
        owner: &UserId,
        limit: Option<SourceLimit<'_>>,
        now: Timestamp,
    ) -> Result<Option<String>, ClockError> {
        if !self.runs.has_room(self.runs_per_day, owner, now).await? {
            return Ok(Some(self.runs_per_day.exceeded(now).to_string()));
        }
        match limit {
            Some(limit) if !self.runs.source_has_room(limit, now).await? => {
                Ok(Some(limit.exceeded(now).to_string()))
            }
            _ => Ok(None),
        }
    }

    /// An occurrence that begins to wait, or is left out where too many of its source are open already.
    pub(crate) async fn waiting(
        &self,
        of: &Occurrence,
        refusal: &Refusal,
        now: Timestamp,
    ) -> Result<Occurrence, ClockError> {
        if !of.waits_for_quota() && self.is_full(of, MAX_WAITING).await? {
            let message = "the quota of the day is used up, and a thousand of this trigger, or of all that its owner has, are under way or wait";
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
        let limit = source.as_ref().and_then(|source| source.limit(&of.owner));
        if !of.waits_for_quota()
            || !is_on
            || self.used_up(&of.owner, limit, now).await?.is_none()
            || self.runs.head(&of.id.run(0)).await?.is_some()
        {
            return Ok(None);
        }
        if now.duration_since(of.noticed_at) <= MAX_WAIT {
            return Ok(Some(of.clone()));
        }
        let message = "for a week, the runs that its owner may start in a day were used up";
        let missed = of.ended(OccurrenceState::Missed, QUOTA_EXCEEDED, message, now);
        self.changed(missed, now).await.map(Some)
    }
}

#[cfg(test)]
mod tests {
    use countersign_run::{RunId, RunStatus, TriggeredBy};

    use super::*;
    use crate::event::tests::occurrence;

    fn webhook() -> TriggeredBy {
        let sent_at = Timestamp::UNIX_EPOCH;
        let (message_id, sha256) = ("m".to_owned(), String::new());
        TriggeredBy::Webhook { message_id, sent_at, bytes: 0, sha256, key: None }
    }

    fn end() -> TriggeredBy {
        let (run, playbook) = (RunId::from_bytes([1; 16]), "a".to_owned());
        TriggeredBy::After { run, status: RunStatus::Complete, playbook }
    }

    /// Whether an event that was noticed so many seconds ago waits.
    fn check(fired_by: Option<TriggeredBy>, state: OccurrenceState, seconds: i64, expect: bool) {
        let of = Occurrence { fired_by, state, ..occurrence() };
        let now = of.noticed_at + SignedDuration::from_secs(seconds);
        let refusal = Refusal::new(QUOTA_EXCEEDED, "used up");
        assert_eq!(waits(&of, &refusal, now), expect, "{of:?} {seconds}");
        assert!(!waits(&of, &Refusal::new("PROFILE_INACTIVE", "off"), now));
    }

    #[test]
    fn issue_14_what_nobody_reports_again_waits_for_the_quota() {
        use OccurrenceState::{Due, Queued};
        check(Some(end()), Due, 0, true);
        check(Some(end()), Queued, 60, true);
        // A sender can be told only as long as the message is not answered.
        check(Some(webhook()), Due, 0, false);
        check(Some(webhook()), Due, 60, true);
        check(Some(webhook()), Queued, 60, true);
        // A schedule is due again.
        check(None, Due, 0, false);
    }
}
