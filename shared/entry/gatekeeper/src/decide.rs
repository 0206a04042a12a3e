//! Deciding.

use countersign_approval::{
    ApprovalId, Attempt, DecideError, Decided, ReceiptId, Recorded, Status, Vote, decide,
    may_extend,
};
use countersign_identity::{Caller, Presented, Refused, UserId};
use countersign_store_approvals::{Commit, Committed, Loaded};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::GateError;
use crate::recount::{recount, unreadable};
use crate::service::{Gatekeeper, RACES};

/// Who decides, as the door established it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    /// Somebody with a verified token: their rights are token ∩ directory.
    Session(Box<Presented>),
    /// Whoever holds the genuine, newest link of this approver: their rights are the directory's.
    LinkOf(UserId),
}

impl Who {
    /// The token of a session.
    pub(crate) fn token(&self) -> Option<&Presented> {
        match self {
            Self::Session(token) => Some(token),
            Self::LinkOf(_) => None,
        }
    }
}

/// One try to decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempting {
    /// The request.
    pub approval: ApprovalId,
    /// Who.
    pub who: Who,
    /// What, and what they saw.
    pub attempt: Attempt,
}

/// What the person is answered. The same decision repeated gets the same receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DecisionAnswer")]
pub struct Answer {
    /// The request.
    pub approval: ApprovalId,
    /// Where it stands now.
    pub status: Status,
    /// The receipt of this person's vote.
    pub receipt: ReceiptId,
    /// When they voted.
    pub at: Timestamp,
    /// How many have approved the present version and still may; of answers, how many are equal to this person's.
    pub approvals: u32,
    /// How many others have approved it and do not count any more, because they could not approve it now.
    pub not_counted: u32,
    /// How many it takes.
    pub quorum: u32,
    /// Whether the vote had been cast before.
    pub repeated: bool,
}

impl Gatekeeper {
    /// Decides, if the person may, now, on what they saw.
    ///
    /// The vote, its receipt and perhaps the end of the request are one transaction. Only then is the run woken; should
    /// that fail, the decision stands and the person is not bothered with it.
    ///
    /// # Errors
    /// [`GateError::Decide`] says why the decision does not count, [`GateError::NotFound`] that there is no such request
    /// for this person; nothing has changed then.
    pub async fn decide(
        &self,
        attempting: &Attempting,
        now: Timestamp,
    ) -> Result<Answer, GateError> {
        for _ in 0..RACES {
            let loaded = self.load(&attempting.approval).await?;
            let caller = self.caller(&attempting.who).await?;
            // The rights of those who have approved before are those of this moment, too.
            let loaded = recount(self.rights.as_ref(), loaded).await?;
            let weighed = decide(&loaded.request, &loaded.votes, &attempting.attempt, &caller, now);
            match weighed {
                Ok(Decided::Repeated(vote)) => return Ok(repeated(&loaded, &vote)),
                // The last question: nobody is told to sign in anew for what they may not decide.
                Ok(Decided::Recorded(_)) if self.lacks_factor(&loaded.request, &attempting.who) => {
                    return Err(DecideError::SecondFactorMissing.into());
                }
                Ok(Decided::Recorded(mut recorded)) => {
                    recorded.vote.token = attempting.who.token().cloned();
                    if self.record(&loaded, &recorded, now).await? == Committed::Done {
                        return Ok(self.recorded(&recorded).await);
                    }
                }
                Err(error) => return Err(self.refused(&loaded, &caller, error, now).await),
            }
        }
        Err(GateError::Contended)
    }

    /// The rights of this moment: read again for every try.
    pub(crate) async fn caller(&self, who: &Who) -> Result<Caller, GateError> {
        let caller = match who {
            Who::Session(token) => {
                let effective = self.rights.effective(token).await;
                effective.map_err(|error| unreadable(&*error))?
            }
            Who::LinkOf(person) => {
                let entry = self.rights.entry(person).await;
                match entry.map_err(|error| unreadable(&*error))? {
                    None => Err(Refused::UnknownUser),
                    Some(entry) => entry.by_link(),
                }
            }
        };
        caller.map_err(|refused| DecideError::Refused(refused).into())
    }

    /// A request that somebody may vote on, now, and who has proved to be them; and what they may.
    pub(crate) async fn of_voter(
        &self,
        id: &ApprovalId,
        who: &Who,
        now: Timestamp,
    ) -> Result<(Loaded, Caller), GateError> {
        let loaded = self.load(id).await?;
        let caller = self.caller(who).await?;
        if let Err(error) = may_extend(&loaded.request, &caller, now) {
            return Err(self.refused(&loaded, &caller, error, now).await);
        }
        if self.lacks_factor(&loaded.request, who) {
            return Err(DecideError::SecondFactorMissing.into());
        }
        Ok((loaded, caller))
    }

    async fn record(
        &self,
        loaded: &Loaded,
        recorded: &Recorded,
        now: Timestamp,
    ) -> Result<Committed, GateError> {
        let commit = Commit {
            before: &loaded.request,
            after: &recorded.request,
            vote: Some(&recorded.vote),
            receipt: Some(&recorded.receipt),
            now,
        };
        self.records.commit(&commit).await.map_err(GateError::doing("recording the decision"))
    }

    async fn recorded(&self, recorded: &Recorded) -> Answer {
        let request = &recorded.request;
        self.hand_over(request, &recorded.receipt).await;
        if request.status.is_final() {
            self.settle(request, None).await;
        }
        Answer {
            approval: request.id.clone(),
            status: request.status,
            receipt: recorded.receipt.id.clone(),
            at: recorded.vote.at,
            approvals: recorded.approvals,
            not_counted: recorded.lost,
            quorum: request.policy.quorum,
            repeated: false,
        }
    }

    pub(crate) async fn refused(
        &self,
        loaded: &Loaded,
        caller: &Caller,
        error: DecideError,
        now: Timestamp,
    ) -> GateError {
        let request = &loaded.request;
        match error {
            // Strangers are not told that there is a request.
            DecideError::NotAnApprover if caller.user != request.owner => GateError::NotFound,
            DecideError::DeadlinePassed { .. } => {
                // The schedule may be a minute late; whoever comes in between closes the request. Should that fail, the
                // sweeper does it: the visitor's answer is the same.
                let _ = self.expire(&request.id, now).await;
                error.into()
            }
            other => other.into(),
        }
    }
}

fn repeated(loaded: &Loaded, vote: &Vote) -> Answer {
    let Loaded { request, votes } = loaded;
    let lost = request.lost_approvals(votes).into_iter().filter(|person| **person != vote.person);
    Answer {
        approval: request.id.clone(),
        status: request.status,
        receipt: vote.receipt.clone(),
        at: vote.at,
        approvals: request.approvals_like(votes, vote),
        not_counted: u32::try_from(lost.count()).unwrap_or(u32::MAX),
        quorum: request.policy.quorum,
        repeated: true,
    }
}
