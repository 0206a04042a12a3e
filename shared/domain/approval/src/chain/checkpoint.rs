//! Signed checkpoints.

use jiff::Timestamp;
use p256::ecdsa::Signature;
use serde::{Deserialize, Serialize};

use super::export::whole;
use super::{Head, PublicKey};
use crate::tenant::Tenant;
use countersign_effect::Digest;

/// A signed statement: at this time the chain was so long and ended so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// The deployment.
    pub tenant: Tenant,
    /// The last sealed sequence.
    pub sequence: u64,
    /// The hash of that entry.
    pub head: Digest,
    /// When it was signed.
    pub at: Timestamp,
    /// ECDSA on P-256 with SHA-256 over [`Checkpoint::message`], DER, in hex.
    pub signature: String,
}

impl Checkpoint {
    /// The bytes that are signed: `countersign/v1/checkpoint\0<tenant>\0<sequence>\0<head>\0<time>`, numbers in decimal,
    /// the time in RFC 3339. Sign them with SHA-256 as digest.
    #[must_use]
    pub fn message(tenant: &Tenant, head: &Head, at: Timestamp) -> Vec<u8> {
        format!("countersign/v1/checkpoint\0{tenant}\0{}\0{}\0{at}", head.sequence, head.hash)
            .into_bytes()
    }

    /// Puts a signature, DER, beside what it signs.
    #[must_use]
    pub fn signed(tenant: Tenant, head: &Head, at: Timestamp, signature: &[u8]) -> Self {
        Self {
            tenant,
            sequence: head.sequence,
            head: head.hash,
            at,
            signature: hex::encode(signature),
        }
    }

    /// Reads a checkpoint that somebody has kept; the layout of the text does not matter, every member of it does.
    ///
    /// # Errors
    /// Why the text is not a checkpoint.
    pub fn from_json(json: &[u8]) -> Result<Self, String> {
        whole(json)
    }

    pub(super) fn is_genuine(&self, key: &PublicKey) -> bool {
        let head = Head { sequence: self.sequence, hash: self.head };
        let message = Self::message(&self.tenant, &head, self.at);
        self.der().is_some_and(|signature| key.has_signed(&message, &signature))
    }

    /// The signature, when it is written in the one way it is written: lower-case hex of DER.
    fn der(&self) -> Option<Signature> {
        let der = hex::decode(&self.signature).ok()?;
        Signature::from_der(&der).ok().filter(|_| hex::encode(&der) == self.signature)
    }
}
