//! Following an occurrence to its end.

use std::cmp::Ordering;

use countersign_identity::Saved;
use countersign_run::{
    Head, Occurrence, OccurrenceSource, OccurrenceState, OpenOccurrence, RunStatus,
};
use countersign_run_start::{self as run_start, By, Invoker};
use countersign_schedule::{
    MAX_OF_SOURCE, Overlap, REPEATED_AFTER, ScheduleId, is_waited_for, patience,
};
use countersign_store_kit::Window;
use countersign_trigger::TriggerId;
use jiff::Timestamp;

use crate::begin::{NotBegun, Refusal};
use crate::source::Source;
use crate::sweep::{Followed, most};
use crate::{Clock, ClockError, Schedule, Trigger};

impl Clock {
    /// Whether something of the schedule goes on: what is over and was not looked at yet does not.
    pub(crate) async fn is_busy(
        &self,
        schedule: &Schedule,
        now: Timestamp,
    ) -> Result<bool, ClockError> {
        let source = Some(schedule.id.as_str());
        let window = Window::first(most(MAX_OF_SOURCE));
        let open = self.catalog.open_occurrences(source, window).await?;
        for one in &open.items {
            self.follow(one, now, &mut Followed::default()).await?;
            if self.goes_on(one).await? {
                return Ok(true);
            }
        }
        Ok(open.next.is_some())
    }

    /// Whether what comes behind an occurrence of the same source is to wait for it. What a person asked for and was told to ask
    /// for again has not begun, and begins only when they do: nobody waits for that.
    async fn goes_on(&self, open: &OpenOccurrence) -> Result<bool, ClockError> {
        let Some(of) = self.catalog.occurrence(&open.owner, &open.id).await? else {
            return Ok(false);
        };
        if of.state != OccurrenceState::Due || of.asked_by.is_none() {
            return Ok(!of.state.is_final());
        }
        Ok(self.runs.head(&of.id.run(0)).await?.is_some())
    }

    /// Whether the run of an occurrence has begun and is not over.
    async fn has_begun(&self, open: &OpenOccurrence) -> Result<bool, ClockError> {
        if open.is_waiting {
            return Ok(false);
        }
        let of = self.catalog.occurrence(&open.owner, &open.id).await?;
        Ok(of.is_some_and(|of| of.state == OccurrenceState::Started))
    }

