//! A request for approval as its readers see it.

use std::collections::BTreeSet;

use countersign_approval::{
    ApprovalId, ApprovalRecord, Digest, Kind, Layout, OnReject, Policy, Position, Preview, Request,
    RunContext, Status, Tally, Tenant, Timing, UnknownCall, Vocabulary, shown_number,
};
use countersign_connector::SendProblem;
use countersign_effect::view::EffectView;
use countersign_gatekeeper::not_sent;
use countersign_identity::{Requirement, Topic, UserId};
use countersign_run::{AskedBy, ConversationId, Head, StepWarnings};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::approval_effect::{SentCall, StepSummary};
use super::approval_history::{ClosedView, ExtensionView, StrikeView, VoteView};
use super::now;
use super::planned_step::PlannedStep;
use crate::documented::documented;

/// The status of a request in the words of a queue.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, extend("enum" = ["pending", "approved", "rejected", "expired"]))]
pub(crate) struct QueueStatus(&'static str);

impl From<Status> for QueueStatus {
    fn from(status: Status) -> Self {
        Self(status.word(Vocabulary::Queue))
    }
}

/// A request for approval: everything but the salt, which would make the ledger's digests guessable.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Approval")]
pub(crate) struct ApprovalView {
    /// The version of digest and receipts.
    v: u8,
    id: ApprovalId,
    /// The deployment.
    tenant: Tenant,
    /// The run and the step that ask.
    position: Position,
    /// How the run was started.
    context: RunContext,
    /// What is signed.
    kind: Kind,
    /// Raised by every change of content; votes belong to one version.
    version: u32,
    /// Raised by every write.
    revision: u64,
    /// The digest of what is signed; a decision must carry it.
    digest: Digest,
    /// The seal of the plan that runs.
    #[serde(skip_serializing_if = "String::is_empty")]
    plan_seal: String,
    /// What each step behind the gate is going to send.
    effects: Vec<StepSummary>,
    /// While it is open: the steps that could not be sent as they are shown if it were approved now, and why; looked up at this moment.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    send_problems: Vec<SendProblem>,
    /// How many of its requests would not be sent for that, if it were approved now.
    not_sent: u64,
    /// Irreversible steps behind the gate that will ask for themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    later: Vec<String>,
    /// Of a request of kind `outcome`: the calls whose outcome is asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outcome: Vec<AskedCall>,
    /// The same: how many other calls, allowed together with these, the run may send once they are answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    unsent: Option<u64>,
    /// What steps before could not read as it should be, with the sentences that are shown; part of what is signed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<StepWarnings>,
    /// Whether what is signed cannot be taken back.
    irreversible: bool,
    status: Status,
    /// How it ended, once it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    closed: Option<ClosedView>,
    /// Whose run it is.
    owner: UserId,
    /// Who started the run.
    invoker: UserId,
    /// What asked for the run, when that was no person.
    #[serde(skip_serializing_if = "Option::is_none")]
    asked_by: Option<AskedBy>,
    /// Who asks, for people: whoever started the run, by username, and what asked for it in their name.
    asker: String,
    /// Those who may be barred from deciding.
    requesters: BTreeSet<UserId>,
    /// One line.
    title: String,
    /// What is asked; untrusted text.
    prompt: String,
    /// What to say beside the prompt once something is struck out, which it may still count; else null.
    prompt_note: Option<String>,
    /// The rows that people see.
    preview: Preview,
    /// The labels and formats they see them in.
    #[serde(skip_serializing_if = "Layout::is_empty")]
    layout: Layout,
    /// What the system has to say to those who sign.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
    /// The plan as text.
    plan_picture: String,
    /// The steps of the run, in the order of the plan; empty when the run is gone.
    steps: Vec<PlannedStep>,
    /// What the rest of the run may cost at most, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_bound: Option<String>,
    /// Who may decide and how.
    policy: Policy,
    /// What an approver must be allowed to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    requirement: Option<Requirement>,
    /// The topic of that requirement.
    #[serde(skip_serializing_if = "Option::is_none")]
    topic: Option<Topic>,
    opened_at: Timestamp,
    /// Deadline, reminders and escalation.
    timing: Timing,
    /// What a refusal does to the run.
    on_reject: OnReject,
    /// Who struck out or brought back what, the earliest first.
    strikes: Vec<StrikeView>,
    /// Who gave it more time, the earliest first.
    extensions: Vec<ExtensionView>,
    /// The steps of models whose results can be rewritten.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    revisable: Vec<String>,
    /// Whether somebody who asks for changes cannot vote on what comes of them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    bars_who_asks: bool,
    /// Of a request of kind `outcome`: how many people have given which answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    tally: Option<Vec<Tally>>,
    /// Approvals of the present version that count; of answers, those of the most frequent one.
    given: u32,
    /// Approvals it takes.
    needed: u32,
    /// The usernames of those who may decide and have not, or whose approval does not count any more, while it is open.
    waits_for: Vec<String>,
    /// Every vote, also on earlier versions.
    votes: Vec<VoteView>,
    queue_status: QueueStatus,
    #[serde(flatten)]
    of_run: OfRun,
}

documented!(ApprovalView);

/// What is read beside a request to show it.
pub(super) struct Beside {
    pub(super) effects: Vec<StepSummary>,
    pub(super) sent: Vec<SentCall>,
    pub(super) send_problems: Vec<SendProblem>,
    pub(super) unsent: Option<u64>,
    pub(super) record: ApprovalRecord,
    pub(super) votes: Vec<VoteView>,
    pub(super) strikes: Vec<StrikeView>,
    pub(super) extensions: Vec<ExtensionView>,
    /// Who started the run, by username.
    pub(super) invoker: String,
    pub(super) run: Option<Head>,
    pub(super) steps: Option<Vec<PlannedStep>>,
}

impl ApprovalView {
    /// People who decided are named by username, as in the record of the run.
    pub(super) fn of(request: Request, beside: Beside) -> Self {
        let not_sent = not_sent(&request, &beside.send_problems);
        let asks_outcome = !request.outcome.is_empty();
        let prompt_note = request.prompt_note();
        let asker = request.asker(&beside.invoker);
        let ApprovalRecord { by, tally, given, needed, waits_for, .. } = beside.record;
        Self {
            v: request.v,
            id: request.id,
            tenant: request.tenant,
            position: request.position,
            context: request.context,
            kind: request.kind,
            version: request.version,
            revision: request.revision,
            digest: request.digest,
            plan_seal: request.plan_seal,
            effects: beside.effects,
            send_problems: beside.send_problems,
            not_sent,
            later: request.later,
            outcome: request.outcome.into_iter().zip(beside.sent).map(AskedCall::of).collect(),
            unsent: beside.unsent,
            warnings: request.warnings,
            irreversible: request.irreversible,
            status: request.status,
            closed: request.closed.map(|closed| ClosedView::of(closed, by)),
            owner: request.owner,
            invoker: request.invoker,
            asked_by: request.asked_by,
            asker,
            requesters: request.requesters,
            title: request.title,
            prompt: request.prompt,
            prompt_note,
            preview: request.preview,
            layout: request.layout,
            remarks: request.remarks,
            plan_picture: request.plan_picture,
            steps: beside.steps.unwrap_or_default(),
            cost_bound: request.cost_bound,
            policy: request.policy,
            requirement: request.requirement,
            topic: request.topic,
            opened_at: request.opened_at,
            timing: request.timing,
            on_reject: request.on_reject,
            strikes: beside.strikes,
            extensions: beside.extensions,
            revisable: request.revisable,
            bars_who_asks: request.bars_who_asks,
            tally: asks_outcome.then_some(tally),
            given,
            needed,
            waits_for,
            votes: beside.votes,
            queue_status: request.status.into(),
            of_run: OfRun::of(beside.run),
        }
    }
}

/// What is said of the run that asks.
#[derive(Debug, Serialize, JsonSchema)]
struct OfRun {
    /// The agent of the run; null when the run is gone.
    agent_profile_id: Option<String>,
    /// The name of that agent, when the run was started.
    agent: Option<String>,
    /// The conversation in which the run was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation_id: Option<ConversationId>,
}

impl OfRun {
    fn of(run: Option<Head>) -> Self {
        let asked_in = run.as_ref().and_then(|head| head.asked_in.as_ref());
        let conversation_id = asked_in.map(|asked| asked.conversation.clone());
        let (agent_profile_id, agent) =
            run.map(|head| (head.profile_id, head.profile_name)).unzip();
        Self { agent_profile_id, agent, conversation_id }
    }
}

/// A call whose outcome is asked for, and what sending it again risks now.
#[derive(Debug, Serialize, JsonSchema)]
struct AskedCall {
    /// Which effect of the step, from 1.
    n: u32,
    /// The hash of the effect.
    leaf: Digest,
    /// Which call of it this was, from 1.
    call: u32,
    /// The request that allowed it.
    approval: ApprovalId,
    /// The receipt that allowed it.
    receipt: String,
    /// When it was about to be sent.
    sent_at: Timestamp,
    /// Method, host and path, without the query: where to look.
    target: String,
    /// The idempotency key it carries: what to look for.
    key: String,
    /// For how many hours the service remembers the key; null where its connector does not say so.
    key_hours: Option<u32>,
    /// What people see of it; null from the fifty-first on.
    sends: Option<EffectView>,
    /// The address at which all of it is.
    effect: String,
    /// What sending it again risks; null while the service still knows the key.
    again_warning: Option<String>,
}

impl AskedCall {
    fn of((asked, sent): (UnknownCall, SentCall)) -> Self {
        let again_warning = asked.again_warning(now());
        let UnknownCall { n, leaf, call, approval, receipt, sent_at, target, key, key_hours } =
            asked;
        let SentCall { effect, sends } = sent;
        let n = shown_number(n);
        Self {
            n,
            leaf,
            call,
            approval,
            receipt,
            sent_at,
            target,
            key,
            key_hours,
            sends,
            effect,
            again_warning,
        }
    }
}
