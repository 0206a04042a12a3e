//! Sweeps, in the order of the requests of `shared/entry/clock` (`sweep.rs`, `left_out.rs`): how much one does and whose turn it is
//! is the code of the domain.

use countersign_run::{
    Occurrence, OccurrenceId, OpenOccurrence, OpenPlace, had_before, in_turns, left_at,
};
use countersign_schedule::{MAX_FOLLOWED, SAYING, Sweeps, are_enough, end_of_open, in_turn};
use jiff::{SignedDuration, Timestamp};

use super::ledger::Open;
use super::schedules::World;
use super::timeline::Unanswered;

impl World {
    /// Looks after everything that is due or under way, until there is no more time. One that fails does not keep the others.
    pub(super) async fn sweep(&self, now: Timestamp, until: Timestamp) -> Result<(), Unanswered> {
        let before = self.noted_sweeps().await?;
        self.note_sweeps(Sweeps::following(before, now)).await?;
        self.say_unsaid(now, self.half_way(self.half_way(until))).await?;
        self.tick_overdue(now, self.half_way(until)).await?;
        self.follow_all(Open::Waiting, now, self.half_way(until)).await?;
        self.follow_all(Open::Begun, now, until).await
    }

    /// Half of the time that is left.
    fn half_way(&self, until: Timestamp) -> Timestamp {
        let now = self.time.now();
        now + until.duration_since(now).max(SignedDuration::ZERO) / 2
    }

    async fn tick_overdue(&self, now: Timestamp, until: Timestamp) -> Result<(), Unanswered> {
        let overdue = in_turn(self.overdue(now).await?, now);
        for (n, of) in overdue.into_iter().enumerate() {
            if n > 0 && self.time.now() >= until {
                self.leave();
                break;
            }
            _ = self.tick(of, now).await;
        }
        Ok(())
    }

    /// There was no time for all.
    fn leave(&self) {
        self.outcome.borrow_mut().left += 1;
    }

    /// Follows open occurrences, owner by owner.
    async fn follow_all(
        &self,
        which: Open,
        now: Timestamp,
        until: Timestamp,
    ) -> Result<(), Unanswered> {
        let before = self.place_of_open(which).await?;
        let (open, end) = self.some_open(which, &before, until).await?;
        let turns = in_turns(open);
        let first = had_before(&before, turns.len());
        let followed = self.follow_turns(&turns, first, now, until).await;
        let place = left_at(&before, turns.len(), first + followed, end);
        if place != before {
            self.set_place_of_open(which, &place).await?;
        }
        Ok(())
    }

    /// Follows those whose turn it is; how many that were.
    async fn follow_turns(
        &self,
        turns: &[OpenOccurrence],
        first: usize,
        now: Timestamp,
        until: Timestamp,
    ) -> usize {
        let (all, mut followed) = (turns.len().min(MAX_FOLLOWED), 0);
        for (n, one) in turns.iter().cycle().skip(first).take(all).enumerate() {
            if n > 0 && self.time.now() >= until {
                self.leave();
                break;
            }
            _ = self.follow(one, now).await;
            followed = n + 1;
        }
        followed
    }

    /// Open occurrences of the part of the list that is looked at now, and where that part ends; none at the end of the list.
    async fn some_open(
        &self,
        which: Open,
        before: &OpenPlace,
        until: Timestamp,
    ) -> Result<(Vec<OpenOccurrence>, Option<String>), Unanswered> {
        let (mut open, mut next) = (Vec::new(), before.after.clone());
        loop {
            let page = self.open_behind(which, next.as_deref()).await?;
            open.extend(page.items);
            next = page.next;
            if next.is_none() || are_enough(&open, self.time.now() >= until) {
                let end = end_of_open(&open, next.is_some());
                return Ok((open, end));
            }
        }
    }

    /// Says what has become of an occurrence; what is not taken the sweeper says.
    pub(super) async fn report(&self, of: &Occurrence) {
        _ = self.say(of).await;
    }

    async fn say_unsaid(&self, now: Timestamp, until: Timestamp) -> Result<(), Unanswered> {
        let unsaid = self.unsaid_occurrences().await?;
        for (n, id) in unsaid.iter().enumerate() {
            if n > 0 && self.time.now() >= until {
                break;
            }
            _ = self.say_late(id, now).await;
        }
        Ok(())
    }

    async fn say_late(&self, id: &OccurrenceId, now: Timestamp) -> Result<(), Unanswered> {
        let Some(of) = self.occurrence(id).await? else { return self.said(id).await };
        let written = of.finished_at.unwrap_or(of.noticed_at);
        if now.duration_since(written).abs() < SAYING {
            return Ok(());
        }
        self.say(&of).await?;
        // What has changed meanwhile has nothing to be said.
        self.said(id).await
    }

    async fn say(&self, of: &Occurrence) -> Result<(), Unanswered> {
        if !of.is_to_be_said() {
            return Ok(());
        }
        // Whether the schedule's owner wants to hear of it, and the bus.
        self.time.requests(2).await?;
        self.said(&of.id).await
    }
}
