//! A parked batch that its owner has processed after all, with what it holds.

use countersign_failure::Failure;
use countersign_run::RunId;
use jiff::Timestamp;

use crate::batch::{Batch, BatchState, run_id};
use crate::new_items::TooLarge;
use crate::tick::{Open, State};

/// Why a batch is not opened again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
pub enum NotReopened {
    /// Its monitor processes it, or it is done.
    #[error("the batch {number} is {}, not parked", state.as_str())]
    #[failure(
        code = "BATCH_NOT_PARKED",
        status = 409,
        help = "`GET /api/agent-factory/monitors/{id}/batches?state=parked` lists those that are"
    )]
    NotParked {
        /// Its number.
        number: u64,
        /// Where it stands.
        state: BatchState,
    },
    /// What its run has done is not to be done again.
    #[error("the batch {number} had a run, `{run}`, which may have done a part of it")]
    #[failure(
        code = "BATCH_HAD_RUN",
        status = 409,
        help = Some(format!("repeat the run: `POST /api/agent-factory/executions/{run}/repeat` leaves out what it has done"))
    )]
    HadRun {
        /// Its number.
        number: u64,
        /// Its last run.
        run: RunId,
    },
    /// Nothing is kept of its item but the name.
    #[error("the batch {number} has no content: its item is larger than a batch may be")]
    #[failure(
        code = "BATCH_WITHOUT_CONTENT",
        status = 409,
        help = "let the endpoint leave out what is large, and reset the watermark of the step"
    )]
    WithoutContent {
        /// Its number.
        number: u64,
    },
    /// A monitor has one open batch.
    #[error("the monitor processes the batch {open}, and one batch at a time")]
    #[failure(
        code = "BATCH_OPEN",
        status = 409,
        help = "ask again when that batch is committed or parked: `GET /api/agent-factory/monitors/{id}/state` has it as `open_batch`"
    )]
    OtherOpen {
        /// The number of the open one.
        open: u64,
    },
}

impl Batch {
    /// Its last run; none when no run of it was ever started, as far as its record says.
    #[must_use]
    pub fn last_run(&self) -> Option<RunId> {
        if self.refused_for.is_none() {
            return self.run_status.is_some().then(|| self.run.clone());
        }
        // The run that was refused is not one of its runs.
        (self.attempt > 1).then(|| run_id(&self.id, self.attempt - 1))
    }

    /// Whether its owner has opened it again, and its monitor processes it.
    #[must_use]
    pub fn is_reopened(&self) -> bool {
        self.state == BatchState::Open && self.reopened_at.is_some()
    }

