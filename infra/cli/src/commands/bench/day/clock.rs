//! Ticks of the clock of schedules, in the order of the requests of `shared/entry/clock` (`tick.rs`, `begin.rs`, `fire.rs`,
//! `queue.rs`): what is due and what becomes of it is the code of the domain. Triggers, quotas and what a person asks for before its
//! time are left out.

use countersign_run::{Occurrence, OccurrenceState, RunStatus};
use countersign_schedule::{
    DueDecision, MAX_QUEUED, MAX_WAITING_OF_OWNER, Overlap, is_kept_waiting, not_known,
};
use jiff::{SignedDuration, Timestamp};

use super::ledger::{DueNext, StoredSchedule};
use super::runs::Run;
use super::schedules::World;
use super::timeline::Unanswered;

/// What is read before a run is written: the agent and its playbook, what the owner may do, whether gates can be signed.
const READS: usize = 8;

/// Why no run has begun.
pub(super) enum NotBegun {
    /// As things are, it is refused.
    Refused,
    /// Something does not answer.
    Later(Unanswered),
}

impl From<Unanswered> for NotBegun {
    fn from(error: Unanswered) -> Self {
        Self::Later(error)
    }
}

impl World {
    /// Enters what was due, moves the schedule on, and begins what is to begin.
    pub(super) async fn tick(&self, of: usize, now: Timestamp) -> Result<(), Unanswered> {
        let Some(next) = self.due_next(of).await? else { return Ok(()) };
        let schedule = self.schedule(of).await?;
        match next.at <= now {
            true => self.due(&schedule, next, now).await,
            false => self.set_back(&schedule, next, now).await,
        }
    }

    async fn set_back(
        &self,
        schedule: &StoredSchedule,
        next: DueNext,
        now: Timestamp,
    ) -> Result<(), Unanswered> {
        let times = schedule.spec.timetable();
        if let Some(due) = times.and_then(|times| times.set_back_to(next.at, now)) {
            self.move_on(next, Some(due)).await?;
        }
        Ok(())
    }

    async fn due(
        &self,
        schedule: &StoredSchedule,
        next: DueNext,
        now: Timestamp,
    ) -> Result<(), Unanswered> {
        let (is_busy, undecided) = self.seems_busy(schedule, next, now).await?;
        let room = match schedule.spec.overlap {
            Overlap::Queue | Overlap::Skip => self.queue_room(schedule).await?,
            Overlap::Allow => 0,
        };
        // Every schedule of the day has due times.
        let Some(found) = schedule.spec.found_due(next.at, now, is_busy, room) else {
            return Ok(());
        };
        let begun = self.noticed(schedule, found.times, undecided, now).await?;
        self.move_on(next, found.next).await?;
        for of in begun {
            self.begin_or_wait(&of, schedule, now).await?;
        }
        Ok(())
    }

    /// Enters due times; those of them that are to begin.
    async fn noticed(
        &self,
        schedule: &StoredSchedule,
        times: Vec<(Timestamp, DueDecision)>,
        undecided: Option<&'static str>,
        now: Timestamp,
    ) -> Result<Vec<Occurrence>, Unanswered> {
        let mut begun = Vec::new();
        for (due, verdict) in times {
            let owner = schedule.owner.clone();
            let of = schedule.spec.occurrence(&schedule.id, owner, due, now);
            let of = verdict.judged(of, now);
            let of = match undecided {
                Some(code) => not_known(of, code),
                None => of,
            };
            if !self.notice(&of).await? && !self.is_of(&of, now).await? {
                continue;
            }
            match of.state {
                OccurrenceState::Due => begun.push(of),
                _ => self.report(&of).await,
            }
        }
        Ok(begun)
    }

    /// Whether the ledger's line of a due time was entered at this moment: then a write of this tick was sent twice.
    async fn is_of(&self, of: &Occurrence, now: Timestamp) -> Result<bool, Unanswered> {
        Ok(self.occurrence(&of.id).await?.is_some_and(|known| known.noticed_at == now))
    }

    /// Whether another run goes on; with a code where nobody could look for so long that it counts as going on.
    async fn seems_busy(
        &self,
        schedule: &StoredSchedule,
        next: DueNext,
        now: Timestamp,
    ) -> Result<(bool, Option<&'static str>), Unanswered> {
        if schedule.spec.overlap == Overlap::Allow {
            return Ok((false, None));
        }
        match self.is_busy(schedule, now).await {
            Err(_) if is_kept_waiting(next.at, now) => Ok((true, Some("STORE_UNAVAILABLE"))),
            found => Ok((found?, None)),
        }
    }

    /// How many more due times of a schedule may wait.
    async fn queue_room(&self, schedule: &StoredSchedule) -> Result<usize, Unanswered> {
        // One more: the run that goes on is open as well.
        let most = MAX_QUEUED + 1;
        let room = most.saturating_sub(self.count_open(schedule, most).await?);
        let waiting = self.waiting_of(&schedule.owner, MAX_WAITING_OF_OWNER).await?;
        Ok(room.min(MAX_WAITING_OF_OWNER - waiting))
    }

