//! Striking effects out of a request before it is signed.

use countersign_approval::ports::Occasion;
use countersign_approval::{
    ApprovalId, DecideError, Move, Request, Strike, StrikeError, Struck, strike,
};
use countersign_identity::Caller;
use countersign_store_approvals::{Committed, Loaded};
use jiff::Timestamp;

use crate::decide::Who;
use crate::error::GateError;
use crate::service::{Able, Gatekeeper, RACES};

/// One try to strike effects out, or to restore them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Striking {
    /// The request.
    pub approval: ApprovalId,
    /// Who.
    pub who: Who,
    /// What, and what they saw.
    pub strike: Strike,
}

impl Gatekeeper {
    /// Strikes effects out of a pending request or restores them, if the person may vote on it, now, on what they saw.
    ///
    /// The request is then one version further, and the votes so far are void. Everybody else who may decide is told; the
    /// person who struck is answered with the new version.
    ///
    /// # Errors
    /// [`GateError::Strike`] or [`GateError::Decide`] says why nothing was struck, [`GateError::NotFound`] that there is no
    /// such request for this person; nothing has changed then.
    pub async fn strike(&self, striking: &Striking, now: Timestamp) -> Result<Request, GateError> {
        for _ in 0..RACES {
            let loaded = self.load(&striking.approval).await?;
            let caller = self.caller(&striking.who).await?;
            let request = &loaded.request;
            let effects = self.runs.effects(request).await?;
            match strike(request, &effects, &striking.strike, &caller, now) {
                Ok(Struck::Unchanged) => return Ok(loaded.request),
                Ok(Struck::Changed(_)) if self.lacks_factor(request, &striking.who) => {
                    return Err(DecideError::SecondFactorMissing.into());
                }
                Ok(Struck::Changed(moved)) => {
                    if self.commit(request, &moved.request, None, now).await? == Committed::Done {
                        return Ok(self.struck(*moved).await);
                    }
                }
                Err(error) => return Err(self.not_struck(&loaded, &caller, error, now).await),
            }
        }
        Err(GateError::Contended)
    }

    async fn struck(&self, moved: Move) -> Request {
        self.announce(&moved.request, Occasion::Changed, Able::LookedUp).await;
        moved.request
    }

    async fn not_struck(
        &self,
        loaded: &Loaded,
        caller: &Caller,
        error: StrikeError,
        now: Timestamp,
    ) -> GateError {
        match error {
            StrikeError::Decide(error) => self.refused(loaded, caller, error, now).await,
            other => other.into(),
        }
    }
}
