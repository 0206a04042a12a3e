//! What a request asks people to sign, and its digest (version 2).
//!
//! `digest = SHA-256("countersign/v2/<kind>\0" + canonical JSON of the subject)`. The subject holds the prompt, the root of
//! all preview rows, the layout they are shown in, one Merkle root per step with an effect, and the facts that decide who
//! must sign. It is computed from the stored request alone ([`crate::Request::subject`]), so that whoever holds the request
//! can check it; `docs/approvals.md` gives the layout and `docs/digest-vectors.json` the test vectors.

use countersign_effect::{Effect, EffectError, canonical, effect_leaf, hash_parts};
use countersign_failure::Failure;
use countersign_run::StepWarnings;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::covered::Covered;
use crate::kind::Kind;
use crate::layout::Layout;
use crate::request::{ApprovalId, Request};

pub use countersign_effect::{Digest, InvalidDigest};

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

/// What one step is going to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepEffects {
    /// The step's name in its plan.
    pub step: String,
    /// The action it calls.
    pub action: String,
    /// The canonical text of each effect, in order ([`Effect::text`]).
    pub texts: Vec<String>,
}

/// A call that was sent, or was about to be, and of which no outcome is known.
/// What is asked of it is answered with an [`crate::OutcomeAnswer`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnknownCall {
    /// Which effect of the step, from 0.
    pub n: u32,
    /// The hash of the effect.
    pub leaf: Digest,
    /// Which call of it this was, from 1.
    pub call: u32,
    /// The request that allowed it.
    pub approval: ApprovalId,
    /// The receipt that allowed it.
    pub receipt: String,
    /// When it was about to be sent.
    pub sent_at: Timestamp,
    /// Method, host and path, without the query: where to look.
    pub target: String,
    /// The idempotency key it carries: what to look for.
    pub key: String,
    /// For how many hours the service remembers the key, where its connector says so.
    pub key_hours: Option<u32>,
}

/// Why a subject has no digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(
    code = "SUBJECT_NOT_SIGNABLE",
    status = 422,
    help = "write large numbers and amounts of money as strings"
)]
pub enum SubjectError {
    /// A number would not survive canonical JSON.
    #[error("the number `{number}` at `{path}` cannot be signed exactly")]
    InexactNumber {
        /// Where it stands: a JSON pointer.
        path: String,
        /// The number.
        number: String,
    },
    /// The JSON could not be written canonically.
    #[error("writing canonical JSON: {0}")]
    Canonical(String),
    /// An effect cannot be signed.
    #[error(transparent)]
    #[failure(forward)]
    Effect(EffectError),
}

impl From<EffectError> for SubjectError {
    fn from(error: EffectError) -> Self {
        Self::Effect(error)
    }
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

impl StepEffects {
    /// A step with one effect.
    ///
    /// # Errors
    /// [`SubjectError::Effect`] when the effect is too large to be signed.
    pub fn one(step: &str, action: &str, effect: &Effect) -> Result<Self, SubjectError> {
        Self::of(step, action, std::slice::from_ref(effect))
    }

    /// A step with these effects, in order.
    ///
    /// # Errors
    /// [`SubjectError::Effect`] when one is too large to be signed.
    pub fn of(step: &str, action: &str, effects: &[Effect]) -> Result<Self, SubjectError> {
        let texts = effects.iter().map(Effect::text).collect::<Result<_, _>>()?;
        Ok(Self { step: step.to_owned(), action: action.to_owned(), texts })
    }

    /// The hashes of its effects.
    #[must_use]
    pub fn leaves(&self) -> Vec<Digest> {
        self.texts.iter().map(|text| effect_leaf(text)).collect()
    }

    /// What a signature of all of them covers.
    #[must_use]
    pub fn covered(&self) -> Covered {
        Covered::without(self, &[])
    }
}

impl Request {
    /// The subject as canonical JSON: every member is always there. Requests of version 1 have none.
    ///
    /// # Errors
    /// [`SubjectError::Canonical`] when it cannot be written.
    pub fn subject(&self) -> Result<String, SubjectError> {
        Ok(canonical(&json!({
            "v": 2,
            "kind": self.kind,
            "tenant": self.tenant,
            "approval": self.id,
            "run": self.position.run,
            "step": self.position.step,
            "plan_seal": self.plan_seal,
            "context": self.context,
            "irreversible": self.irreversible,
            "on_reject": self.on_reject,
            "prompt": self.prompt,
            "preview": self.preview.summary(),
            "warnings": (!self.warnings.is_empty()).then_some(&self.warnings),
            "layout": layout_digest(&self.layout)?,
            "effects": self.covers,
            "later": self.later,
            "outcome": self.outcome,
        }))?)
    }

    /// The digest v2 of the subject.
    pub(crate) fn subject_digest(&self) -> Result<Digest, SubjectError> {
        let domain = format!("countersign/v2/{}\0", self.kind);
        Ok(hash_parts(&[domain.as_bytes(), self.subject()?.as_bytes()]))
    }
}

/// `SHA-256("countersign/v2/layout\0" + canonical JSON)`.
fn layout_digest(layout: &Layout) -> Result<Digest, SubjectError> {
    let text = canonical(&json!(layout))?;
    Ok(hash_parts(&[b"countersign/v2/layout\0", text.as_bytes()]))
}

/// `SHA-256(domain + "\0" + RFC 8785 JSON)`.
pub(crate) fn hash(domain: &str, json: &impl Serialize) -> Result<Digest, SubjectError> {
    let canonical = serde_json_canonicalizer::to_vec(json)
        .map_err(|error| SubjectError::Canonical(error.to_string()))?;
    Ok(hash_bytes(domain, &[&canonical]))
}

/// `SHA-256(domain + "\0" + parts)`; the caller makes the parts unambiguous.
pub(crate) fn hash_bytes(domain: &str, parts: &[&[u8]]) -> Digest {
    let mut all: Vec<&[u8]> = vec![domain.as_bytes(), &[0]];
    all.extend_from_slice(parts);
    hash_parts(&all)
}
