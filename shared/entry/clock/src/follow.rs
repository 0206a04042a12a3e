//! What the sweeper does: ticks for what is overdue, and follows what is not at its end.

use std::time::Instant;

use countersign_failure::Failure as _;
use countersign_identity::Saved;
use countersign_run::{
    EventKind, Head, Occurrence, OccurrenceSource, OccurrenceState, RunStatus, Stop, StopReason,
    fold,
};
use countersign_run_start::{self as run_start, By, Invoker};
use countersign_schedule::ScheduleId;
use countersign_store_catalog::OpenOccurrence;
use countersign_trigger::TriggerId;
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::begin::{NotBegun, Refusal};
use crate::source::Source;
use crate::tick::{Tick, Ticked, report};
use crate::{Clock, ClockError, Schedule};

/// How many schedules one sweep ticks for.
const MOST: i32 = 200;

/// How many open occurrences one sweep follows, about; the next one goes on behind them.
const MAX_OPEN: usize = 1_000;

/// How many of them are read at once.
const PAGE: usize = 200;

/// What is due and could not be begun for so long is missed.
const GIVEN_UP: SignedDuration = SignedDuration::from_hours(1);

/// A run that failed is repeated so long after its end.
const PAUSE: SignedDuration = SignedDuration::from_secs(60);

/// What a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Followed {
    /// What ticks for overdue schedules did.
    pub ticked: Ticked,
    /// Occurrences that are not at their end.
    pub open: usize,
    /// Those that came to their end.
    pub finished: usize,
    /// Runs that failed and were repeated.
    pub repeated: usize,
    /// Runs that took too long and were ended.
    pub timed_out: usize,
    /// What could not be looked after.
    pub failed: usize,
    /// What there was no time for: the next sweep goes on with it.
    pub left: usize,
}

