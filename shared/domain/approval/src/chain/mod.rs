//! The ledger: receipts in a hash chain, with signed checkpoints.
//!
//! One sealer appends an [`Entry`] per receipt and signs a [`Checkpoint`] at least every minute. Whoever holds the public
//! key and any one checkpoint can tell whether the past up to it is still what it was: [`verify`] finds what was altered,
//! removed, inserted, reordered, cut off, or computed anew. What no checkpoint covers yet is counted and never called
//! intact. An [`Export`] is read to the byte: nothing in it may stand there without being hashed or signed.

mod checkpoint;
mod export;
mod finding;
mod key;
mod verify;

use serde::{Deserialize, Serialize};

pub use self::checkpoint::Checkpoint;
pub use self::export::{Export, File, Reading};
pub use self::finding::Finding;
pub use self::key::{InvalidKey, PublicKey};
pub use self::verify::{Report, verify};
use crate::actor::ReceiptId;
use crate::hashing::{SubjectError, hash_bytes};
use crate::receipt::Receipt;
use crate::tenant::Tenant;
use countersign_effect::Digest;

/// One link of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Counted from 1, without a gap.
    pub sequence: u64,
    /// The hash of the entry before; of the tenant for the first.
    pub previous: Digest,
    /// Which receipt.
    pub receipt: ReceiptId,
    /// [`Receipt::hash`].
    pub receipt_hash: Digest,
    /// The hash of all of the above.
    pub hash: Digest,
}

/// The end of a chain: what the next entry is appended to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The last entry's sequence; 0 for an empty chain.
    pub sequence: u64,
    /// Its hash.
    pub hash: Digest,
}

impl Head {
    /// The head of a deployment's empty chain.
    #[must_use]
    pub fn genesis(tenant: &Tenant) -> Self {
        Self {
            sequence: 0,
            hash: hash_bytes("countersign/v1/genesis", &[tenant.as_str().as_bytes()]),
        }
    }

    /// The entry that seals `receipt` after this head.
    ///
    /// # Errors
    /// [`SubjectError`] when the receipt has no canonical JSON.
    pub fn append(&self, receipt: &Receipt) -> Result<Entry, SubjectError> {
        let (sequence, previous, receipt_hash) = (self.sequence + 1, self.hash, receipt.hash()?);
        let hash = entry_hash(sequence, &previous, &receipt.id, &receipt_hash);
        Ok(Entry { sequence, previous, receipt: receipt.id.clone(), receipt_hash, hash })
    }
}

impl From<&Entry> for Head {
    fn from(entry: &Entry) -> Self {
        Self { sequence: entry.sequence, hash: entry.hash }
    }
}

fn entry_hash(
    sequence: u64,
    previous: &Digest,
    receipt: &ReceiptId,
    receipt_hash: &Digest,
) -> Digest {
    let sequence = sequence.to_be_bytes();
    let parts =
        [&sequence[..], previous.as_bytes(), receipt.as_str().as_bytes(), receipt_hash.as_bytes()];
    hash_bytes("countersign/v1/entry", &parts)
}

/// An entry with the receipt it seals, as exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sealed {
    /// The entry.
    pub entry: Entry,
    /// The receipt.
    pub receipt: Receipt,
}

/// A ledger as exported: everything `countersign verify` needs beside the public key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    /// The deployment.
    pub tenant: Tenant,
    /// The chain, first entry first.
    pub entries: Vec<Sealed>,
    /// Receipts that are written and not yet in the chain.
    #[serde(default)]
    pub waiting: Vec<Receipt>,
    /// The checkpoints the deployment keeps.
    pub checkpoints: Vec<Checkpoint>,
}
