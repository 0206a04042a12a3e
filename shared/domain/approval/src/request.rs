//! The request: one record for every kind of approval.

use std::collections::{BTreeMap, BTreeSet};

use countersign_effect::Digest;
use countersign_identity::{Requirement, Topic, UserId};
use countersign_run::{AskedBy, RunContext, StepWarnings};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::actor::ReceiptId;
use crate::closed::Closed;
use crate::covered::{Covered, StepEffects};
use crate::deadline::Timing;
use crate::extension_record::ExtensionRecord;
use crate::hashing::SubjectError;
use crate::kind::Kind;
use crate::layout::Layout;
use crate::not_counted::NotCounted;
use crate::open_error::{MAX_PROMPT_CHARS, MAX_REQUEST_BYTES, OpenError};
use crate::opening::{OnReject, Opening};
use crate::policy::Policy;
use crate::position::{ApprovalId, Position};
use crate::preview::Preview;
use crate::status::{Decision, Status};
use crate::strike_record::StrikeRecord;
use crate::tenant::Tenant;
use crate::unknown_call::UnknownCall;

/// One request for approval, as stored. Made by [`Request::open`], changed only by this crate's functions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Request {
    /// The version of digest and receipts: 2; requests of version 1 had no such member.
    #[serde(default = "version_1")]
    pub v: u8,
    /// Derived from the position.
    pub id: ApprovalId,
    /// The deployment.
    pub tenant: Tenant,
    /// Where it stands.
    pub position: Position,
    /// How the run was started.
    pub context: RunContext,
    /// What is signed.
    pub kind: Kind,
    /// Raised by every change of content; votes belong to one version.
    pub version: u32,
    /// Raised by every write, so that two votes cannot both believe they were the first.
    pub revision: u64,
    /// The digest of what is signed.
    pub digest: Digest,
    /// The irreversible steps it covers.
    pub covers: Vec<Covered>,
    /// The seal of the plan that runs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub plan_seal: String,
    /// What those steps are going to do; empty when the texts lie in the bucket.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<StepEffects>,
    /// Where the texts lie in the data bucket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects_at: Option<String>,
    /// Irreversible steps behind the gate that will ask for themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<String>,
    /// The calls whose outcome is asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outcome: Vec<UnknownCall>,
    /// What steps before could not read as it should be, with the sentences that are shown; part of what is signed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<StepWarnings>,
    /// Whether what is signed cannot be taken back.
    pub irreversible: bool,
    /// Where it stands.
    pub status: Status,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Closed>,
    /// Whose run it is.
    pub owner: UserId,
    /// Who started it.
    pub invoker: UserId,
    /// What asked for it, when that is no person: like the people, shown and kept, and not part of the digest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<AskedBy>,
    /// Who may be barred from deciding.
    pub requesters: BTreeSet<UserId>,
    /// One line.
    pub title: String,
    /// What is asked; untrusted text.
    pub prompt: String,
    /// What people see.
    pub preview: Preview,
    /// The labels and formats they see it in.
    #[serde(default, skip_serializing_if = "Layout::is_empty")]
    pub layout: Layout,
    /// What the system has to say to those who sign.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// The plan as text.
    pub plan_picture: String,
    /// What the rest of the run may cost at most, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_bound: Option<String>,
    /// Who may decide and how; the floor is already in it.
    pub policy: Policy,
    /// What an approver must be allowed to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requirement: Option<Requirement>,
    /// The topic of that requirement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<Topic>,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// Deadline, reminders and escalation.
    pub timing: Timing,
    /// What a refusal does to the run.
    pub on_reject: OnReject,
    /// Salt of the receipts' digests.
    pub salt: Digest,
    /// Who struck out or restored what since it was opened, the earliest first. Not signed; what is struck is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strikes: Vec<StrikeRecord>,
    /// Who gave it more time, the earliest first. Not signed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<ExtensionRecord>,
    /// The steps of models whose results voters may have rewritten; not signed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub revisable: Vec<String>,
    /// Whether somebody who asks for changes cannot vote on what comes of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bars_who_asks: bool,
    /// The approvals of the present version that do not count any more, by their receipts. Not signed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub uncounted: BTreeMap<ReceiptId, NotCounted>,
}

