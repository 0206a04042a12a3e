//! The requests to the tables, as `shared/adapters/store-catalog` makes them: whatever takes several reads again in between.

use std::rc::Rc;

use countersign_identity::UserId;
use countersign_run::{Occurrence, OccurrenceId, OpenPlace, RunId};
use countersign_schedule::{MAX_OVERDUE, MAX_SAID, NOTED_TRIES, OPEN_PAGE, Sweeps};
use jiff::Timestamp;

use super::ledger::{DueNext, Ledger, Open, Page, StoredSchedule, Turn};
use super::runs::{Head, Run};
use super::schedules::World;
use super::timeline::Unanswered;

type Answer<T> = Result<T, Unanswered>;

impl World {
    async fn asks<T>(&self, does: impl Fn(&mut Ledger) -> T) -> Answer<T> {
        self.time.request(|| does(&mut self.ledger.borrow_mut())).await
    }

    pub(super) async fn due_next(&self, of: usize) -> Answer<Option<DueNext>> {
        self.asks(|ledger| ledger.due_next(of)).await
    }

    pub(super) async fn schedule(&self, of: usize) -> Answer<Rc<StoredSchedule>> {
        self.asks(|ledger| ledger.schedule(of)).await
    }

    pub(super) async fn source(&self, of: &Occurrence) -> Answer<Option<Rc<StoredSchedule>>> {
        self.asks(|ledger| ledger.source(&of.source_id)).await
    }

    /// What is overdue of the day: once it is over, nothing more is due.
    pub(super) async fn overdue(&self, now: Timestamp) -> Answer<Vec<usize>> {
        let by = now.min(self.day.end());
        self.asks(|ledger| ledger.overdue(by, MAX_OVERDUE)).await
    }

    pub(super) async fn move_on(&self, from: DueNext, next: Option<Timestamp>) -> Answer<bool> {
        self.asks(|ledger| ledger.move_on(from, next)).await
    }

    pub(super) async fn notice(&self, of: &Occurrence) -> Answer<bool> {
        self.asks(|ledger| ledger.notice(of)).await
    }

    pub(super) async fn occurrence(&self, id: &OccurrenceId) -> Answer<Option<Occurrence>> {
        self.asks(|ledger| ledger.occurrence(id)).await
    }

    pub(super) async fn move_occurrence(&self, after: &Occurrence) -> Answer<bool> {
        self.asks(|ledger| ledger.move_occurrence(after)).await
    }

    /// Notes that so many runs have begun; whoever noted meanwhile that it waits, or that no run was to be, did not know of that.
    pub(super) async fn note_begun(
        &self,
        of: &Occurrence,
        runs: usize,
        now: Timestamp,
    ) -> Answer<Occurrence> {
        let mut known = of.clone();
        let all: Vec<RunId> = (0..runs).map(|n| of.id.run(n)).collect();
        for _ in 0..NOTED_TRIES {
            let after = Occurrence { runs: all.clone(), status: None, ..known.begun(now) };
            if self.move_occurrence(&after).await? {
                return Ok(after);
            }
            match self.occurrence(&of.id).await? {
                Some(found) if found.runs.len() < runs => known = found,
                found => return Ok(found.unwrap_or(after)),
            }
        }
        Err(Unanswered)
    }

    pub(super) async fn open_occurrences(
        &self,
        source: &str,
        limit: usize,
        after: Option<&str>,
    ) -> Answer<Page> {
        self.asks(|ledger| ledger.open_of(source, limit, after)).await
    }

    pub(super) async fn open_behind(&self, which: Open, after: Option<&str>) -> Answer<Page> {
        self.asks(|ledger| ledger.open_behind(which, after, OPEN_PAGE)).await
    }

    pub(super) async fn waiting_of(&self, owner: &UserId, many: usize) -> Answer<usize> {
        self.asks(|ledger| ledger.waiting_of(owner, many)).await
    }

    pub(super) async fn place_of_open(&self, which: Open) -> Answer<OpenPlace> {
        self.asks(|ledger| ledger.place_of_open(which)).await
    }

    pub(super) async fn set_place_of_open(&self, which: Open, place: &OpenPlace) -> Answer<()> {
        self.asks(|ledger| ledger.set_place_of_open(which, place)).await
    }

    /// Takes the turn of this occurrence's source, unless another one that is not at its end has it.
    pub(super) async fn take_turn(&self, of: &Occurrence) -> Answer<bool> {
        let held = self.turn(of).await?;
        let version = held.as_ref().map_or(0, |turn| turn.version);
        if let Some(Turn { occurrence, .. }) = &held {
            if *occurrence == of.id {
                return Ok(true);
            }
            let holder = self.occurrence(occurrence).await?;
            if holder.is_some_and(|holder| !holder.state.is_final()) {
                return Ok(false);
            }
        }
        if self.asks(|ledger| ledger.put_turn(of, version)).await? {
            return Ok(true);
        }
        self.holds_turn(of).await
    }

    pub(super) async fn holds_turn(&self, of: &Occurrence) -> Answer<bool> {
        Ok(self.turn(of).await?.is_some_and(|turn| turn.occurrence == of.id))
    }

    async fn turn(&self, of: &Occurrence) -> Answer<Option<Turn>> {
        self.asks(|ledger| ledger.turn(&of.source_id)).await
    }

    pub(super) async fn unbegun_since(&self, of: &Occurrence, now: Timestamp) -> Answer<Timestamp> {
        self.asks(|ledger| ledger.unbegun_since(&of.id, now)).await
    }

    pub(super) async fn unsaid_occurrences(&self) -> Answer<Vec<OccurrenceId>> {
        self.asks(|ledger| ledger.unsaid(MAX_SAID)).await
    }

    pub(super) async fn said(&self, id: &OccurrenceId) -> Answer<()> {
        self.asks(|ledger| ledger.said(id)).await
    }

    pub(super) async fn noted_sweeps(&self) -> Answer<Option<Sweeps>> {
        self.asks(|ledger| ledger.sweeps).await
    }

    pub(super) async fn note_sweeps(&self, sweeps: Sweeps) -> Answer<()> {
        self.asks(|ledger| ledger.sweeps = Some(sweeps)).await
    }

    pub(super) async fn head(&self, run: &RunId) -> Answer<Option<Head>> {
        self.asks(|ledger| ledger.runs.head(run, self.time.now())).await
    }

    pub(super) async fn start(&self, id: &RunId, run: Run) -> Answer<()> {
        self.asks(|ledger| ledger.runs.start(id, run)).await
    }

    pub(super) async fn stop(&self, run: &RunId) -> Answer<()> {
        self.asks(|ledger| ledger.runs.stop(run, self.time.now())).await
    }
}