impl Clock {
    /// Looks after everything that is due or under way, until there is no more time: half of it is for what is due. One that fails
    /// does not keep the others.
    ///
    /// # Errors
    /// [`ClockError`] when the table does not answer.
    pub fn sweep(
        &self,
        now: Timestamp,
        until: Instant,
    ) -> BoxFuture<'_, Result<Followed, ClockError>> {
        Box::pin(async move {
            let mut done = Followed::default();
            let half = Instant::now() + until.saturating_duration_since(Instant::now()) / 2;
            for next in in_turn(self.catalog.overdue(now, MOST).await?, now) {
                if Instant::now() >= half {
                    done.left += 1;
                    continue;
                }
                let tick = Tick { owner: next.owner, schedule: next.schedule };
                match self.tick(&tick, now).await {
                    Ok(ticked) => done.ticked.add(ticked),
                    Err(error) => {
                        done.failed += 1;
                        tracing::error!(schedule = %tick.schedule, code = error.code(), "a schedule is overdue and could not be started");
                    }
                }
            }
            self.follow_all(now, until, &mut done).await?;
            if done.left > 0 {
                tracing::warn!(
                    left = done.left,
                    "more is due or under way than a sweep has time for"
                );
            }
            Ok(done)
        })
    }

    async fn follow_all(
        &self,
        now: Timestamp,
        until: Instant,
        done: &mut Followed,
    ) -> Result<(), ClockError> {
        while done.open < MAX_OPEN && Instant::now() < until {
            let page = self.catalog.next_open_occurrences(PAGE).await?;
            done.open += page.len();
            for open in &page {
                if Instant::now() >= until {
                    done.left += 1;
                } else if let Err(error) = self.follow(open, now, done).await {
                    done.failed += 1;
                    tracing::error!(occurrence = %open.id, code = error.code(), "an occurrence could not be followed");
                }
            }
            if page.len() < PAGE {
                break;
            }
        }
        Ok(())
    }

    /// Whether something of the schedule goes on: what is over and was not looked at yet does not.
    pub(crate) async fn is_busy(
        &self,
        schedule: &Schedule,
        now: Timestamp,
    ) -> Result<bool, ClockError> {
        let source = Some(schedule.id.as_str());
        let mut done = Followed::default();
        for open in &self.catalog.open_occurrences(source, MOST, None).await?.items {
            self.follow(open, now, &mut done).await?;
            let first = self.catalog.open_occurrences(source, 1, None).await?;
            // It goes on, whatever is behind it.
            if first.items.first().is_some_and(|first| first.id == open.id) {
                return Ok(true);
            }
        }
        Ok(!self.catalog.open_occurrences(source, 1, None).await?.items.is_empty())
    }

    async fn follow(
        &self,
        open: &OpenOccurrence,
        now: Timestamp,
        done: &mut Followed,
    ) -> Result<(), ClockError> {
        let Some(of) = self.catalog.occurrence(&open.owner, &open.id).await? else { return Ok(()) };
        match of.source {
            OccurrenceSource::Schedule => {
                let schedule = match ScheduleId::parse(&of.source_id) {
                    Ok(id) => self.schedule(&of.owner, &id).await?,
                    Err(_) => None,
                };
                self.follow_one(&of, schedule.as_ref().map(Source::Schedule), now, done).await
            }
            OccurrenceSource::Trigger => {
                let trigger = match TriggerId::parse(&of.source_id) {
                    Ok(id) => self.trigger(&of.owner, &id).await?,
                    Err(_) => None,
                };
                self.follow_one(&of, trigger.as_ref().map(Source::Trigger), now, done).await
            }
            // Whoever made it follows it.
            OccurrenceSource::Monitor => Ok(()),
        }
    }

    /// Looks at what else of the same source is not at its end: what is over and was not looked at yet comes to its end.
    pub(crate) async fn follow_others(
        &self,
        of: &Occurrence,
        now: Timestamp,
    ) -> Result<(), ClockError> {
        let open = self.catalog.open_occurrences(Some(&of.source_id), MOST, None).await?;
        for other in open.items.iter().filter(|other| other.id != of.id) {
            self.follow(other, now, &mut Followed::default()).await?;
        }
        Ok(())
    }

    async fn follow_one(
        &self,
        of: &Occurrence,
        source: Option<Source<'_>>,
        now: Timestamp,
        done: &mut Followed,
    ) -> Result<(), ClockError> {
        match of.state {
            OccurrenceState::Due => self.begin_late(of, source, now, done).await,
            OccurrenceState::Queued => {
                let is_next = match of.source {
                    OccurrenceSource::Trigger => self.has_turn(of).await?,
                    _ => self.is_first(of).await?,
                };
                if is_next {
                    done.ticked.count(self.begin(of, source, now).await?.state);
                }
                Ok(())
            }
            OccurrenceState::Started => self.look_at_run(of, source, now, done).await,
            _ => Ok(()),
        }
    }

    /// What was noticed and not begun is begun, or given up.
    async fn begin_late(
        &self,
        of: &Occurrence,
        source: Option<Source<'_>>,
        now: Timestamp,
        done: &mut Followed,
    ) -> Result<(), ClockError> {
        let is_over = now.duration_since(of.noticed_at) > GIVEN_UP;
        // What was started and not noted is not missed: beginning it again finds its run.
        if !is_over || self.runs.head(&of.id.run(0)).await?.is_some() {
            done.ticked.count(self.begin_or_wait(of, source, now).await?.state);
            return Ok(());
        }
        let message = "for an hour, the run could not be started";
        let missed = of.ended(OccurrenceState::Missed, "NOT_STARTED", message, now);
        report(&self.changed(missed).await?);
        Ok(())
    }

    /// Whether nothing of the same source is before it.
    pub(crate) async fn is_first(&self, of: &Occurrence) -> Result<bool, ClockError> {
        let open = self.catalog.open_occurrences(Some(&of.source_id), 1, None).await?;
        Ok(open.items.first().is_some_and(|first| first.id == of.id))
    }

    async fn look_at_run(
        &self,
        of: &Occurrence,
        source: Option<Source<'_>>,
        now: Timestamp,
        done: &mut Followed,
    ) -> Result<(), ClockError> {
        let Some(run) = of.runs.last() else { return Ok(()) };
        let Some(head) = self.runs.head(run).await? else { return Ok(()) };
        match (head.status, head.finished_at) {
            (Some(RunStatus::Error), Some(at)) if of.runs.len() <= of.max_retries as usize => {
                if now.duration_since(at) >= PAUSE {
                    self.repeat(of, source, &head, now, done).await?;
                }
                Ok(())
            }
            (Some(status), Some(_)) => {
                done.finished += 1;
                let after = of.moved(OccurrenceState::Finished, now);
                let after = Occurrence { status: Some(status), ..after };
                self.finish(&after, source.is_some()).await
            }
            _ => {
                done.timed_out += usize::from(self.end_overlong(of, &head, now).await?);
                Ok(())
            }
        }
    }

    /// Writes down the end of an occurrence; how it ended outlives its line in the ledger, unless what asked for it is gone.
    async fn finish(&self, after: &Occurrence, is_kept: bool) -> Result<(), ClockError> {
        if is_kept {
            self.catalog.note_last_run(after).await?;
        }
        self.catalog.move_occurrence(after).await?;
        Ok(())
    }

    /// Repeats a run that failed: what it has sent is not sent again (K-49).
    async fn repeat(
        &self,
        of: &Occurrence,
        source: Option<Source<'_>>,
        head: &Head,
        now: Timestamp,
        done: &mut Followed,
    ) -> Result<(), ClockError> {
        let after = match self.repeated(of, source, head, now).await {
            Ok(()) => {
                done.repeated += 1;
                let mut after = of.moved(OccurrenceState::Started, now);
                after.runs.push(of.id.run(of.runs.len()));
                after
            }
            Err(NotBegun::Refused(Refusal { code, message })) => {
                let ended = of.ended(OccurrenceState::Finished, &code, &message, now);
                let ended = Occurrence { status: head.status, ..ended };
                return self.finish(&ended, source.is_some()).await;
            }
            Err(NotBegun::Later(error)) => return Err(error),
        };
        self.catalog.move_occurrence(&after).await?;
        Ok(())
    }

    async fn repeated(
        &self,
        of: &Occurrence,
        source: Option<Source<'_>>,
        head: &Head,
        now: Timestamp,
    ) -> Result<(), NotBegun> {
        let source = source.ok_or_else(|| NotBegun::Refused(Source::removed(of)))?;
        if !source.is_on() && of.asked_by.is_none() {
            return Err(NotBegun::Refused(source.off()));
        }
        let owner = match &of.asked_by {
            Some(_) => self.asker(head).await?,
            None => self.owner(source, of).await?,
        };
        let (run, by) = (of.id.run(of.runs.len()), By::Clock(source.approval_policy()));
        let started = run_start::repeat(self.starter(now), &owner, head, run, by).await;
        started.map(drop).map_err(|problem| NotBegun::of(&problem))
    }

    /// Whoever asked for a run by hand, with what they came with.
    async fn asker(&self, head: &Head) -> Result<Invoker, NotBegun> {
        let saved = Saved { scopes: Some(&head.scopes), token: head.token.as_ref() };
        let invoker = run_start::on_behalf(&self.directory, &head.invoked_by, saved).await;
        invoker.map_err(|problem| NotBegun::of(&problem))
    }

    /// Ends a run that has worked for too long. While it waits for people it does not work, and their answer gives it its time
    /// anew.
    async fn end_overlong(
        &self,
        of: &Occurrence,
        head: &Head,
        now: Timestamp,
    ) -> Result<bool, ClockError> {
        let most = SignedDuration::from_secs(i64::from(of.timeout_seconds));
        if head.stop.is_some() || now.duration_since(head.started_at) <= most {
            return Ok(false);
        }
        let order =
            self.runs.plan(&head.run).await?.map(|(plan, _)| plan.order()).unwrap_or_default();
        let events = self.runs.events(&head.run).await?;
        if fold(head, &order, &events).status == RunStatus::AwaitingApproval {
            return Ok(false);
        }
        let answered =
            events.iter().filter(|event| matches!(event.kind, EventKind::GateClosed { .. }));
        let since = answered.map(|event| event.at).max().unwrap_or(head.started_at);
        if now.duration_since(since) <= most {
            return Ok(false);
        }
        let message = format!(
            "the {} seconds that its {} allows are over",
            of.timeout_seconds,
            of.source.as_str()
        );
        let stop = Stop { reason: StopReason::TimedOut, step: None, by: None, message, at: now };
        Ok(self.runs.stop(&head.run, &stop, head.attempt).await?)
    }
}

impl Ticked {
    fn add(&mut self, other: Self) {
        self.started += other.started;
        self.queued += other.queued;
        self.skipped += other.skipped;
        self.missed += other.missed;
    }
}

/// Another one first each minute: one that takes long must not always keep the same others.
fn in_turn<T>(mut all: Vec<T>, now: Timestamp) -> Vec<T> {
    let minute = usize::try_from(now.as_second() / 60).unwrap_or_default();
    let first = minute.checked_rem(all.len()).unwrap_or_default();
    all.rotate_left(first);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_003_another_overdue_schedule_is_first_each_minute() {
        let at = |minute: i64| Timestamp::from_second(minute * 60 + 1).unwrap();
        let first = |minute| in_turn(vec!['a', 'b', 'c'], at(minute))[0];
        assert_eq!([0, 1, 2, 3].map(first), ['a', 'b', 'c', 'a']);
        assert_eq!(in_turn(Vec::<u8>::new(), at(1)), [0_u8; 0]);
    }
}
