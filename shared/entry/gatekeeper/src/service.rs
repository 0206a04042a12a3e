//! The gatekeeper: every port of the protocol in one place.

use std::sync::Arc;

use countersign_approval::ports::{Notifier, Occasion, PortError, ReceiptOutbox, RunLog};
use countersign_approval::{ApprovalId, Receipt, Request};
use countersign_failure::{Failure, chain};
use countersign_identity::{Rights, UserId};
use countersign_store_approvals::{Commit, Committed, Loaded};
use jiff::Timestamp;

use crate::clock;
use crate::decide::Who;
use crate::error::GateError;
use crate::ports::{Alarms, Records, ResumeTask};

/// How many lost races in a row an operation bears. Each means that somebody else made progress.
pub(crate) const RACES: usize = 20;

/// Everything the protocol works with. Built once per process.
#[derive(Clone)]
pub struct Gatekeeper {
    /// The table of requests.
    pub records: Arc<dyn Records>,
    /// What wakes waiting tasks.
    pub tasks: Arc<dyn ResumeTask>,
    /// What calls at deadlines.
    pub alarms: Arc<dyn Alarms>,
    /// What people may do now.
    pub rights: Arc<dyn Rights>,
    /// What tells people.
    pub notifier: Arc<dyn Notifier>,
    /// The run's own record.
    pub runs: Arc<dyn RunLog>,
    /// The way to the ledger.
    pub ledger: Arc<dyn ReceiptOutbox>,
    /// Whether a session decides on what cannot be taken back only when a second factor stands behind it.
    pub requires_mfa: bool,
}

/// Who of those that are asked can decide a request when it is announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Able {
    /// Whoever opens it has just looked: enough of them can.
    Known,
    /// Time may have passed since anybody looked, and votes may have been given.
    LookedUp,
}

impl Gatekeeper {
    /// Reads a request; a missing one is [`GateError::NotFound`].
    pub(crate) async fn load(&self, id: &ApprovalId) -> Result<Loaded, GateError> {
        let loaded = self.records.load(id).await;
        loaded.map_err(GateError::doing("reading the request"))?.ok_or(GateError::NotFound)
    }

    /// Whether a session that may decide lacks the second factor that this deployment asks for. A mailed link is not a session:
    /// what it takes stands in the request's policy.
    pub(crate) fn lacks_factor(&self, request: &Request, who: &Who) -> bool {
        let without = matches!(who, Who::Session(token) if !token.second_factor);
        self.requires_mfa && request.irreversible && without
    }

    /// Writes a change that is not a vote.
    pub(crate) async fn commit(
        &self,
        before: &Request,
        after: &Request,
        receipt: Option<&Receipt>,
        now: Timestamp,
    ) -> Result<Committed, GateError> {
        let commit = Commit { before, after, vote: None, receipt, now };
        let written = self.records.commit(&commit).await;
        written.map_err(GateError::doing("changing the request"))
    }

    /// Sets the clocks, notes the gate in the run, mails the approvers, and takes the mark off. Whatever fails leaves the
    /// mark: the request is pending and visible, and the sweeper tries again.
    pub(crate) async fn announce(&self, request: &Request, occasion: Occasion, able: Able) -> bool {
        let told = self.try_announce(request, occasion, able).await;
        if let Err(error) = &told {
            complain("nobody was told of the request yet", request, error);
        }
        told.is_ok()
    }

    async fn try_announce(
        &self,
        request: &Request,
        occasion: Occasion,
        able: Able,
    ) -> Result<(), GateError> {
        for once in clock::alarms(request) {
            let set = self.alarms.set(&once).await;
            set.map_err(|error| PortError::of("setting a deadline", &error))?;
        }
        self.runs.opened(request).await?;
        // Whoever struck something out made this version and is looking at it.
        let striker = request.last_strike().map(|strike| &strike.by);
        let eligible = request.policy.eligible(&request.requesters);
        let people: Vec<UserId> =
            eligible.filter(|person| Some(*person) != striker).cloned().collect();
        match able {
            Able::Known => self.notifier.ask(request, &people, occasion).await?,
            Able::LookedUp => {
                let votes = self.load(&request.id).await?.votes;
                let loaded = Loaded { request: request.clone(), votes };
                self.ask_able(loaded, Some(&people), occasion).await?;
            }
        }
        let done = self.records.asked(&request.id, request.version).await;
        done.map_err(GateError::doing("noting that everybody was told"))
    }
}

/// A log line of its own name, for an alarm: people wait, and somebody should look.
pub(crate) fn complain(what: &'static str, request: &Request, error: &GateError) {
    tracing::error!(
        approval = %request.id,
        run = %request.position.run,
        code = error.code(),
        error = chain(error),
        "{what}"
    );
}
