//! Opening a gate, and opening it again.

use countersign_approval::ports::Occasion;
use countersign_approval::{ApprovalId, Decision, Opening, Request, Status, amend};
use countersign_store_approvals::{Committed, Created, TaskToken};
use jiff::Timestamp;

use crate::error::{GateError, GateFuture};
use crate::service::{Able, Gatekeeper, RACES};

/// How often one place may ask anew because what was approved no longer fits.
const ROUNDS: u32 = 50;

/// What became of an opening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    /// The task waits; the decision will wake it.
    Pending {
        /// The request.
        id: ApprovalId,
        /// Whether it is new. Only then is `gate opened` news.
        first: bool,
    },
    /// It was decided before; the task has been woken with the decision.
    Decided {
        /// The request.
        id: ApprovalId,
        /// How it ended.
        decision: Decision,
    },
}

/// What to do next with the request found at a position.
enum Step {
    Done(Opened),
    Again,
    NextRound,
}

impl Gatekeeper {
    /// Opens the request at a position, or takes up the one that stands there.
    ///
    /// - Nothing there: it is written, its clocks are set and its approvers are mailed.
    /// - Pending with the same content: the token is replaced, nobody is mailed twice. What approvers struck out stays
    ///   struck: the engine knows nothing of it.
    /// - Pending with other content: its version rises, votes and strikes are void, and the approvers are told.
    /// - Closed: the task is woken at once with the decision; except that an approval of other content than now does not
    ///   fit any more, and the next round is opened. A refusal stays a refusal.
    ///
    /// # Errors
    /// [`GateError`] when the request cannot be opened or the table does not answer. A mail or a clock that fails is no
    /// error: the request stands, and the sweeper tells its approvers.
    pub fn open<'a>(
        &'a self,
        opening: Opening,
        token: &'a TaskToken,
        now: Timestamp,
    ) -> GateFuture<'a, Opened> {
        Box::pin(async move {
            let mut opening = opening;
            for _ in 0..RACES {
                let request = Request::open(opening.clone(), now)?;
                match self.open_once(&request, &opening, token, now).await? {
                    Step::Done(opened) => return Ok(opened),
                    Step::Again => {}
                    Step::NextRound if opening.position.round >= ROUNDS => {
                        return Err(GateError::TooManyRounds(ROUNDS));
                    }
                    Step::NextRound => opening.position = opening.position.next_round(),
                }
            }
            Err(GateError::Contended)
        })
    }

    async fn open_once(
        &self,
        request: &Request,
        opening: &Opening,
        token: &TaskToken,
        now: Timestamp,
    ) -> Result<Step, GateError> {
        let created = self.records.create(request, token).await;
        if created.map_err(GateError::doing("opening the request"))? == Created::New {
            self.announce(request, Occasion::Opened, Able::Known).await;
            return Ok(Step::Done(Opened::Pending { id: request.id.clone(), first: true }));
        }
        let found = self.load(&request.id).await?.request;
        if found.status.is_final() {
            return self.answer_closed(&found, request, opening, token).await;
        }
        if now >= found.timing.deadline {
            self.expire(&found.id, now).await?;
            return Ok(Step::Again);
        }
        if !found.is_asked_again_by(request, &opening.subject.effects) {
            return self.change(&found, opening, now).await;
        }
        self.wait_anew(&found, token, now).await
    }

    async fn answer_closed(
        &self,
        found: &Request,
        wanted: &Request,
        opening: &Opening,
        token: &TaskToken,
    ) -> Result<Step, GateError> {
        let is_same = found.is_asked_again_by(wanted, &opening.subject.effects);
        if found.status == Status::Approved && !is_same {
            return Ok(Step::NextRound);
        }
        self.try_settle(found, Some(token)).await?;
        let decision = Decision { decision: found.status };
        Ok(Step::Done(Opened::Decided { id: found.id.clone(), decision }))
    }

    /// Raises the version; the next turn of the loop finds the content unchanged and waits.
    async fn change(
        &self,
        found: &Request,
        opening: &Opening,
        now: Timestamp,
    ) -> Result<Step, GateError> {
        let changed = amend(found, opening.clone(), now)?.request;
        if self.commit(found, &changed, None, now).await? == Committed::Done {
            self.announce(&changed, Occasion::Changed, Able::LookedUp).await;
        }
        Ok(Step::Again)
    }

    async fn wait_anew(
        &self,
        found: &Request,
        token: &TaskToken,
        now: Timestamp,
    ) -> Result<Step, GateError> {
        let attached = self.records.reattach(&found.id, token, now).await;
        if !attached.map_err(GateError::doing("waiting for the request"))? {
            return self.waited_for(found, token).await;
        }
        let unasked = self.records.is_unasked(&found.id).await;
        if unasked.map_err(GateError::doing("reading who was told"))? {
            self.announce(found, occasion(found), Able::LookedUp).await;
        }
        Ok(Step::Done(Opened::Pending { id: found.id.clone(), first: false }))
    }

    /// What follows when a token was not kept: the request was closed meanwhile, or a task of a later turn waits for it, and
    /// nothing waits for this one any more.
    async fn waited_for(&self, found: &Request, token: &TaskToken) -> Result<Step, GateError> {
        let kept = self.records.token(&found.id).await;
        let kept = kept.map_err(GateError::doing("reading who waits"))?;
        Ok(match kept {
            Some(kept) if kept.turn() > token.turn() => {
                Step::Done(Opened::Pending { id: found.id.clone(), first: false })
            }
            _ => Step::Again,
        })
    }
}

/// Why people have yet to be told of a request.
pub(crate) fn occasion(request: &Request) -> Occasion {
    if request.version == 1 { Occasion::Opened } else { Occasion::Changed }
}