/// Whether there is time left to decide, and the prompt is not too long.
fn may_open(opening: &Opening, now: Timestamp) -> Result<(), OpenError> {
    let deadline = opening.timing.deadline;
    if deadline <= now {
        return Err(OpenError::DeadlinePassed { deadline, now });
    }
    match opening.prompt.chars().count() {
        chars if chars > MAX_PROMPT_CHARS => Err(OpenError::PromptTooLong { chars }),
        _ => Ok(()),
    }
}

impl Request {
    /// Whether this is what somebody has seen, as its digest says, and its version where they name one.
    pub(crate) fn is_as_seen(&self, digest: &Digest, version: Option<u32>) -> bool {
        *digest == self.digest && version.is_none_or(|version| version == self.version)
    }

    /// Opens a request, pending, in version 1.
    ///
    /// # Errors
    /// [`OpenError`] when the subject has no digest, when too few people could decide, or when the deadline passed.
    pub fn open(opening: Opening, now: Timestamp) -> Result<Self, OpenError> {
        may_open(&opening, now)?;
        let subject = opening.subject;
        // To say what became of a call allows nothing: only the answer `again` does, and only that call.
        let covered = subject.effects.iter().filter(|_| subject.kind != Kind::Outcome);
        let covers = covered.map(StepEffects::covered).collect();
        let mut requesters = opening.requesters;
        requesters.insert(opening.invoker.clone());
        requesters.insert(opening.owner.clone());
        let policy =
            opening.policy.tightened(&opening.floor, opening.irreversible).settled(&requesters)?;
        let mut request = Self {
            v: 2,
            id: opening.position.approval_id(&opening.tenant),
            kind: subject.kind,
            tenant: opening.tenant,
            position: opening.position,
            context: opening.context,
            version: 1,
            revision: 1,
            // Replaced below: the digest is computed from the request itself.
            digest: Digest::from_bytes([0; 32]),
            covers,
            plan_seal: subject.plan_seal,
            effects: if opening.effects_at.is_some() { Vec::new() } else { subject.effects },
            effects_at: opening.effects_at,
            later: subject.later,
            outcome: subject.outcome,
            warnings: subject.warnings,
            irreversible: opening.irreversible,
            status: Status::Pending,
            closed: None,
            owner: opening.owner,
            invoker: opening.invoker,
            asked_by: opening.asked_by,
            requesters,
            title: opening.title,
            prompt: opening.prompt,
            preview: opening.preview,
            layout: opening.layout,
            remarks: opening.remarks,
            plan_picture: opening.plan_picture,
            cost_bound: opening.cost_bound,
            policy,
            requirement: opening.requirement,
            topic: opening.topic,
            opened_at: now,
            timing: opening.timing,
            on_reject: opening.on_reject,
            salt: opening.salt,
            strikes: Vec::new(),
            extensions: Vec::new(),
            bars_who_asks: opening.floor.requester_never_decides && !opening.revisable.is_empty(),
            revisable: opening.revisable,
            uncounted: BTreeMap::new(),
        };
        request.digest = request.subject_digest()?;
        fits(&request)?;
        Ok(request)
    }

    /// Who asks, for people; `invoker` is what the directory calls whoever started the run.
    #[must_use]
    pub fn asker(&self, invoker: &str) -> String {
        self.asked_by.as_ref().map_or_else(|| invoker.to_owned(), |by| by.sentence(invoker))
    }

    /// Whether somebody asked for changes, which closed it.
    #[must_use]
    pub fn is_revised(&self) -> bool {
        self.closed.as_ref().is_some_and(|closed| closed.revision.is_some())
    }

    /// The outcome for the state machine, once there is one.
    #[must_use]
    pub fn decision(&self) -> Option<Decision> {
        self.status.is_final().then_some(Decision { decision: self.status })
    }

    /// Whether this request, approved, allows `step` to act with effects of this root ([`StepEffects::covered`]). Requests
    /// of version 1 allow nothing: they did not say what is sent.
    #[must_use]
    pub fn allows(&self, step: &str, root: &Digest) -> bool {
        let covered =
            self.covers.iter().any(|covered| covered.step == step && covered.root == *root);
        self.v >= 2 && self.status == Status::Approved && covered
    }
}

/// Refuses what could not be stored, before anybody is asked.
fn fits(request: &Request) -> Result<(), OpenError> {
    let text = serde_json::to_string(request);
    let bytes = text.map_err(|error| SubjectError::Canonical(error.to_string()))?.len();
    if bytes > MAX_REQUEST_BYTES {
        return Err(OpenError::RequestTooLarge { bytes });
    }
    Ok(())
}

fn version_1() -> u8 {
    1
}
