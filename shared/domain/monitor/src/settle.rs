//! What the end of a run means for its batch.

use countersign_run::{RunId, RunStatus};
use jiff::Timestamp;

use crate::batch::{Batch, BatchState, MAX_ATTEMPTS, run_id};
use crate::tick::{Open, State, retry_after};

/// How often what another change came before is read again.
pub const SETTLE_TRIES: u32 = 5;

/// What the end of a run means for what it processed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchOutcome {
    /// It is done: the run came to its end, or people said no, or nobody said anything in time.
    Done,
    /// It is to be tried again.
    Again,
    /// Somebody stopped it: nothing tries it again, and what it held is kept.
    Left,
}

/// What this status means for a batch; none while the run goes on.
#[must_use]
pub fn fate(status: RunStatus) -> Option<BatchOutcome> {
    match status {
        RunStatus::Complete
        | RunStatus::Partial
        | RunStatus::Suppressed
        | RunStatus::Skipped
        | RunStatus::OutsideActiveHours
        | RunStatus::Rejected
        | RunStatus::Timeout => Some(BatchOutcome::Done),
        RunStatus::Error => Some(BatchOutcome::Again),
        RunStatus::Cancelled => Some(BatchOutcome::Left),
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
        BatchOutcome::Done => BatchState::Committed,
        BatchOutcome::Left => BatchState::Parked,
        BatchOutcome::Again if batch.attempt >= MAX_ATTEMPTS => BatchState::Parked,
        BatchOutcome::Again => BatchState::Open,
    };
    let is_closed = ended != BatchState::Open;
    let moves = is_closed && batch.moves_at_its_end();
    let batch = Batch {
        state: ended,
        run_status: Some(status.as_str().to_owned()),
        has_moved: moves || batch.has_moved,
        closed_at: is_closed.then_some(now),
        refusals: 0,
        refused_for: None,
        version: batch.version + 1,
        ..batch.clone()
    };
    let waiting = Open { retry_after: Some(retry_after(now)), ..open.clone() };
    let state = State {
        open: (!is_closed).then_some(waiting),
        // It has had a run.
        failing: None,
        version: state.version + 1,
        ..state.clone()
    };
    Some(Settled { batch, state, moves })
}

impl Batch {
    /// The same with its next run, and the monitor then.
    #[must_use]
    pub fn tried_again(&self, state: &State) -> (Self, State) {
        let attempt = self.attempt + 1;
        let run = run_id(&self.id, attempt);
        let (batch, number) = (self.id.clone(), self.number);
        let open = Open { batch, number, run: run.clone(), retry_after: None };
        let version = self.version + 1;
        let batch = Self { attempt, run, refusals: 0, refused_for: None, version, ..self.clone() };
        (batch, State { open: Some(open), version: state.version + 1, ..state.clone() })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use countersign_run::MonitorId;

    use super::*;
    use crate::batch::batch_id;

    fn check(status: RunStatus, attempt: u32, expect: BatchState) {
        let monitor = MonitorId::from_bytes([1; 16]);
        let now = Timestamp::UNIX_EPOCH;
        let id = batch_id(&monitor, 1, now);
        let run = run_id(&id, attempt);
        let open = Open { batch: id.clone(), number: 1, run: run.clone(), retry_after: None };
        let batch = Batch {
            id,
            number: 1,
            monitor_id: monitor,
            state: BatchState::Open,
            run: run.clone(),
            attempt,
            count: 1,
            previous: BTreeMap::new(),
            has_moved: false,
            run_status: None,
            refusals: 0,
            refused_for: None,
            created_at: now,
            closed_at: None,
            reopened_at: None,
            is_untold: false,
            version: 1,
        };
        let state = State { open: Some(open), ..State::default() };
        let settled = settle(&batch, &state, &run, status, now).unwrap();
        assert_eq!(settled.batch.state, expect, "{status:?}");
        assert_eq!(settled.state.open.is_some(), expect == BatchState::Open, "{status:?}");
    }

    #[test]
    fn f_214_a_run_that_failed_is_tried_again_and_one_that_somebody_stopped_is_not() {
        check(RunStatus::Complete, 1, BatchState::Committed);
        check(RunStatus::Rejected, 1, BatchState::Committed);
        check(RunStatus::Error, 1, BatchState::Open);
        check(RunStatus::Error, MAX_ATTEMPTS, BatchState::Parked);
        check(RunStatus::Cancelled, 1, BatchState::Parked);
    }
}
