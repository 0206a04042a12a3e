//! A call of which nobody knows what became.

use countersign_effect::Digest;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::position::ApprovalId;

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
