//! The sweeper: everything that was written and not yet told.

use countersign_approval::ApprovalId;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use crate::clock::Expiry;
use crate::error::{GateError, GateFuture};
use crate::open::occasion;
use crate::service::{Able, Gatekeeper};

/// How long the first try is left alone.
const GRACE: SignedDuration = SignedDuration::from_secs(30);

/// How much one sweep takes on of each kind; the next one goes on.
const MAX: i32 = 100;

/// What a sweep did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Swept {
    /// Requests that ended because their deadline passed.
    pub expired: usize,
    /// Decisions that reached their run.
    pub moved: usize,
    /// Decisions that still wait for their run's next attempt.
    pub unmoved: usize,
    /// Requests whose approvers were told.
    pub announced: usize,
    /// Requests whose approvers still were not told.
    pub unannounced: usize,
    /// Receipts that were handed to the sealer again.
    pub receipts: usize,
    /// Single items that failed; each is logged.
    pub failed: usize,
}

impl Gatekeeper {
    /// Expires what is overdue, tells what was not told, wakes what was not woken, and hands over what was not sealed.
    /// One item that fails does not keep the others.
    ///
    /// # Errors
    /// [`GateError`] when the table cannot be read.
    pub fn sweep(&self, now: Timestamp) -> GateFuture<'_, Swept> {
        Box::pin(async move {
            let mut swept = Swept::default();
            let before = now.checked_sub(GRACE).unwrap_or(now);
            self.sweep_overdue(now, &mut swept).await?;
            self.sweep_unannounced(before, &mut swept).await?;
            self.sweep_unmoved(before, &mut swept).await?;
            self.sweep_unsealed(before, &mut swept).await?;
            Ok(swept)
        })
    }

    async fn sweep_overdue(&self, now: Timestamp, swept: &mut Swept) -> Result<(), GateError> {
        let overdue = self.records.overdue(now, MAX).await;
        for place in overdue.map_err(GateError::doing("looking for overdue requests"))? {
            match self.expire(&place.approval, now).await {
                Ok(Expiry::Ended { .. }) => swept.expired += 1,
                Ok(_) => {}
                Err(error) => swept.note(&place.approval, &error),
            }
        }
        Ok(())
    }

    async fn sweep_unannounced(
        &self,
        before: Timestamp,
        swept: &mut Swept,
    ) -> Result<(), GateError> {
        let unannounced = self.records.unannounced(before, MAX).await;
        for id in unannounced.map_err(GateError::doing("looking for unannounced requests"))? {
            let request = match self.load(&id).await {
                Ok(loaded) => loaded.request,
                Err(error) => {
                    swept.note(&id, &error);
                    continue;
                }
            };
            if request.status.is_final() {
                // Too late to ask anybody; the mark goes.
                let gone = self.records.asked(&id, request.version).await;
                gone.map_err(GateError::doing("noting that nobody is asked any more"))?;
            } else if self.announce(&request, occasion(&request), Able::LookedUp).await {
                swept.announced += 1;
            } else {
                swept.unannounced += 1;
            }
        }
        Ok(())
    }

    async fn sweep_unmoved(&self, before: Timestamp, swept: &mut Swept) -> Result<(), GateError> {
        let unmoved = self.records.unmoved(before, MAX).await;
        for place in unmoved.map_err(GateError::doing("looking for unmoved runs"))? {
            match self.load(&place.approval).await {
                Ok(loaded) if self.settle(&loaded.request, None).await => swept.moved += 1,
                Ok(_) => swept.unmoved += 1,
                Err(error) => swept.note(&place.approval, &error),
            }
        }
        Ok(())
    }

    async fn sweep_unsealed(&self, before: Timestamp, swept: &mut Swept) -> Result<(), GateError> {
        let unsealed = self.records.unsealed(before, MAX).await;
        for receipt in unsealed.map_err(GateError::doing("looking for unsealed receipts"))? {
            match self.ledger.hand_over(&receipt).await {
                Ok(()) => swept.receipts += 1,
                Err(error) => swept.note(&receipt.approval, &error.into()),
            }
        }
        Ok(())
    }
}

impl Swept {
    fn note(&mut self, id: &ApprovalId, error: &GateError) {
        self.failed += 1;
        tracing::error!(approval = %id, error = countersign_failure::chain(error), "the sweeper failed on a request");
    }
}
