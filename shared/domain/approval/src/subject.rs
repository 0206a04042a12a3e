//! What a request asks people to sign, and its digest (version 2).
//!
//! `digest = SHA-256("countersign/v2/<kind>\0" + canonical JSON of the subject)`. The subject holds the prompt, the root of
//! all preview rows, the layout they are shown in, one Merkle root per step with an effect, and the facts that decide who
//! must sign. It is computed from the stored request alone ([`crate::Request::subject`]), so that whoever holds the request
//! can check it; `docs/approvals.md` gives the layout and `docs/digest-vectors.json` the test vectors.

use countersign_canonical::canonical;
use countersign_effect::{Digest, hash_parts};
use serde_json::json;

use crate::hashing::SubjectError;
use crate::layout::Layout;
use crate::request::Request;

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
