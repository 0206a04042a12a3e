//! Closing the gates of a run that was stopped.

use countersign_approval::{ApprovalId, RunId, Status, close};
use countersign_store_approvals::Committed;
use jiff::Timestamp;

use crate::error::{GateError, GateFuture};
use crate::service::{Gatekeeper, RACES};

impl Gatekeeper {
    /// Cancels every open gate of a run and wakes what waits at it, so that the execution comes to its end. How many were
    /// open.
    ///
    /// # Errors
    /// [`GateError`] when the table does not answer; calling again goes on where it stopped.
    pub fn cancel_for_run<'a>(&'a self, run: &'a RunId, now: Timestamp) -> GateFuture<'a, usize> {
        Box::pin(async move {
            let mut cancelled = 0;
            for approval in self.open_of(run).await? {
                cancelled += usize::from(self.cancel(&approval, now).await?);
            }
            Ok(cancelled)
        })
    }

    /// As [`Gatekeeper::cancel_for_run`] when the execution has come to its end: nobody waits, so nobody is woken.
    ///
    /// # Errors
    /// [`GateError`] when the table does not answer; calling again goes on where it stopped.
    pub fn close_for_run<'a>(&'a self, run: &'a RunId, now: Timestamp) -> GateFuture<'a, usize> {
        Box::pin(async move {
            let mut closed = 0;
            for approval in self.open_of(run).await? {
                closed += usize::from(self.close_quietly(&approval, now).await?);
            }
            Ok(closed)
        })
    }

    /// The requests of a run that are not closed.
    async fn open_of(&self, run: &RunId) -> Result<Vec<ApprovalId>, GateError> {
        let places = self.records.places(run).await;
        let places = places.map_err(GateError::doing("reading the gates of the run"))?;
        let open = places.into_iter().filter(|place| !place.status.is_final());
        Ok(open.map(|place| place.approval).collect())
    }

    async fn close_quietly(&self, id: &ApprovalId, now: Timestamp) -> Result<bool, GateError> {
        for _ in 0..RACES {
            let request = self.load(id).await?.request;
            if request.status.is_final() {
                return Ok(false);
            }
            let ended = close(&request, Status::Cancelled, now)?;
            let receipt = ended.receipt.as_ref();
            if self.commit(&request, &ended.request, receipt, now).await? == Committed::Stale {
                continue;
            }
            if let Some(receipt) = receipt {
                self.hand_over(&ended.request, receipt).await;
            }
            self.runs.closed(&ended.request).await?;
            let noted = self.records.moved(&ended.request).await;
            noted.map_err(GateError::doing("noting that the run has moved"))?;
            return Ok(true);
        }
        Err(GateError::Contended)
    }

    async fn cancel(&self, id: &ApprovalId, now: Timestamp) -> Result<bool, GateError> {
        for _ in 0..RACES {
            let request = self.load(id).await?.request;
            if request.status.is_final() {
                return Ok(false);
            }
            let ended = close(&request, Status::Cancelled, now)?;
            if self.end(&request, &ended, now).await? {
                return Ok(true);
            }
        }
        Err(GateError::Contended)
    }
}