    /// The same as the open batch of its monitor again, and the monitor then: the next tick starts its run, whenever that comes.
    /// None when it is that already.
    ///
    /// Its tries count anew. The watermarks are behind it since it was parked; its end does not move them.
    ///
    /// # Errors
    /// [`NotReopened`].
    pub fn reopened(
        &self,
        state: &State,
        now: Timestamp,
    ) -> Result<Option<(Self, State)>, NotReopened> {
        let number = self.number;
        if self.is_reopened() {
            return Ok(None);
        }
        if self.state != BatchState::Parked {
            return Err(NotReopened::NotParked { number, state: self.state });
        }
        if let Some(run) = self.last_run() {
            return Err(NotReopened::HadRun { number, run });
        }
        if self.refused_for.as_ref().is_some_and(|why| why.code == TooLarge::CODE) {
            return Err(NotReopened::WithoutContent { number });
        }
        if let Some(open) = &state.open {
            return Err(NotReopened::OtherOpen { open: open.number });
        }
        let batch = Self {
            state: BatchState::Open,
            refusals: 0,
            refused_for: None,
            closed_at: None,
            reopened_at: Some(now),
            is_untold: false,
            version: self.version + 1,
            ..self.clone()
        };
        let (id, run) = (self.id.clone(), self.run.clone());
        let open = Open { batch: id, number, run, retry_after: None };
        let version = state.version + 1;
        // A monitor whose last tick failed would rest first.
        let state = State { open: Some(open), retry_at: Some(now), version, ..state.clone() };
        Ok(Some((batch, state)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use countersign_run::{MonitorId, OccurrenceReason, RunStatus};

    use super::*;
    use crate::{Due, Interval, MAX_ATTEMPTS, Settled, Timing, refused, settle, tick};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    /// A batch that was parked because its run was refused, and its monitor.
    fn parked() -> Settled {
        let monitor = MonitorId::from_bytes([1; 16]);
        let batch = Batch::found(&monitor, &State::default(), 2, BTreeMap::new(), at(0));
        let state = State::default().opened(&batch, at(0)).failed("refused", at(1));
        refuse(&Batch { refusals: MAX_ATTEMPTS - 1, ..batch }, &state)
    }

    fn refuse(batch: &Batch, state: &State) -> Settled {
        let why = OccurrenceReason { code: "X".to_owned(), message: "nobody signs".to_owned() };
        refused(batch, state, &why, false, at(1))
    }

    #[test]
    fn f_218_a_parked_batch_without_a_run_is_opened_again_once() {
        let Settled { batch, state, moves } = parked();
        assert!(moves, "the watermarks go behind it");
        let (open, after) = batch.reopened(&state, at(9)).unwrap().unwrap();
        assert_eq!((open.state, open.attempt, open.refusals), (BatchState::Open, 1, 0));
        assert_eq!((&open.refused_for, open.closed_at), (&None, None));
        assert_eq!((&open.run, open.version), (&batch.run, batch.version + 1));
        assert_eq!((after.version, after.batches), (state.version + 1, state.batches));
        assert_eq!(open.reopened(&after, at(10)), Ok(None), "it is so already");
        let timing = Timing { interval: Interval::Minutes5, hours: None, suppress_if_empty: true };
        let due = tick(&after, &timing, false, at(9));
        assert!(
            matches!(due, Due::Resume(resumed) if resumed.run == batch.run),
            "it does not rest"
        );
        assert!(after.overdue_at(&timing, at(9)) <= at(9), "the sweeper ticks it");
    }

    #[test]
    fn k_66_the_end_of_a_batch_that_was_opened_again_moves_no_watermark() {
        let Settled { batch, state, .. } = parked();
        // It was, or a reset in between has kept it where it is.
        for has_moved in [true, false] {
            let batch = Batch { has_moved, ..batch.clone() };
            let (open, after) = batch.reopened(&state, at(9)).unwrap().unwrap();
            let ended = settle(&open, &after, &open.run, RunStatus::Complete, at(10)).unwrap();
            assert_eq!((ended.batch.state, ended.moves), (BatchState::Committed, false));
            assert_eq!(ended.batch.has_moved, has_moved);
            let last = Batch { refusals: MAX_ATTEMPTS - 1, ..open };
            let again = refuse(&last, &after);
            assert_eq!((again.batch.state, again.moves), (BatchState::Parked, false));
            assert_eq!(again.batch.has_moved, has_moved);
            assert!(again.batch.reopened(&again.state, at(11)).unwrap().is_some());
        }
    }

    #[track_caller]
    fn check(batch: &Batch, state: &State, expect: &NotReopened) {
        assert_eq!(batch.reopened(state, at(9)).unwrap_err(), *expect);
    }

    #[test]
    fn f_218_what_is_not_parked_or_had_a_run_or_is_not_alone_stays_as_it_is() {
        let Settled { batch, state, .. } = parked();
        for other in [BatchState::Open, BatchState::Committed] {
            let batch = Batch { state: other, ..batch.clone() };
            check(&batch, &state, &NotReopened::NotParked { number: 1, state: other });
        }
        let status = Some("error".to_owned());
        let failed = Batch { run_status: status, refused_for: None, attempt: 3, ..batch.clone() };
        check(&failed, &state, &NotReopened::HadRun { number: 1, run: failed.run.clone() });
        // Its second run was refused.
        let run = run_id(&batch.id, 1);
        let second = Batch { attempt: 2, run: run_id(&batch.id, 2), ..batch.clone() };
        check(&second, &state, &NotReopened::HadRun { number: 1, run });
        let large = TooLarge { key: "report".to_owned(), bytes: 9, limit: 8 }.reason();
        let large = Batch { refused_for: Some(large), ..batch.clone() };
        check(&large, &state, &NotReopened::WithoutContent { number: 1 });
        let monitor = MonitorId::from_bytes([1; 16]);
        let next = Batch::found(&monitor, &state, 1, BTreeMap::new(), at(8));
        let busy = state.opened(&next, at(8));
        check(&batch, &busy, &NotReopened::OtherOpen { open: 2 });
    }
}
