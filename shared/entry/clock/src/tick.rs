//! What a tick finds due.

use countersign_failure::Failure as _;
use countersign_identity::UserId;
use countersign_run::{Occurrence, OccurrenceState};
use countersign_schedule::{Overlap, ScheduleId, is_kept_waiting, not_known};
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
            match self.own::<Schedule>(owner, schedule).await? {
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
        let times = schedule.spec.timetable();
        if let Some(due) = times.and_then(|times| times.set_back_to(next.at, now)) {
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
        let (is_busy, undecided) = self.seems_busy(schedule, next, now).await?;
        let room = match spec.overlap {
            // What is made up for waits also where what comes meanwhile does not.
            Overlap::Queue | Overlap::Skip => self.queue_room(schedule).await?,
            Overlap::Allow => 0,
        };
        let Some(found) = spec.found_due(next.at, now, is_busy, room) else {
            return self.never_due(schedule, next, now).await;
        };
        let mut begun = Vec::new();
        for (due, verdict) in found.times {
            let occurrence = verdict.judged(occurrence(schedule, due, now), now);
            let occurrence = match undecided {
                Some(code) => not_known(occurrence, code),
                None => occurrence,
            };
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
            // Another tick may have begun another due time since this one looked.
            ticked.count(self.begin_or_wait(&occurrence, source, now).await?.state);
        }
        Ok(ticked)
    }

    /// Whether another run goes on that a due time has to heed; with the code of the reason where that could not be seen for so long
    /// that it counts as going on.
    async fn seems_busy(
        &self,
        schedule: &Schedule,
        next: &DueNext,
        now: Timestamp,
    ) -> Result<(bool, Option<&'static str>), ClockError> {
        if schedule.spec.overlap == Overlap::Allow {
            return Ok((false, None));
        }
        match self.is_busy(schedule, now).await {
            Err(error) if is_kept_waiting(next.at, now) => {
                tracing::warn!(schedule = %schedule.id, code = error.code(), "what is open of a schedule cannot be looked at; it counts as going on");
                Ok((true, Some(error.code())))
            }
            found => Ok((found?, None)),
        }
    }

    /// A schedule whose times cannot be read any more, such as those in a zone that is gone, waits for none; its owner is told.
    async fn never_due(
        &self,
        schedule: &Schedule,
        next: &DueNext,
        now: Timestamp,
    ) -> Result<Ticked, ClockError> {
        let message = "the times of the schedule cannot be read any more: nothing is due until it is saved again";
        let missed = occurrence(schedule, next.at, now).ended(
            OccurrenceState::Missed,
            "SCHEDULE_INVALID",
            message,
            now,
        );
        let missed = Occurrence { version: 1, ..missed };
        if self.catalog.notice(&missed).await? || self.is_of(&missed, now).await? {
            self.report(&missed, now).await;
        }
        self.catalog.move_on(next, None).await?;
        Ok(Ticked { missed: 1, ..Ticked::default() })
    }

    /// Whether the ledger's line of a due time was entered at this moment.
    async fn is_of(&self, of: &Occurrence, now: Timestamp) -> Result<bool, ClockError> {
        let known = self.catalog.occurrence(&of.owner, &of.id).await?;
        Ok(known.is_some_and(|known| known.noticed_at == now))
    }
}

/// What a schedule is due at a time, before anything has come of it.
pub(crate) fn occurrence(schedule: &Schedule, due: Timestamp, now: Timestamp) -> Occurrence {
    let owner = schedule.user_id.clone().unwrap_or_else(|| UserId::from_bytes([0; 16]));
    schedule.spec.occurrence(&schedule.id, owner, due, now)
}

#[cfg(test)]
mod tests {
    use countersign_schedule::{LATE, Timetable};

    use super::*;

    fn check(seconds: i64, expect: bool) {
        let due = Timestamp::UNIX_EPOCH;
        let now = Timestamp::from_second(seconds).unwrap();
        assert_eq!(is_kept_waiting(due, now), expect, "{seconds}");
    }

    fn times() -> Timetable {
        let body = serde_json::json!({
            "name": "A", "profile_id": format!("prof_{}", "1".repeat(32)),
            "cron_expression": "* * * * *", "query_template": "q",
        });
        let spec: countersign_schedule::ScheduleSpec = serde_json::from_value(body).unwrap();
        spec.timetable().unwrap()
    }

    #[test]
    fn issue_14_a_sweep_that_takes_long_sets_no_schedule_back() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let back = |next, now| times().set_back_to(at(next), at(now));
        // The sweep began at 30; the tick of 60 has moved the schedule on to 120.
        assert_eq!(back(60, 30), None);
        assert_eq!(back(120, 30), None);
        assert_eq!(back(180, 30), Some(at(60)), "a clock was ahead");
        assert_eq!(back(365 * 24 * 3_600, 30), Some(at(60)));
    }

    #[test]
    fn issue_14_what_could_not_be_looked_at_is_not_said_to_be_the_owners_wish() {
        let due = crate::event::tests::occurrence();
        let skipped = |code| due.ended(OccurrenceState::Skipped, code, "x", due.noticed_at);
        let unknown = not_known(skipped("OVERLAP"), "STORE_UNAVAILABLE");
        let reason = unknown.reason.clone().unwrap();
        assert_eq!(reason.code, "OVERLAP_UNKNOWN");
        assert!(reason.message.ends_with("STORE_UNAVAILABLE") && unknown.is_left_out());
        assert_eq!(not_known(skipped("QUEUE_FULL"), "X"), skipped("QUEUE_FULL"));
        assert_eq!(not_known(due.clone(), "X"), due);
    }

    #[test]
    fn issue_14_a_due_time_is_entered_before_it_counts_as_missed() {
        check(0, false);
        check(150, false);
        check(151, true);
        check(LATE.as_secs(), true);
    }
}
