//! Hashes of canonical JSON, and why something has none.

use countersign_effect::{Digest, EffectError, hash_parts};
use countersign_failure::Failure;
use serde::Serialize;

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

impl From<serde_json::Error> for SubjectError {
    fn from(error: serde_json::Error) -> Self {
        Self::Canonical(error.to_string())
    }
}

/// `SHA-256(domain + "\0" + RFC 8785 JSON)`.
pub(crate) fn hash(domain: &str, json: &impl Serialize) -> Result<Digest, SubjectError> {
    let canonical = serde_json_canonicalizer::to_vec(json)?;
    Ok(hash_bytes(domain, &[&canonical]))
}

/// `SHA-256(domain + "\0" + parts)`; the caller makes the parts unambiguous.
pub(crate) fn hash_bytes(domain: &str, parts: &[&[u8]]) -> Digest {
    let mut all: Vec<&[u8]> = vec![domain.as_bytes(), &[0]];
    all.extend_from_slice(parts);
    hash_parts(&all)
}
