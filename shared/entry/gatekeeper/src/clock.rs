//! What the clock does to a request: remind, escalate, expire.

use countersign_approval::ports::{Occasion, PortError};
use countersign_approval::{
    ApprovalId, LifecycleError, Move, Request, Status, close, escalate, expire,
};
use countersign_identity::UserId;
use countersign_states::Once;
use countersign_store_approvals::{Committed, Loaded};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::decide::Who;
use crate::error::GateError;
use crate::service::{Gatekeeper, RACES};

/// What a one-time schedule says to `gate-deadline`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateEvent {
    /// The request.
    pub approval: ApprovalId,
    /// What to do.
    pub action: GateEventKind,
    /// Which reminder, from 0.
    #[serde(default)]
    pub n: u32,
}

/// What to do with a request when its time has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateEventKind {
    /// Mail those who have not answered.
    Remind,
    /// Ask others in addition.
    Escalate,
    /// End it.
    Expire,
}

/// What an expiry found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "expiry")]
pub enum Expiry {
    /// The request ended now.
    Ended {
        /// As this: `timed_out`, or `expired` when its run is gone.
        status: Status,
    },
    /// It had ended before.
    EndedBefore {
        /// As this.
        status: Status,
    },
    /// It still has time; the clock is set to its deadline again.
    NotDue {
        /// The deadline.
        deadline: Timestamp,
    },
}

/// The schedules of a request. Names have at most 50 characters; the same request always has the same ones.
pub(crate) fn alarms(request: &Request) -> Vec<Once> {
    let once = |name: String, at: Timestamp, event: serde_json::Value| Once { name, at, event };
    let id = &request.id;
    let mut alarms = vec![expiry_alarm(request)];
    for (n, at) in request.timing.reminders.iter().enumerate() {
        let event = json!({ "approval": id, "action": "remind", "n": n });
        alarms.push(once(format!("{id}-remind-{n}"), *at, event));
    }
    if let Some(escalation) = &request.timing.escalation {
        let event = json!({ "approval": id, "action": "escalate" });
        alarms.push(once(format!("{id}-escalate"), escalation.at, event));
    }
    alarms
}

fn expiry_alarm(request: &Request) -> Once {
    let event = json!({ "approval": request.id, "action": "expire" });
    Once { name: format!("{}-expire", request.id), at: request.timing.deadline, event }
}

impl Gatekeeper {
    /// Ends a request whose deadline passed: a refusal, `timed_out`; `expired` when its run is gone (K-12, K-20).
    ///
    /// # Errors
    /// [`GateError`] when there is no such request or the table does not answer.
    pub async fn expire(&self, id: &ApprovalId, now: Timestamp) -> Result<Expiry, GateError> {
        for _ in 0..RACES {
            let request = self.load(id).await?.request;
            let ended = match expire(&request, now) {
                Ok(ended) => self.or_orphaned(&request, ended, now).await?,
                Err(LifecycleError::Closed(closed)) => {
                    return Ok(Expiry::EndedBefore { status: closed.status });
                }
                Err(LifecycleError::NotDue { deadline }) => {
                    self.set_again(&request).await?;
                    return Ok(Expiry::NotDue { deadline });
                }
                Err(other) => return Err(other.into()),
            };
            if self.end(&request, &ended, now).await? {
                return Ok(Expiry::Ended { status: ended.request.status });
            }
        }
        Err(GateError::Contended)
    }

    async fn or_orphaned(
        &self,
        request: &Request,
        timed_out: Move,
        now: Timestamp,
    ) -> Result<Move, GateError> {
        let gone = self.runs.is_over(&request.position.run).await?;
        if gone { Ok(close(request, Status::Expired, now)?) } else { Ok(timed_out) }
    }

    /// Writes the end of a request and brings it to its run. `false` when somebody else was faster.
    pub(crate) async fn end(
        &self,
        before: &Request,
        ended: &Move,
        now: Timestamp,
    ) -> Result<bool, GateError> {
        let is_ended = self.write_end(before, ended, now).await?;
        if is_ended {
            self.settle(&ended.request, None).await;
        }
        Ok(is_ended)
    }

