//! Giving a request more time.

use countersign_approval::ports::Occasion;
use countersign_approval::{ApprovalId, Request, extend_by};
use countersign_store_approvals::{Committed, Loaded};
use jiff::Timestamp;

use crate::decide::Who;
use crate::error::GateError;
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
    pub async fn extend(
        &self,
        extending: &Extending,
        now: Timestamp,
    ) -> Result<Request, GateError> {
        for _ in 0..RACES {
            let Extending { approval, who, deadline } = extending;
            let (loaded, caller) = self.of_voter(approval, who, now).await?;
            let before = &loaded.request;
            if before.timing.deadline == *deadline {
                return Ok(loaded.request);
            }
            let after = extend_by(before, &caller.user, *deadline, now)?.request;
            if self.commit(before, &after, None, now).await? == Committed::Done {
                self.set_moved(&after, now).await?;
                self.tell_extended(Loaded { request: after.clone(), votes: loaded.votes }).await;
                return Ok(after);
            }
        }
        Err(GateError::Contended)
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
