//! Following occurrences to their end, in the order of the requests of `shared/entry/clock` (`follow.rs`, `unbegun.rs`,
//! `overlong.rs`).

use std::cmp::Ordering;

use countersign_run::{Occurrence, OccurrenceState, OpenOccurrence, RunStatus};
use countersign_schedule::{MAX_OF_SOURCE, REPEATED_AFTER, is_too_long, is_waited_for};
use jiff::{SignedDuration, Timestamp};

use super::clock::NotBegun;
use super::ledger::StoredSchedule;
use super::runs::Head;
use super::schedules::World;
use super::timeline::Unanswered;

impl World {
    /// Whether something of the schedule goes on: what is over and was not looked at yet does not.
    pub(super) async fn is_busy(
        &self,
        schedule: &StoredSchedule,
        now: Timestamp,
    ) -> Result<bool, Unanswered> {
        let open = self.open_occurrences(schedule.id.as_str(), MAX_OF_SOURCE, None).await?;
        for one in &open.items {
            self.follow(one, now).await?;
            if self.goes_on(one).await? {
                return Ok(true);
            }
        }
        Ok(open.next.is_some())
    }

    async fn goes_on(&self, open: &OpenOccurrence) -> Result<bool, Unanswered> {
        Ok(self.occurrence(&open.id).await?.is_some_and(|of| !of.state.is_final()))
    }

    async fn has_begun(&self, open: &OpenOccurrence) -> Result<bool, Unanswered> {
        if open.is_waiting {
            return Ok(false);
        }
        let of = self.occurrence(&open.id).await?;
        Ok(of.is_some_and(|of| of.state == OccurrenceState::Started))
    }

    pub(super) async fn follow(
        &self,
        open: &OpenOccurrence,
        now: Timestamp,
    ) -> Result<(), Unanswered> {
        let Some(of) = self.occurrence(&open.id).await? else { return Ok(()) };
        // No schedule of the day is removed.
        let Some(schedule) = self.source(&of).await? else { return Ok(()) };
        match of.state {
            OccurrenceState::Due => self.begin_late(&of, &schedule, now).await,
            OccurrenceState::Queued => self.begin_in_turn(&of, &schedule, now).await,
            OccurrenceState::Started => self.look_at_run(&of, &schedule, now).await,
            _ => Ok(()),
        }
    }

    /// What was noticed and not begun is begun, or given up.
    async fn begin_late(
        &self,
        of: &Occurrence,
        schedule: &StoredSchedule,
        now: Timestamp,
    ) -> Result<(), Unanswered> {
        // What was started and not noted is not missed: beginning it again finds its run.
        let begun = match self.head(&of.id.run(0)).await?.is_some() {
            true => self.begin(of, schedule, now).await,
            false => self.begin_or_wait(of, schedule, now).await,
        };
        self.unless_given_up(of, begun, now).await
    }

    /// What waits is begun once it is its turn, or given up.
    async fn begin_in_turn(
        &self,
        of: &Occurrence,
        schedule: &StoredSchedule,
        now: Timestamp,
    ) -> Result<(), Unanswered> {
        if self.has_turn(of).await? {
            let begun = self.begin(of, schedule, now).await;
            self.unless_given_up(of, begun, now).await?;
        }
        Ok(())
    }

    /// Gives up what was tried for too long.
    async fn unless_given_up(
        &self,
        of: &Occurrence,
        tried: Result<Occurrence, Unanswered>,
        now: Timestamp,
    ) -> Result<(), Unanswered> {
        let Err(error) = tried else { return Ok(()) };
        let since = self.unbegun_since(of, now).await?;
        if !is_too_long(of, since, now) || self.head(&of.id.run(0)).await?.is_some() {
            return Err(error);
        }
        let message = "its run could not be started, again and again";
        let missed = of.ended(OccurrenceState::Missed, "NOT_STARTED", message, now);
        self.changed(missed).await.map(drop)
    }

    /// Whether nothing of the same schedule goes on that it waits for: nothing that is before it, and nothing that has begun.
    pub(super) async fn is_first(&self, of: &Occurrence) -> Result<bool, Unanswered> {
        let (mut next, mut is_open): (Option<String>, bool) = (None, false);
        loop {
            let page = self.open_occurrences(&of.source_id, MAX_OF_SOURCE, next.as_deref()).await?;
            for one in &page.items {
                is_open |= one.id == of.id;
                if self.is_waited_for_by(one, of).await? {
                    return Ok(false);
                }
            }
            next = page.next;
            if next.is_none() {
                return Ok(is_open);
            }
        }
    }

