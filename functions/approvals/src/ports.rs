//! What the door needs from the world: looking and acting, apart.
//!
//! `GET` and `HEAD` are served with [`Look`] alone, which has no method that writes.

use std::collections::BTreeMap;

use countersign_approval::chain::Checkpoint;
use countersign_approval::ports::PortError;
use countersign_approval::{
    ApprovalId, Code, CodeScope, LinkError, Request, SignedLink, StoredCode,
};
use countersign_connector::SendProblem;
use countersign_effect::Effect;
use countersign_gatekeeper::{Answer, Attempting, GateError, Striking};
use countersign_identity::{DirectoryEntry, UserId};
use countersign_plan::Plan;
use countersign_run::StepStatus;
use countersign_store_approvals::{CodeIssue, Loaded};
use countersign_store_runs::WarningSentences;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::Value;

/// What a look answers.
pub type Seen<'a, T> = BoxFuture<'a, Result<T, PortError>>;

/// What a page tells of a run.
#[derive(Debug, Clone)]
pub struct SeenRun {
    /// The agent, by the name of its profile.
    pub agent: String,
    /// The id of that profile.
    pub profile_id: String,
    /// Whether somebody has written the plan as a playbook; else the system made it for a question.
    pub has_playbook: bool,
    /// The plan.
    pub plan: Plan,
    /// What became of the steps that the page draws before the one that asks; a step without an outcome is absent.
    pub ended: BTreeMap<String, StepStatus>,
}

/// The requests of one step, as they are signed.
#[derive(Debug, Clone)]
pub struct StepEffects {
    /// The step.
    pub step: String,
    /// The requests that were read, from the first.
    pub effects: Vec<Effect>,
    /// How many there are.
    pub total: u64,
}

/// Reading. Nothing here changes anything.
pub trait Look: Send + Sync {
    /// Whether a genuine link is the newest of its slot.
    fn check_link<'a>(
        &'a self,
        approval: &'a ApprovalId,
        slot: u16,
        link: &'a SignedLink,
    ) -> BoxFuture<'a, Result<(), LinkError>>;
    /// A request and its votes, with the approvals marked that do not count now.
    fn load<'a>(&'a self, id: &'a ApprovalId) -> Seen<'a, Option<Loaded>>;
    /// The newest checkpoint of the ledger.
    fn newest_checkpoint(&self) -> Seen<'_, Option<Checkpoint>>;
    /// A person of the directory.
    fn entry<'a>(&'a self, person: &'a UserId) -> Seen<'a, Option<DirectoryEntry>>;
    /// The request's run.
    fn run<'a>(&'a self, request: &'a Request) -> Seen<'a, Option<SeenRun>>;
    /// The requests that the signature covers, by step; none of a request that keeps none.
    fn effects<'a>(&'a self, request: &'a Request) -> Seen<'a, Vec<StepEffects>>;
    /// Why calls of an open request would not be sent as they are shown; of a run that is gone nothing is known.
    fn send_problems<'a>(
        &'a self,
        request: &'a Request,
        run: Option<&'a SeenRun>,
        kept: &'a [StepEffects],
    ) -> BoxFuture<'a, Vec<SendProblem>>;
    /// How many other requests, signed together with calls that are asked about, the run may send once they are answered.
    fn unsent<'a>(&'a self, request: &'a Request) -> Seen<'a, u64>;
    /// All of what the preview shows the head of; none when it is not kept.
    fn rows<'a>(&'a self, request: &'a Request) -> Seen<'a, Option<Value>>;
    /// Every warning that the request was asked with, by step.
    fn warnings<'a>(&'a self, request: &'a Request) -> Seen<'a, Vec<WarningSentences>>;
}

/// Deciding, and the codes that go before it.
pub trait Act: Send + Sync {
    /// Decides through the gatekeeper.
    fn decide<'a>(
        &'a self,
        attempting: &'a Attempting,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Answer, GateError>>;
    /// Strikes out or restores through the gatekeeper.
    fn strike<'a>(
        &'a self,
        striking: &'a Striking,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Request, GateError>>;
    /// Keeps a new code in place of the last one of its decision, if one may be mailed now.
    fn put_code<'a>(
        &'a self,
        id: &'a ApprovalId,
        code: &'a StoredCode,
        now: Timestamp,
    ) -> Seen<'a, CodeIssue>;
    /// Counts one try and gives the code to check it with.
    fn try_code<'a>(
        &'a self,
        id: &'a ApprovalId,
        version: u32,
        slot: u16,
        scope: &'a CodeScope,
    ) -> Seen<'a, Option<StoredCode>>;
    /// Makes a code useless.
    fn spend_code<'a>(
        &'a self,
        id: &'a ApprovalId,
        version: u32,
        slot: u16,
        scope: &'a CodeScope,
    ) -> Seen<'a, ()>;
    /// Mails a code to the approver.
    fn send_code<'a>(
        &'a self,
        request: &'a Request,
        person: &'a UserId,
        code: &'a Code,
        stored: &'a StoredCode,
    ) -> Seen<'a, ()>;
}
