//! The runs of batches, in the order of the requests of `functions/cron-monitor` (`batch.rs`, `start.rs`), and their ends, as
//! `functions/run-finish` notes them.

use countersign_monitor::{
    Open, SETTLE_TRIES, Settled, StartBlocker, State, TickOutcome, fate, refused, settle,
};
use countersign_run::{BatchId, OccurrenceReason, RunId, RunStatus};
use jiff::Timestamp;

use super::monitor_store::Standing;
use super::tables::{Batched, Change, Start};
use super::timeline::Unanswered;
use super::watcher::Ticking;

/// What is read before a run is written: the earlier runs of the batch, what the owner may do, whether gates can be signed.
const READS: usize = 8;
/// Why no run begins.
const REASON: (&str, &str) = ("RUN_NOT_STARTED", "as things are, no run begins");

impl<'w> Ticking<'w> {
    pub(super) fn trying<'t>(
        self,
        standing: &'t Standing,
        batched: &'t Batched,
        state: &'t State,
    ) -> Trying<'w, 't> {
        Trying { ticking: self, standing, batched, state }
    }

    /// Sees that the run of the open batch has been started, and that its end is written down.
    pub(super) async fn resume(self, standing: &Standing, open: &Open) -> Result<(), Unanswered> {
        let Some(run) = self.world.run(self.nth, &open.run).await? else {
            return self.start(standing, open).await;
        };
        if run.ends <= self.world.time.now() && fate(run.status).is_some() {
            return self.ended(&run.batch, &open.run, run.status).await;
        }
        self.noted(standing, TickOutcome::Waiting, &[]).await
    }

    /// Starts the run of the open batch, which nobody has started.
    async fn start(self, standing: &Standing, open: &Open) -> Result<(), Unanswered> {
        let Some(batched) = self.world.batch(self.nth, open.number).await? else { return Ok(()) };
        let state = standing.state.ticked(TickOutcome::Started, self.now);
        let clock = state.overdue_at(&standing.timing, self.now);
        match self.world.note(self.nth, &state, &[], clock).await? {
            true => self.trying(standing, &batched, &state).start().await,
            false => Ok(()),
        }
    }

    /// Starts the next run of a batch whose run failed.
    pub(super) async fn retry(self, standing: &Standing, open: &Open) -> Result<(), Unanswered> {
        let Some(batched) = self.world.batch(self.nth, open.number).await? else { return Ok(()) };
        let (batch, state) = batched.batch.tried_again(&standing.state);
        let state = state.retried(self.now);
        let after = batched.after(&batch);
        let batch = Some((after.clone(), Some(batched.batch.version)));
        let marks = Vec::new();
        let change = Change { state: state.clone(), marks, clock: None, batch };
        match self.world.apply(self.nth, &change).await? {
            true => self.trying(standing, &after, &state).start().await,
            false => Ok(()),
        }
    }

    /// Writes what the end of a run means for its batch. Whoever is late reads again.
    pub(super) async fn ended(
        self,
        batch: &BatchId,
        run: &RunId,
        status: RunStatus,
    ) -> Result<(), Unanswered> {
        for _ in 0..SETTLE_TRIES {
            if self.try_to_end(batch, run, status).await? {
                return Ok(());
            }
        }
        Err(Unanswered)
    }

    /// Whether nothing is left to be written.
    async fn try_to_end(
        self,
        batch: &BatchId,
        run: &RunId,
        status: RunStatus,
    ) -> Result<bool, Unanswered> {
        let Standing { state, marks, .. } = self.world.standing(self.nth).await?;
        let open = state.open.as_ref().filter(|open| open.batch == *batch);
        let Some(open) = open else { return Ok(true) };
        let Some(batched) = self.world.batch(self.nth, open.number).await? else { return Ok(true) };
        match settle(&batched.batch, &state, run, status, self.now) {
            Some(settled) => {
                self.world.settle(self.nth, &batched, &settled, (&marks, None, self.now)).await
            }
            None => Ok(true),
        }
    }
}

