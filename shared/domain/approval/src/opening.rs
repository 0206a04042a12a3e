//! What is known when a request is opened.

use std::collections::BTreeSet;

use countersign_effect::Digest;
use countersign_identity::{Requirement, Topic, UserId};
use countersign_run::{AskedBy, RunContext, StepWarnings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::covered::StepEffects;
use crate::deadline::Timing;
use crate::kind::Kind;
use crate::layout::Layout;
use crate::policy::{Floor, Policy};
use crate::position::Position;
use crate::preview::Preview;
use crate::tenant::Tenant;
use crate::unknown_call::UnknownCall;

/// What happens to the run when the request is not approved (K-13).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ApprovalOnReject")]
pub enum OnReject {
    /// The run ends.
    #[default]
    Stop,
    /// Every later step up to the next gate is left out.
    Skip,
}

/// What a request asks people to sign, beside its prompt and preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// What the request is about.
    pub kind: Kind,
    /// The seal of the plan that runs; empty outside a run.
    pub plan_seal: String,
    /// Everything irreversible that the signature allows, in plan order.
    pub effects: Vec<StepEffects>,
    /// Steps behind the gate that are irreversible and will ask for themselves.
    pub later: Vec<String>,
    /// The calls whose outcome is asked for.
    pub outcome: Vec<UnknownCall>,
    /// What steps before could not read as it should be.
    pub warnings: Vec<StepWarnings>,
}

impl Subject {
    /// A question without effects.
    #[must_use]
    pub fn of(kind: Kind) -> Self {
        Self {
            kind,
            plan_seal: String::new(),
            effects: Vec::new(),
            later: Vec::new(),
            outcome: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// Everything that is known when a request is opened.
#[derive(Debug, Clone, PartialEq)]
pub struct Opening {
    /// The deployment.
    pub tenant: Tenant,
    /// Where it stands.
    pub position: Position,
    /// How the run was started.
    pub context: RunContext,
    /// What is signed.
    pub subject: Subject,
    /// Whether what is signed cannot be taken back.
    pub irreversible: bool,
    /// Whose run it is.
    pub owner: UserId,
    /// Who started it.
    pub invoker: UserId,
    /// What asked for it, when that is no person.
    pub asked_by: Option<AskedBy>,
    /// Invoker, owner of the profile, last editors of playbook, connector and policy.
    pub requesters: BTreeSet<UserId>,
    /// One line: `Officer cross-reference: before writing`.
    pub title: String,
    /// What is asked, rendered; untrusted text.
    pub prompt: String,
    /// What people see.
    pub preview: Preview,
    /// The labels and formats they see it in.
    pub layout: Layout,
    /// Where the texts of the effects lie in the data bucket, when they are too large for the request.
    pub effects_at: Option<String>,
    /// What the system has to say to those who sign, in its own words: that a policy was made stricter, and why.
    pub remarks: Vec<String>,
    /// The plan as text, with this gate marked.
    pub plan_picture: String,
    /// What the rest of the run may cost at most, as text: `0.00 EUR`.
    pub cost_bound: Option<String>,
    /// Who may decide and how.
    pub policy: Policy,
    /// The deployment's floor.
    pub floor: Floor,
    /// What an approver must be allowed to do, checked again at every decision.
    pub requirement: Option<Requirement>,
    /// The topic that requirement is about.
    pub topic: Option<Topic>,
    /// Deadline, reminders and escalation.
    pub timing: Timing,
    /// What a refusal does to the run.
    pub on_reject: OnReject,
    /// The steps of models whose results voters may have rewritten, with instructions.
    pub revisable: Vec<String>,
    /// Thirty-two random bytes; kept from the first opening.
    pub salt: Digest,
}
