//! What the end of a run means for its batch.

use countersign_run::{RunId, RunStatus};
use jiff::Timestamp;

use crate::batch::{Batch, BatchState, MAX_ATTEMPTS, run_id};
use crate::tick::{Open, State, retry_after};

/// What the end of a run means for what it processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is done: the run came to its end, or people said no, or nobody said anything in time.
    Done,
    /// It is to be tried again.
    Again,
}

/// What this status means for a batch; none while the run goes on.
#[must_use]
pub fn fate(status: RunStatus) -> Option<Fate> {
    match status {
        RunStatus::Complete
        | RunStatus::Partial
        | RunStatus::Suppressed
        | RunStatus::Skipped
        | RunStatus::OutsideActiveHours
        | RunStatus::Rejected
        | RunStatus::Timeout => Some(Fate::Done),
        RunStatus::Error | RunStatus::Cancelled => Some(Fate::Again),
        RunStatus::Running | RunStatus::AwaitingApproval => None,
    }
}

/// What is to be written when a run of a batch has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The batch.
    pub batch: Batch,
    /// The monitor.
    pub state: State,
    /// Whether the watermarks move to what the batch proposes.
    pub moves: bool,
}

/// What the end of `run` means; none when the batch is not this run's any more.
#[must_use]
pub fn settle(
    batch: &Batch,
    state: &State,
    run: &RunId,
    status: RunStatus,
    now: Timestamp,
) -> Option<Settled> {
    let open = state.open.as_ref().filter(|open| open.batch == batch.id && open.run == *run)?;
    if batch.state != BatchState::Open || batch.run != *run || open.retry_after.is_some() {
        return None;
    }
    let ended = match fate(status)? {
        Fate::Done => BatchState::Committed,
        Fate::Again if batch.attempt >= MAX_ATTEMPTS => BatchState::Parked,
        Fate::Again => BatchState::Open,
    };
    let is_closed = ended != BatchState::Open;
    let batch = Batch {
        state: ended,
        run_status: Some(status.as_str().to_owned()),
        has_moved: is_closed,
        closed_at: is_closed.then_some(now),
        version: batch.version + 1,
        ..batch.clone()
    };
    let waiting = Open { retry_after: Some(retry_after(now)), ..open.clone() };
    let state = State {
        open: (!is_closed).then_some(waiting),
        version: state.version + 1,
        ..state.clone()
    };
    Some(Settled { batch, state, moves: is_closed })
}

impl Batch {
    /// The same with its next run, and the monitor then.
    #[must_use]
    pub fn tried_again(&self, state: &State) -> (Self, State) {
        let attempt = self.attempt + 1;
        let run = run_id(&self.id, attempt);
        let (batch, number) = (self.id.clone(), self.number);
        let open = Open { batch, number, run: run.clone(), retry_after: None };
        let batch = Self { attempt, run, version: self.version + 1, ..self.clone() };
        (batch, State { open: Some(open), version: state.version + 1, ..state.clone() })
    }
}