    async fn is_waited_for_by(
        &self,
        one: &OpenOccurrence,
        of: &Occurrence,
    ) -> Result<bool, Unanswered> {
        match one.id.cmp(&of.id) {
            Ordering::Less => self.goes_on(one).await,
            Ordering::Equal => Ok(false),
            Ordering::Greater => self.has_begun(one).await,
        }
    }

    async fn look_at_run(
        &self,
        of: &Occurrence,
        schedule: &StoredSchedule,
        now: Timestamp,
    ) -> Result<(), Unanswered> {
        let Some(run) = of.runs.last() else { return Ok(()) };
        // Nobody repeats a run of the day by hand.
        let Some(head) = self.head(run).await? else { return Ok(()) };
        match head.finished {
            Some((RunStatus::Error, at)) if of.runs.len() <= of.max_retries as usize => {
                match now.duration_since(at).abs() >= REPEATED_AFTER {
                    true => self.repeat(of, schedule, at, now).await,
                    false => Ok(()),
                }
            }
            Some((status, at)) => {
                let after = of.moved(OccurrenceState::Finished, at);
                self.finish(&Occurrence { status: Some(status), ..after }).await.map(drop)
            }
            None => self.end_overlong(of, &head, now).await,
        }
    }

    /// Writes down the end of an occurrence, unless somebody else was faster.
    async fn finish(&self, after: &Occurrence) -> Result<bool, Unanswered> {
        // How the last run ended, and the last one that succeeded.
        self.time.requests(2).await?;
        self.move_occurrence(after).await
    }

    /// Repeats a run that failed.
    async fn repeat(
        &self,
        of: &Occurrence,
        schedule: &StoredSchedule,
        failed_at: Timestamp,
        now: Timestamp,
    ) -> Result<(), Unanswered> {
        let next = of.id.run(of.runs.len());
        let refusal = match self.ask(of, schedule, of.runs.len()).await {
            Ok(()) => None,
            Err(NotBegun::Refused) => Some("PROFILE_INACTIVE"),
            Err(NotBegun::Later(error)) if is_waited_for(of, Some(failed_at), now) => {
                return Err(error);
            }
            Err(NotBegun::Later(_)) => Some("NOT_STARTED"),
        };
        match refusal {
            None => {}
            // Somebody else, who was not refused, has repeated it in between.
            Some(_) if self.head(&next).await?.is_some() => {}
            Some(code) => return self.give_up(of, code, now).await,
        }
        self.note_begun(of, of.runs.len() + 1, now).await.map(drop)
    }

    /// Ends an occurrence whose run failed and is not tried again.
    async fn give_up(&self, of: &Occurrence, code: &str, now: Timestamp) -> Result<(), Unanswered> {
        let message = "its run failed and is not tried again";
        let ended = of.ended(OccurrenceState::Finished, code, message, now);
        let ended = Occurrence { status: Some(RunStatus::Error), ..ended };
        if self.finish(&ended).await? {
            self.report(&ended).await;
        }
        Ok(())
    }

    /// Ends a run that has worked for too long. While it waits for people or the deployment is down it does not work.
    async fn end_overlong(
        &self,
        of: &Occurrence,
        head: &Head,
        now: Timestamp,
    ) -> Result<(), Unanswered> {
        let most = SignedDuration::from_secs(i64::from(of.timeout_seconds));
        if head.run.is_stopped || now.duration_since(head.run.started_at) <= most {
            return Ok(());
        }
        let Some(since) = self.works_since(head, now).await? else { return Ok(()) };
        if now.duration_since(since) > most
            && let Some(run) = of.runs.last()
        {
            self.stop(run).await?;
        }
        Ok(())
    }

    /// When the run's time began to count; none while it waits for people, and while the sweeper has not looked for too long.
    async fn works_since(
        &self,
        head: &Head,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, Unanswered> {
        let Some(up_since) = self.noted_sweeps().await?.and_then(|sweeps| sweeps.up(now)) else {
            return Ok(None);
        };
        // Its plan and its events.
        self.time.requests(2).await?;
        let answered = head.run.answered_at;
        Ok((answered <= self.time.now()).then(|| answered.max(up_since)))
    }
}