/// A batch whose run is to be started.
pub(super) struct Trying<'w, 't> {
    ticking: Ticking<'w>,
    standing: &'t Standing,
    batched: &'t Batched,
    /// The monitor's, as it was written.
    state: &'t State,
}

impl Trying<'_, '_> {
    /// Starts the run with what the batch holds.
    async fn start(&self) -> Result<(), Unanswered> {
        match self.ticking.world.time.requests(1).await {
            Ok(()) => self.at_once().await,
            Err(error) => self.note(Err(error)).await,
        }
    }

    /// Starts the run with what was found.
    pub(super) async fn at_once(&self) -> Result<(), Unanswered> {
        let started = self.run().await;
        self.note(started).await
    }

    /// Starts the run; why not, when it cannot be started as things are.
    async fn run(&self) -> Result<Result<(), StartBlocker>, Unanswered> {
        let Ticking { world, nth, now } = self.ticking;
        world.time.requests(READS).await?;
        if let Some(why) = world.obstacle(nth) {
            return Ok(Err(why));
        }
        let run = world.drawn(&self.batched.batch.id);
        match world.start(nth, self.batched, &run, now).await? {
            Start::New | Start::Known => Ok(Ok(())),
            Start::Outdated => Ok(Err(StartBlocker::Refused)),
        }
    }

    /// Notes what came of starting it; a later tick tries again.
    async fn note(
        &self,
        started: Result<Result<(), StartBlocker>, Unanswered>,
    ) -> Result<(), Unanswered> {
        let Ticking { world, nth, .. } = self.ticking;
        let (why, passing) = match started {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(why)) => (why, None),
            Err(error) => (StartBlocker::Unanswered, Some(error)),
        };
        world.counts().not_started += 1;
        // Somebody else, who was not refused, has started it in between.
        if world.run(nth, &self.batched.batch.run).await?.is_none() {
            if self.is_outdated().await? {
                return passing.map_or(Ok(()), Err);
            }
            self.not_started(why).await?;
        }
        passing.map_or(Ok(()), Err)
    }

    /// Whether somebody else has changed the batch.
    async fn is_outdated(&self) -> Result<bool, Unanswered> {
        let batch = &self.batched.batch;
        let stored = self.ticking.world.batch(self.ticking.nth, batch.number).await?;
        Ok(stored.is_none_or(|stored| stored.batch.version != batch.version))
    }

    async fn not_started(&self, why: StartBlocker) -> Result<(), Unanswered> {
        let Ticking { world, nth, now } = self.ticking;
        let timing = &self.standing.timing;
        let state = self.state.not_started(REASON.1, why, timing, now);
        let clock = state.overdue_at(timing, now);
        let reason = OccurrenceReason { code: REASON.0.to_owned(), message: REASON.1.to_owned() };
        if why == StartBlocker::Refused {
            return self.refuse(&reason, &state, clock).await;
        }
        world.held_up(nth, self.batched, &reason, (&state, clock)).await.map(drop)
    }

    /// A run that is refused is tried again a few times; then the items of its batch are parked.
    async fn refuse(
        &self,
        why: &OccurrenceReason,
        state: &State,
        clock: Timestamp,
    ) -> Result<(), Unanswered> {
        let Ticking { world, nth, now } = self.ticking;
        let settled = refused(&self.batched.batch, state, why, false, now);
        let is_written = world.refused(nth, self.batched, &settled, (clock, now)).await?;
        // Whoever was faster has said what became of it.
        match is_written && settled.batch.state.is_parked() {
            true => self.say_parked(&settled, clock).await,
            false => Ok(()),
        }
    }

    /// Says that the batch is parked, and notes that it was said; what is not noted the next tick says once more.
    async fn say_parked(&self, settled: &Settled, clock: Timestamp) -> Result<(), Unanswered> {
        let Ticking { world, nth, .. } = self.ticking;
        if world.time.requests(1).await.is_ok() {
            let said = settled.state.said();
            let said = State { version: said.version + 1, ..said };
            world.note(nth, &said, &[], clock).await?;
        }
        Ok(())
    }
}