    async fn count_open(
        &self,
        schedule: &StoredSchedule,
        many: usize,
    ) -> Result<usize, Unanswered> {
        let (mut open, mut next): (usize, Option<String>) = (0, None);
        loop {
            let source = schedule.id.as_str();
            let page = self.open_occurrences(source, many, next.as_deref()).await?;
            open += page.items.iter().filter(|one| !one.is_to_be_asked_again()).count();
            next = page.next;
            if next.is_none() || open >= many {
                return Ok(open);
            }
        }
    }

    /// Begins an occurrence unless its schedule wants it to wait, or to be left out, while another one goes on.
    pub(super) async fn begin_or_wait(
        &self,
        of: &Occurrence,
        schedule: &StoredSchedule,
        now: Timestamp,
    ) -> Result<Occurrence, Unanswered> {
        let overlap = schedule.spec.overlap_at_start();
        if overlap == Overlap::Allow || self.has_turn(of).await? {
            return self.begin(of, schedule, now).await;
        }
        let skipped = |code| of.ended(OccurrenceState::Skipped, code, "it comes to no run", now);
        let after = match overlap {
            Overlap::Skip => skipped("OVERLAP"),
            // The one that goes on is open as well.
            _ if self.is_full(of, MAX_QUEUED + 1).await? => skipped("QUEUE_FULL"),
            _ => of.moved(OccurrenceState::Queued, now),
        };
        self.changed(after).await
    }

    /// Whether as many wait already as may: so many of its schedule are not at their end, or so many of its owner's wait.
    async fn is_full(&self, of: &Occurrence, most: usize) -> Result<bool, Unanswered> {
        let waiting = self.waiting_of(&of.owner, MAX_WAITING_OF_OWNER + 1).await?;
        Ok(waiting > MAX_WAITING_OF_OWNER || self.are_open(of, most + 1).await?)
    }

    async fn are_open(&self, of: &Occurrence, many: usize) -> Result<bool, Unanswered> {
        let open = self.open_occurrences(&of.source_id, many, None).await?;
        Ok(open.items.len() >= many)
    }

    /// Whether it may go on, of a schedule whose runs go one after the other.
    pub(super) async fn has_turn(&self, of: &Occurrence) -> Result<bool, Unanswered> {
        match self.is_first(of).await? {
            true => self.take_turn(of).await,
            false => self.holds_turn(of).await,
        }
    }

    /// Begins an occurrence; how it is afterwards.
    pub(super) async fn begin(
        &self,
        of: &Occurrence,
        schedule: &StoredSchedule,
        now: Timestamp,
    ) -> Result<Occurrence, Unanswered> {
        match self.ask(of, schedule, 0).await {
            Ok(()) => self.note_begun(of, 1, now).await,
            // Somebody else, who was not refused, has begun it in between.
            Err(NotBegun::Refused) if self.head(&of.id.run(0)).await?.is_some() => {
                self.note_begun(of, 1, now).await
            }
            Err(NotBegun::Refused) => {
                let code = "PROFILE_INACTIVE";
                let skipped = of.ended(OccurrenceState::Skipped, code, "the agent is off", now);
                self.changed(skipped).await
            }
            Err(NotBegun::Later(error)) => Err(error),
        }
    }

    /// Asks for the run of an occurrence, or for a repetition of it.
    pub(super) async fn ask(
        &self,
        of: &Occurrence,
        schedule: &StoredSchedule,
        nth: usize,
    ) -> Result<(), NotBegun> {
        self.time.requests(READS).await?;
        let now = self.time.now();
        let trouble = schedule.trouble.as_ref();
        match trouble.filter(|trouble| trouble.hours.contains(&now)) {
            Some(trouble) if trouble.refuses => return Err(NotBegun::Refused),
            Some(_) => return Err(NotBegun::Later(Unanswered)),
            None => {}
        }
        self.start(&of.id.run(nth), self.drawn()).await?;
        // Its execution: should that fail, the sweeper starts it.
        _ = self.time.requests(1).await;
        Ok(())
    }

    /// A run takes up to twelve minutes; one of forty waits for people before that, up to six hours; one of ten fails.
    fn drawn(&self) -> Run {
        let started_at = self.time.now();
        let answered_at = match self.time.is_one_of(40) {
            true => started_at + self.time.seconds(60..6 * 3_600),
            false => started_at,
        };
        let status = match self.time.below(10) {
            0 => RunStatus::Error,
            1 => RunStatus::Rejected,
            _ => RunStatus::Complete,
        };
        let works: SignedDuration = self.time.seconds(1..720);
        let ends = (answered_at + works, status);
        Run { started_at, answered_at, ends, is_stopped: false, asked: 0 }
    }

    /// Writes down what has become of an occurrence, and reports it. Whoever was faster has said what it is.
    pub(super) async fn changed(&self, after: Occurrence) -> Result<Occurrence, Unanswered> {
        if self.move_occurrence(&after).await? {
            self.report(&after).await;
            return Ok(after);
        }
        Ok(self.occurrence(&after.id).await?.unwrap_or(after))
    }
}
