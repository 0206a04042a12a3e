//! What the sweeper does: ticks for what is overdue, and follows what is not at its end.

use std::time::Instant;

use countersign_failure::Failure as _;
use countersign_store_catalog::Open;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::Serialize;

use crate::tick::{Tick, Ticked};
use crate::{Clock, ClockError};

/// How many schedules one sweep ticks for.
const MOST: i32 = 200;

/// How many occurrences of a kind one sweep follows, about; the next one goes on behind them.
const MAX_OPEN: usize = 1_000;

/// How many of them are read at once.
const PAGE: i32 = 200;

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
    /// What there was no time for, as far as it was read: the next sweep begins with it.
    pub left: usize,
}

impl Clock {
    /// Looks after everything that is due or under way, until there is no more time: half of it is for what is due, half of the
    /// rest for occurrences whose run has not begun, so that runs that wait for people do not keep them. Of each kind one is
    /// looked after however short the time is. One that fails does not keep the others.
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
        let overdue = in_turn(self.catalog.overdue(now, MOST).await?, now);
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

    /// Follows open occurrences, the first one behind the last that was followed before.
    async fn follow_all(
        &self,
        which: Open,
        now: Timestamp,
        until: Instant,
        done: &mut Followed,
    ) -> Result<(), ClockError> {
        let began = self.catalog.place_of_open(which).await?;
        let (mut last, mut next, mut followed) = (began.clone(), None, 0);
        loop {
            let page =
                self.catalog.open_behind(which, began.as_ref(), PAGE, next.as_deref()).await?;
            let total = page.items.len();
            for (n, open) in page.items.into_iter().enumerate() {
                if followed > 0 && Instant::now() >= until {
                    done.left += total - n;
                    return Ok(self.catalog.set_place_of_open(which, last).await?);
                }
                if let Err(error) = self.follow(&open, now, done).await {
                    done.failed += 1;
                    tracing::error!(occurrence = %open.id, code = error.code(), "an occurrence could not be followed");
                }
                (followed, done.open) = (followed + 1, done.open + 1);
                last = Some(open.id);
            }
            next = page.next;
            if next.is_none() || followed >= MAX_OPEN {
                break;
            }
        }
        let last = last.filter(|_| next.is_some());
        if last != began {
            self.catalog.set_place_of_open(which, last).await?;
        }
        Ok(())
    }
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