    /// Writes the end of a request and hands its receipt over. `false` when somebody else was faster.
    pub(crate) async fn write_end(
        &self,
        before: &Request,
        ended: &Move,
        now: Timestamp,
    ) -> Result<bool, GateError> {
        let receipt = ended.receipt.as_ref();
        if self.commit(before, &ended.request, receipt, now).await? == Committed::Stale {
            return Ok(false);
        }
        if let Some(receipt) = receipt {
            self.hand_over(&ended.request, receipt).await;
        }
        Ok(true)
    }

    pub(crate) async fn set_again(&self, request: &Request) -> Result<(), GateError> {
        let set = self.alarms.set(&expiry_alarm(request)).await;
        set.map_err(|error| PortError::of("setting a deadline", &error).into())
    }

    /// Sets every clock of a request whose time is still to come; those that rang do not ring again.
    pub(crate) async fn set_moved(
        &self,
        request: &Request,
        now: Timestamp,
    ) -> Result<(), GateError> {
        for once in alarms(request).iter().filter(|once| once.at > now) {
            let set = self.alarms.set(once).await;
            set.map_err(|error| PortError::of("setting a deadline", &error))?;
        }
        Ok(())
    }

    /// Reminds those who have not answered and can. Nobody when the request has ended. The people who were mailed.
    ///
    /// # Errors
    /// [`GateError`] when there is no such request, the directory does not answer, or mails cannot be handed over.
    pub async fn remind(
        &self,
        id: &ApprovalId,
        n: u32,
        now: Timestamp,
    ) -> Result<Vec<UserId>, GateError> {
        let loaded = self.load(id).await?;
        if loaded.request.status.is_final() || now >= loaded.request.timing.deadline {
            return Ok(Vec::new());
        }
        self.ask_able(loaded, None, Occasion::Reminder(n)).await
    }

    /// Asks the people of the escalation in addition, as far as they can decide. The people who were mailed.
    ///
    /// # Errors
    /// [`GateError`] when there is no such request, a table does not answer, or mails cannot be handed over.
    pub async fn escalate(
        &self,
        id: &ApprovalId,
        now: Timestamp,
    ) -> Result<Vec<UserId>, GateError> {
        for _ in 0..RACES {
            let loaded = self.load(id).await?;
            let before = loaded.request.clone();
            if before.status.is_final() || now >= before.timing.deadline {
                return Ok(Vec::new());
            }
            let (change, people) = escalate(&before)?;
            let after = change.map_or_else(|| before.clone(), |change| change.request);
            if after != before && self.commit(&before, &after, None, now).await? == Committed::Stale
            {
                continue;
            }
            let loaded = Loaded { request: after, votes: loaded.votes };
            return self.ask_able(loaded, Some(&people), Occasion::Escalated).await;
        }
        Err(GateError::Contended)
    }

    /// The same before its time has come, because somebody asks for it who may vote on the request, now: whoever asked for the
    /// approval does not choose who answers first.
    ///
    /// # Errors
    /// [`GateError::Decide`] when the person may not, or the request has ended, else as [`Gatekeeper::escalate`].
    pub async fn escalate_now(
        &self,
        id: &ApprovalId,
        who: &Who,
        now: Timestamp,
    ) -> Result<Vec<UserId>, GateError> {
        self.of_voter(id, who, now).await?;
        self.escalate(id, now).await
    }

    /// Does what a schedule says.
    ///
    /// # Errors
    /// As [`Gatekeeper::expire`], [`Gatekeeper::remind`] and [`Gatekeeper::escalate`].
    pub async fn ring(
        &self,
        event: &GateEvent,
        now: Timestamp,
    ) -> Result<serde_json::Value, GateError> {
        let asked = match event.action {
            GateEventKind::Expire => {
                return Ok(json!(self.expire(&event.approval, now).await?));
            }
            GateEventKind::Remind => self.remind(&event.approval, event.n, now).await?,
            GateEventKind::Escalate => self.escalate(&event.approval, now).await?,
        };
        Ok(json!({ "asked": asked.len() }))
    }
}

/// Those who may decide and have not.
pub(crate) fn silent(loaded: &Loaded) -> Vec<UserId> {
    let request = &loaded.request;
    let has_voted = |person: &UserId| loaded.counted().any(|vote| vote.person == *person);
    let eligible = request.policy.eligible(&request.requesters);
    eligible.filter(|person| !has_voted(person)).cloned().collect()
}
