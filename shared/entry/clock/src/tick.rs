//! What a tick finds due.

use countersign_failure::Failure as _;
use countersign_identity::UserId;
use countersign_run::{Occurrence, OccurrenceId, OccurrenceSource, OccurrenceState};
use countersign_schedule::{LATE, Overlap, ScheduleId};
use countersign_store_catalog::DueNext;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::source::Source;
use crate::{Clock, ClockError, Schedule};

/// What a native schedule says: whose schedule ticks. When it was due is not in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tick {
    /// Whose.
    pub owner: UserId,
    /// Which.
    pub schedule: ScheduleId,
}

/// What a tick did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Ticked {
    /// Runs that were started.
    pub started: usize,
    /// Due times that wait for the run before.
    pub queued: usize,
    /// Due times that were left out, each with its reason.
    pub skipped: usize,
    /// Due times at which nothing could be started.
    pub missed: usize,
}

impl Ticked {
    pub(crate) fn count(&mut self, state: OccurrenceState) {
        match state {
            OccurrenceState::Started | OccurrenceState::Finished => self.started += 1,
            OccurrenceState::Queued => self.queued += 1,
            OccurrenceState::Skipped => self.skipped += 1,
            OccurrenceState::Missed => self.missed += 1,
            OccurrenceState::Due => {}
        }
    }
}

impl Clock {
    /// Enters what was due in the ledger, moves the schedule on to its next due time, and begins what is to begin. A schedule
    /// that is not enabled, or not due, is left alone.
    ///
    /// # Errors
    /// [`ClockError`] when something does not answer; the sweeper does the rest.
    pub fn tick<'a>(
        &'a self,
        tick: &'a Tick,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Ticked, ClockError>> {
        Box::pin(async move {
            let Tick { owner, schedule } = tick;
            let Some(next) = self.catalog.due_next(owner, schedule).await? else {
                return Ok(Ticked::default());
            };
            match self.schedule(owner, schedule).await? {
                Some(schedule) if next.at <= now => self.due(&schedule, &next, now).await,
                Some(schedule) => self.set_back(&schedule, &next, now).await,
                // Nothing is due of what is gone; a due time that is left would be overdue for ever.
                None => self
                    .catalog
                    .move_on(&next, None)
                    .await
                    .map(|_| Ticked::default())
                    .map_err(Into::into),
            }
        })
    }

    /// A clock that was ahead has moved the schedule on too far: it waits for its next due time again. Those that were entered
    /// meanwhile are in the ledger, and are not entered twice.
    async fn set_back(
        &self,
        schedule: &Schedule,
        next: &DueNext,
        now: Timestamp,
    ) -> Result<Ticked, ClockError> {
        let due = schedule.spec.timetable().and_then(|times| times.next(now));
        if let Some(due) = due.filter(|due| *due < next.at) {
            tracing::warn!(schedule = %schedule.id, "a clock was ahead; the schedule is set back");
            self.catalog.move_on(next, Some(due)).await?;
        }
        Ok(Ticked::default())
    }

    async fn due(
        &self,
        schedule: &Schedule,
        next: &DueNext,
        now: Timestamp,
    ) -> Result<Ticked, ClockError> {
        let mut ticked = Ticked::default();
        let spec = &schedule.spec;
        let is_busy = spec.overlap != Overlap::Allow
            && match self.is_busy(schedule, now).await {
                Err(error) if is_kept_waiting(next.at, now) => {
                    tracing::warn!(schedule = %schedule.id, code = error.code(), "what is open of a schedule cannot be looked at; it counts as going on");
                    true
                }
                found => found?,
            };
        let room = match spec.overlap {
            // What is made up for waits also where what comes meanwhile does not.
            Overlap::Queue | Overlap::Skip => self.queue_room(schedule).await?,
            Overlap::Allow => 0,
        };
        let Some(found) = spec.found_due(next.at, now, is_busy, room) else { return Ok(ticked) };
        let mut begun = Vec::new();
        for (due, verdict) in found.times {
            let occurrence = verdict.judged(occurrence(schedule, due, now), now);
            let is_new = self.catalog.notice(&occurrence).await?;
            // An earlier tick has entered it and said what becomes of it. A write of this one that was sent twice is not that.
            if !is_new && !self.is_of(&occurrence, now).await? {
                continue;
            }
            if occurrence.state == OccurrenceState::Due {
                begun.push(occurrence);
                continue;
            }
            ticked.count(occurrence.state);
            self.report(&occurrence, now).await;
        }
        self.catalog.move_on(next, found.next).await?;
        for occurrence in begun {
            let source = Some(Source::Schedule(schedule));
            ticked.count(self.begin(&occurrence, source, now).await?.state);
        }
        Ok(ticked)
    }

    /// Whether the ledger's line of a due time was entered at this moment.
    async fn is_of(&self, of: &Occurrence, now: Timestamp) -> Result<bool, ClockError> {
        let known = self.catalog.occurrence(&of.owner, &of.id).await?;
        Ok(known.is_some_and(|known| known.noticed_at == now))
    }
}

/// Whether a due time has waited so long to be entered that it would soon count as missed: then it is entered, whatever cannot be
/// looked at.
fn is_kept_waiting(due: Timestamp, now: Timestamp) -> bool {
    now.duration_since(due) > LATE / 2
}

/// What a schedule is due at a time, before anything has come of it.
pub(crate) fn occurrence(schedule: &Schedule, due: Timestamp, now: Timestamp) -> Occurrence {
    let spec = &schedule.spec;
    Occurrence {
        id: OccurrenceId::new(schedule.id.as_str(), due),
        owner: schedule.user_id.clone().unwrap_or_else(|| UserId::from_bytes([0; 16])),
        source: OccurrenceSource::Schedule,
        source_id: schedule.id.to_string(),
        name: spec.name.to_string(),
        profile_id: spec.profile_id.to_string(),
        due_at: due,
        noticed_at: now,
        asked_by: None,
        fired_by: None,
        chain: Vec::new(),
        state: OccurrenceState::Due,
        reason: None,
        runs: Vec::new(),
        status: None,
        finished_at: None,
        max_retries: spec.max_retries.to(),
        timeout_seconds: spec.timeout_seconds.to(),
        version: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(seconds: i64, expect: bool) {
        let due = Timestamp::UNIX_EPOCH;
        let now = Timestamp::from_second(seconds).unwrap();
        assert_eq!(is_kept_waiting(due, now), expect, "{seconds}");
    }

    #[test]
    fn issue_14_a_due_time_is_entered_before_it_counts_as_missed() {
        check(0, false);
        check(150, false);
        check(151, true);
        check(LATE.as_secs(), true);
    }
}
