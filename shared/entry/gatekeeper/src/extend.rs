//! Giving a request more time.

use countersign_approval::ports::Occasion;
use countersign_approval::{ApprovalId, DecideError, Request, extend_by, may_extend};
use countersign_store_approvals::{Committed, Loaded};
use jiff::Timestamp;

use crate::decide::Who;
use crate::error::{GateError, GateFuture};
use crate::service::{Gatekeeper, RACES, complain};

/// One try to move a deadline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extending {
    /// The request.
    pub approval: ApprovalId,
    /// Who, signed in.
    pub who: Who,
    /// The new deadline.
    pub deadline: Timestamp,
}

impl Gatekeeper {
    /// Gives a pending request more time, if the person may vote on it, now. Votes stay: what is signed is the same. Those who
    /// have not answered and can are mailed a link that holds as long. The same deadline again changes nothing.
    ///
    /// # Errors
    /// [`GateError::Decide`] says why the person may not, [`GateError::Lifecycle`] why the deadline does not fit,
    /// [`GateError::NotFound`] that there is no such request for this person; nothing has changed then.
    pub fn extend<'a>(
        &'a self,
        extending: &'a Extending,
        now: Timestamp,
    ) -> GateFuture<'a, Request> {
        Box::pin(async move {
            for _ in 0..RACES {
                let loaded = self.load(&extending.approval).await?;
                let caller = self.caller(&extending.who).await?;
                let before = &loaded.request;
                if let Err(error) = may_extend(before, &caller, now) {
                    return Err(self.refused(&loaded, &caller, error, now).await);
                }
                if self.lacks_factor(before, &extending.who) {
                    return Err(DecideError::SecondFactorMissing.into());
                }
                if before.timing.deadline == extending.deadline {
                    return Ok(loaded.request);
                }
                let after = extend_by(before, &caller.user, extending.deadline, now)?.request;
                if self.commit(before, &after, None, now).await? == Committed::Done {
                    self.set_moved(&after, now).await?;
                    self.tell_extended(Loaded { request: after.clone(), votes: loaded.votes })
                        .await;
                    return Ok(after);
                }
            }
            Err(GateError::Contended)
        })
    }

    /// A mail that cannot be sent takes no time away: the request is pending, and its approvers find it where they sign in.
    async fn tell_extended(&self, loaded: Loaded) {
        let request = loaded.request.clone();
        let occasion = Occasion::Extended(request.timing.deadline);
        if let Err(error) = self.ask_able(loaded, None, occasion).await {
            complain("nobody was told of the new deadline", &request, &error);
        }
    }
}
