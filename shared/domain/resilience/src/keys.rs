//! Whose state it is, as keys that give nothing away.

use countersign_canonical::canonical_of;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// Whom a budget or a breaker is about: a digest of what tells it apart. Never of a secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LimitKey(String);

impl LimitKey {
    /// The subject these parts tell apart. Every part counts on its own: `["a", "bc"]` is not `["ab", "c"]`.
    #[must_use]
    pub fn of(parts: &[&str]) -> Self {
        Self(hex::encode(countersign_ids::digest("countersign/v1/egress", parts)))
    }

    /// As text: 64 hex digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What an answer depends on (K-75). No part is a secret.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct AnswerOf<'a> {
    /// Whose credential is used: what one person may see is never shown to another.
    pub owner: &'a str,
    /// Which of the owner's credentials, by id.
    pub credential: Option<&'a str>,
    /// The connector.
    pub connector: &'a str,
    /// Its version.
    pub version: &'a str,
    /// A digest of its definition, so that an edit under the same version counts as well.
    pub definition: &'a str,
    /// Where it calls.
    pub base_url: &'a str,
    /// The endpoint.
    pub endpoint: &'a str,
    /// The arguments.
    pub arguments: &'a Map<String, Value>,
}

/// The key of a kept answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnswerKey(String);

impl AnswerKey {
    /// SHA-256 of the canonical form of what the answer depends on.
    ///
    /// # Errors
    /// The serialiser's message: arguments with numbers that JSON cannot hold.
    pub fn of(answer: &AnswerOf<'_>) -> Result<Self, serde_json::Error> {
        let text = canonical_of(answer)?;
        Ok(Self(hex::encode(Sha256::digest(text))))
    }

    /// As text: 64 hex digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