    pub(crate) async fn follow(
        &self,
        open: &OpenOccurrence,
        now: Timestamp,
        done: &mut Followed,
    ) -> Result<(), ClockError> {
        let Some(of) = self.catalog.occurrence(&open.owner, &open.id).await? else { return Ok(()) };
        match of.source {
            OccurrenceSource::Schedule => {
                let schedule = match ScheduleId::parse(&of.source_id) {
                    Ok(id) => self.own::<Schedule>(&of.owner, &id).await?,
                    Err(_) => None,
                };
                self.follow_one(&of, schedule.as_ref().map(Source::Schedule), now, done).await
            }
            OccurrenceSource::Trigger => {
                let trigger = match TriggerId::parse(&of.source_id) {
                    Ok(id) => self.own::<Trigger>(&of.owner, &id).await?,
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
        for _ in 0..MAX_OF_SOURCE {
            let source = Some(of.source_id.as_str());
            let open = self.catalog.open_occurrences(source, Window::first(2)).await?.items;
            let Some(first) = open.iter().find(|other| other.id != of.id) else { return Ok(()) };
            self.follow(first, now, &mut Followed::default()).await?;
            // It goes on, whatever is behind it.
            let left = self.catalog.open_occurrences(source, Window::first(2)).await?.items;
            if left.iter().any(|other| other.id == first.id) {
                return Ok(());
            }
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
                // A due time that waits does so until it is its turn, whatever its schedule says now.
                let is_free = of.source == OccurrenceSource::Trigger
                    && source.is_none_or(|one| one.overlap() == Overlap::Allow);
                if is_free || self.has_turn(of).await? {
                    let begun = self.begin(of, source, now).await;
                    done.ticked.count(self.unless_given_up(of, begun, now).await?.state);
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
        let is_over = now.duration_since(of.noticed_at) > patience(of);
        // What was started and not noted is not missed: beginning it again finds its run.
        let has_run = self.runs.head(&of.id.run(0)).await?.is_some();
        // Only whoever asked for it has the rights they asked with: they ask again, or nothing comes of it.
        if has_run || of.asked_by.is_none() {
            let begun = match has_run {
                true => self.begin(of, source, now).await,
                false => self.begin_or_wait(of, source, now).await,
            };
            done.ticked.count(self.unless_given_up(of, begun, now).await?.state);
            return Ok(());
        }
        if !is_over {
            return Ok(());
        }
        // That nothing came of what a person asked for is known to them, and no alarm.
        let message = "its run could not be started, and nobody asked for it again";
        let skipped = of.ended(OccurrenceState::Skipped, "NOT_STARTED", message, now);
        self.changed(skipped, now).await?;
        Ok(())
    }

    /// Whether nothing of the same source goes on that it waits for: nothing that is before it, and of a schedule nothing that has
    /// begun, whenever that was asked for.
    pub(crate) async fn is_first(&self, of: &Occurrence) -> Result<bool, ClockError> {
        let source = Some(of.source_id.as_str());
        let is_scheduled = of.source == OccurrenceSource::Schedule;
        let (mut next, mut is_open): (Option<String>, bool) = (None, false);
        loop {
            let window = Window { limit: most(MAX_OF_SOURCE), after: next };
            let page = self.catalog.open_occurrences(source, window).await?;
            for one in &page.items {
                is_open |= one.id == of.id;
                // Only schedules are asked before their time.
                if !is_scheduled {
                    return Ok(is_open);
                }
                let is_waited_for = match one.id.cmp(&of.id) {
                    Ordering::Less => self.goes_on(one).await?,
                    Ordering::Equal => false,
                    Ordering::Greater => self.has_begun(one).await?,
                };
                if is_waited_for {
                    return Ok(false);
                }
            }
            next = page.next;
            if next.is_none() {
                return Ok(is_open);
            }
        }
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
        if let Some(repeat) = head.repeated_by.clone().filter(|repeat| !of.runs.contains(repeat)) {
            // Somebody has repeated it by hand: that run says how it ends.
            let mut after = of.moved(OccurrenceState::Started, now);
            after.runs.push(repeat);
            self.catalog.move_occurrence(&after).await?;
            return Ok(());
        }
        let tries = of.runs.iter().enumerate().filter(|(n, run)| of.id.run(*n) == **run).count();
        let is_own = tries == of.runs.len();
        match (head.status, head.finished_at) {
            (Some(RunStatus::Error), Some(at)) if is_own && tries <= of.max_retries as usize => {
                // A clock that was ahead has noted an end that is still to come.
                if now.duration_since(at).abs() >= REPEATED_AFTER {
                    self.repeat(of, source, &head, now, done).await?;
                }
                Ok(())
            }
            (Some(status), Some(at)) => {
                done.finished += 1;
                let after = of.moved(OccurrenceState::Finished, at);
                let after = Occurrence { status: Some(status), ..after };
                self.finish(&after, source.is_some()).await?;
                Ok(())
            }
            _ if !is_own => Ok(()),
            _ => {
                done.timed_out += usize::from(self.end_overlong(of, &head, now).await?);
                Ok(())
            }
        }
    }

    /// Writes down the end of an occurrence, unless somebody else was faster; how a schedule's ended outlives its line in the ledger, unless the schedule is gone.
    async fn finish(&self, after: &Occurrence, is_kept: bool) -> Result<bool, ClockError> {
        if is_kept && after.source == OccurrenceSource::Schedule {
            self.catalog.note_last_run(after).await?;
        }
        Ok(self.catalog.move_occurrence(after).await?)
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
        let next = of.id.run(of.runs.len());
        let refusal = match self.repeated(of, source, head, now).await {
            Ok(()) => None,
            Err(NotBegun::Refused(refusal)) => Some(refusal),
            Err(NotBegun::Later(error)) if is_waited_for(of, head.finished_at, now) => {
                return Err(error);
            }
            Err(NotBegun::Later(_)) => Some(Refusal::new(
                "NOT_STARTED",
                "its run could not be tried again, again and again",
            )),
        };
        match refusal {
            None => done.repeated += 1,
            // Somebody else, who was not refused, has repeated it in between.
            Some(_) if self.runs.head(&next).await?.is_some() => {}
            Some(refusal) => {
                done.finished += 1;
                return self.give_up(of, &refusal, head, source.is_some(), now).await;
            }
        }
        self.catalog.note_begun(of, of.runs.len() + 1, now).await?;
        Ok(())
    }

    /// Ends an occurrence whose run failed and is not tried again. Its owner hears of it: no mail told of the attempts before.
    async fn give_up(
        &self,
        of: &Occurrence,
        why: &Refusal,
        head: &Head,
        is_kept: bool,
        now: Timestamp,
    ) -> Result<(), ClockError> {
        let ended = of.ended(OccurrenceState::Finished, &why.code, &why.message, now);
        let ended = Occurrence { status: head.status, ..ended };
        if self.finish(&ended, is_kept).await? {
            self.report(&ended, now).await;
        }
        Ok(())
    }

    async fn repeated(
        &self,
        of: &Occurrence,
        source: Option<Source<'_>>,
        head: &Head,
        now: Timestamp,
    ) -> Result<(), NotBegun> {
        let source = Source::asking(source, of).map_err(NotBegun::Refused)?;
        if let Source::Trigger(trigger) = source {
            self.is_still_signed(of, trigger, now).await?;
        }
        let owner = match &of.asked_by {
            Some(_) => self.asker(head).await?,
            None => self.owner(source, of).await?,
        };
        let (run, by) = (of.id.run(of.runs.len()), By::Clock(source.approval_policy()));
        let started = run_start::repeat(self.starter(), &owner, head, run, by).await;
        started.map(drop).map_err(|problem| NotBegun::of(&problem))
    }

    /// Whoever asked for a run by hand, with what they came with.
    async fn asker(&self, head: &Head) -> Result<Invoker, NotBegun> {
        let saved = Saved { scopes: Some(&head.scopes), token: head.token.as_ref() };
        let invoker = run_start::on_behalf(&self.directory, &head.invoked_by, saved).await;
        invoker.map_err(|problem| NotBegun::of(&problem))
    }
}
