//! What the sweeper does: ticks for what is overdue, and follows what is not at its end.

use std::time::Instant;

use countersign_failure::Failure as _;
use countersign_run::{OpenOccurrence, OpenPlace, had_before, in_turns, left_at};
use countersign_schedule::{
    MAX_FOLLOWED, MAX_OF_SOURCE, MAX_OVERDUE, OPEN_PAGE, are_enough, end_of_open, in_turn,
};
use countersign_store_catalog::Open;
use countersign_store_kit::Window;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::Serialize;

use crate::tick::{Tick, Ticked};
use crate::{Clock, ClockError};

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
    /// Occurrences of which listeners heard late what became of them.
    pub said: usize,
    /// Runs that took too long and were ended.
    pub timed_out: usize,
    /// What could not be looked after.
    pub failed: usize,
    /// What there was no time for, as far as it was read: the next sweep begins with it.
    pub left: usize,
}

impl Clock {
    /// Looks after everything that is due or under way, until there is no more time: half of it is for what is due, half of the
    /// rest for occurrences whose run has not begun, so that runs that wait for people do not keep them. Before that, a quarter
    /// may go to saying what nobody has said. Of each kind one is looked after however short the time is. One that fails does
    /// not keep the others.
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
            self.note_sweep(now).await?;
            self.say_unsaid(now, half_way(half_way(until)), &mut done).await?;
            self.tick_overdue(now, half_way(until), &mut done).await?;
            self.follow_all(Open::Waiting, now, half_way(until), &mut done).await?;
            self.follow_all(Open::Begun, now, until, &mut done).await?;
            Ok(done)
        })
    }

    async fn tick_overdue(
        &self,
        now: Timestamp,
        until: Instant,
        done: &mut Followed,
    ) -> Result<(), ClockError> {
        let overdue = in_turn(self.catalog.overdue(now, most(MAX_OVERDUE)).await?, now);
        let total = overdue.len();
        for (n, next) in overdue.into_iter().enumerate() {
            if n > 0 && Instant::now() >= until {
                done.left += total - n;
                break;
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
        Ok(())
    }

    /// Follows open occurrences, owner by owner.
    async fn follow_all(
        &self,
        which: Open,
        now: Timestamp,
        until: Instant,
        done: &mut Followed,
    ) -> Result<(), ClockError> {
        let before = self.catalog.place_of_open(which).await?;
        let (open, end) = self.some_open(which, &before, until).await?;
        let turns = in_turns(open);
        let first = had_before(&before, turns.len());
        let (all, mut followed) = (turns.len().min(MAX_FOLLOWED), 0);
        for one in turns.iter().cycle().skip(first).take(all) {
            if followed > 0 && Instant::now() >= until {
                done.left += all - followed;
                break;
            }
            if let Err(error) = self.follow_on(one, now, done).await {
                done.failed += 1;
                tracing::error!(occurrence = %one.id, code = error.code(), "an occurrence could not be followed");
            }
            (followed, done.open) = (followed + 1, done.open + 1);
        }
        let place = left_at(&before, turns.len(), first + followed, end);
        if place != before {
            self.catalog.set_place_of_open(which, &place).await?;
        }
        Ok(())
    }

    /// Follows an occurrence, and what has waited for its end when it has come to it: that would otherwise wait for the next sweep.
    async fn follow_on(
        &self,
        one: &OpenOccurrence,
        now: Timestamp,
        done: &mut Followed,
    ) -> Result<(), ClockError> {
        let finished = done.finished;
        self.follow(one, now, done).await?;
        if done.finished == finished {
            return Ok(());
        }
        let window = Window::first(most(MAX_OF_SOURCE));
        let open = self.catalog.open_occurrences(Some(one.id.source()), window).await?.items;
        let next = open.iter().find(|other| other.is_waiting && !other.is_to_be_asked_again());
        match next {
            Some(next) => self.follow(next, now, done).await,
            None => Ok(()),
        }
    }

    /// Open occurrences of the part of the list that is looked at now, and where that part ends; none at the end of the list.
    async fn some_open(
        &self,
        which: Open,
        before: &OpenPlace,
        until: Instant,
    ) -> Result<(Vec<OpenOccurrence>, Option<String>), ClockError> {
        let (mut open, mut next, limit) = (Vec::new(), None, most(OPEN_PAGE));
        loop {
            let after = before.after.as_deref();
            let page = self.catalog.open_behind(which, after, limit, next.as_deref()).await?;
            open.extend(page.items);
            next = page.next;
            if next.is_none() || are_enough(&open, Instant::now() >= until) {
                let end = end_of_open(&open, next.is_some());
                return Ok((open, end));
            }
        }
    }
}

/// How many a request asks for.
pub(crate) fn most(many: usize) -> i32 {
    i32::try_from(many).unwrap_or(i32::MAX)
}

/// Half of the time that is left.
fn half_way(until: Instant) -> Instant {
    let now = Instant::now();
    now + until.saturating_duration_since(now) / 2
}

impl Ticked {
    fn add(&mut self, other: Self) {
        self.started += other.started;
        self.queued += other.queued;
        self.skipped += other.skipped;
        self.missed += other.missed;
    }
}
