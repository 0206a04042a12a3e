//! Closing the gates of a run that was stopped.

use countersign_approval::{ApprovalId, Move, Request, RunId, Status, close};
use jiff::Timestamp;

use crate::error::GateError;
use crate::service::{Gatekeeper, RACES};

impl Gatekeeper {
    /// Cancels every open gate of a run and wakes what waits at it, so that the execution comes to its end. How many were
    /// open.
    ///
    /// # Errors
    /// [`GateError`] when the table does not answer; calling again goes on where it stopped.
    pub async fn cancel_for_run(&self, run: &RunId, now: Timestamp) -> Result<usize, GateError> {
        self.close_open(run, now, true).await
    }

    /// As [`Gatekeeper::cancel_for_run`] when the execution has come to its end: nobody waits, so nobody is woken.
    ///
    /// # Errors
    /// [`GateError`] when the table does not answer; calling again goes on where it stopped.
    pub async fn close_for_run(&self, run: &RunId, now: Timestamp) -> Result<usize, GateError> {
        self.close_open(run, now, false).await
    }

    /// Closes every open gate of a run; `wakes` what waits at it, or nobody.
    async fn close_open(
        &self,
        run: &RunId,
        now: Timestamp,
        wakes: bool,
    ) -> Result<usize, GateError> {
        let mut closed = 0;
        for approval in self.open_of(run).await? {
            closed += usize::from(self.close_one(&approval, now, wakes).await?);
        }
        Ok(closed)
    }

    /// The requests of a run that are not closed.
    async fn open_of(&self, run: &RunId) -> Result<Vec<ApprovalId>, GateError> {
        let places = self.records.places(run).await;
        let places = places.map_err(GateError::doing("reading the gates of the run"))?;
        let open = places.into_iter().filter(|place| !place.status.is_final());
        Ok(open.map(|place| place.approval).collect())
    }

    async fn close_one(
        &self,
        id: &ApprovalId,
        now: Timestamp,
        wakes: bool,
    ) -> Result<bool, GateError> {
        for _ in 0..RACES {
            let request = self.load(id).await?.request;
            if request.status.is_final() {
                return Ok(false);
            }
            let ended = close(&request, Status::Cancelled, now)?;
            let is_closed = if wakes {
                self.end(&request, &ended, now).await?
            } else {
                self.end_quietly(&request, &ended, now).await?
            };
            if is_closed {
                return Ok(true);
            }
        }
        Err(GateError::Contended)
    }

    /// As [`Gatekeeper::end`], without waking anybody. `false` when somebody else was faster.
    async fn end_quietly(
        &self,
        before: &Request,
        ended: &Move,
        now: Timestamp,
    ) -> Result<bool, GateError> {
        if !self.write_end(before, ended, now).await? {
            return Ok(false);
        }
        self.runs.closed(&ended.request).await?;
        let noted = self.records.moved(&ended.request).await;
        noted.map_err(GateError::doing("noting that the run has moved"))?;
        Ok(true)
    }
}
