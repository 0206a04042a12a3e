//! What the protocol needs from the world. Adapters implement these; the gatekeeper calls them.
//!
//! The directory is another such port: `countersign_identity::Rights`.
//! Each may be called again for the same occasion after a crash, and must then change nothing a second time.

use countersign_failure::{Class, Failure};
use countersign_identity::UserId;
use countersign_run::RunId;
use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::actor::ReceiptId;
use crate::covered::Covered;
use crate::covered::StepEffects;
use crate::outcome::OutcomeAnswer;
use crate::position::ApprovalId;
use crate::receipt::Receipt;
use crate::request::Request;
use crate::unknown_call::UnknownCall;

/// What a port answers.
pub type PortResult<'a, T> = BoxFuture<'a, Result<T, PortError>>;

/// An adapter's error, reduced to what the protocol needs of it.
#[derive(Debug, thiserror::Error, Failure)]
#[error("{operation}: {message}")]
#[failure(code = code, class = *class)]
pub struct PortError {
    /// What was tried: `mailing the approvers`.
    pub operation: &'static str,
    /// The adapter's code.
    pub code: &'static str,
    /// What it said, with its causes.
    pub message: String,
    /// Whether trying again can help.
    pub class: Class,
}

impl PortError {
    /// Carries an adapter's error over.
    #[must_use]
    pub fn of(operation: &'static str, error: &dyn Failure) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            message = format!("{message}: {cause}");
            source = cause.source();
        }
        Self { operation, code: error.code(), message, class: error.class() }
    }
}

/// Why people are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Occasion {
    /// The request was opened.
    Opened,
    /// What is asked changed; votes so far are void.
    Changed,
    /// They have not answered yet; counted from 0.
    Reminder(u32),
    /// Others have not answered.
    Escalated,
    /// There is more time: until then.
    Extended(Timestamp),
}

impl Occasion {
    /// A short name, unique within one version of a request: what a mail's id is made of.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Opened => "opened".to_owned(),
            Self::Changed => "changed".to_owned(),
            Self::Reminder(n) => format!("reminder-{n}"),
            Self::Escalated => "escalated".to_owned(),
            Self::Extended(deadline) => format!("extended-{}", deadline.as_second()),
        }
    }
}

/// How many of those who are asked can decide a request, and how many approvals it still takes: more than that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooFew {
    /// Those who have not decided and could.
    pub able: u32,
    /// The approvals that it still takes.
    pub needed: u32,
}

/// Tells people and listeners.
pub trait Notifier: Send + Sync {
    /// Mails each of `people` their link, once per request, version and occasion, and publishes `approval.opened` for
    /// [`Occasion::Opened`] and [`Occasion::Escalated`], also where nobody is mailed. Must not kill a link that was mailed before.
    fn ask<'a>(
        &'a self,
        request: &'a Request,
        people: &'a [UserId],
        occasion: Occasion,
    ) -> PortResult<'a, ()>;

    /// Mails the owner of the run, once per request and version, that too few people can still decide it.
    fn too_few<'a>(&'a self, request: &'a Request, too_few: TooFew) -> PortResult<'a, ()>;

    /// Publishes `approval.decided`, with ids and status.
    fn closed<'a>(&'a self, request: &'a Request) -> PortResult<'a, ()>;
}

/// The run's own record of its gates.
pub trait RunLog: Send + Sync {
    /// Notes that a gate is open.
    fn opened<'a>(&'a self, request: &'a Request) -> PortResult<'a, ()>;

    /// Notes how it ended, and stops the run when it was refused and its `on_reject` says so.
    fn closed<'a>(&'a self, request: &'a Request) -> PortResult<'a, ()>;

    /// The effects that a request asks people to sign, whole, wherever they are kept.
    fn effects<'a>(&'a self, request: &'a Request) -> PortResult<'a, Vec<StepEffects>>;

    /// Whether the run is over or unknown, so that nothing waits for an answer any more.
    fn is_over<'a>(&'a self, run: &'a RunId) -> PortResult<'a, bool>;
}

/// An approval that covers a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// The request.
    pub approval: ApprovalId,
    /// The receipt that closed the request.
    pub receipt: ReceiptId,
    /// When it was approved.
    pub at: Timestamp,
    /// What it covers of the step.
    pub covered: Covered,
    /// The hashes of the warnings that whoever signed was shown.
    pub warned: Vec<String>,
}

/// What people said became of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The request that asked.
    pub approval: ApprovalId,
    /// The receipt that closed it.
    pub receipt: ReceiptId,
    /// When it was closed.
    pub at: Timestamp,
    /// The call.
    pub call: UnknownCall,
    /// What was said, with the evidence of whoever said it last.
    pub answer: OutcomeAnswer,
}

/// Where signatures are found. Only functions that host irreversible actions have one.
pub trait Signatures: Send + Sync {
    /// The approvals of a run that cover something of `step`, the newest first. Whether that is what the step is about to
    /// send, the step compares.
    fn signed<'a>(&'a self, run: &'a RunId, step: &'a str) -> PortResult<'a, Vec<Signed>>;

    /// What enough people said became of calls of `step` whose outcome was unknown, one entry for each call.
    fn answers<'a>(&'a self, run: &'a RunId, step: &'a str) -> PortResult<'a, Vec<Answered>>;
}

/// The way to the ledger.
pub trait ReceiptOutbox: Send + Sync {
    /// Hands a receipt to the sealer; handing it over again is harmless.
    fn hand_over<'a>(&'a self, receipt: &'a Receipt) -> PortResult<'a, ()>;
}
