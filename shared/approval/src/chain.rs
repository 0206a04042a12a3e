//! The ledger: receipts in a hash chain, with signed checkpoints.
//!
//! One sealer appends an [`Entry`] per receipt and signs a [`Checkpoint`] at least every minute. Whoever holds the public
//! key and any one checkpoint can tell whether the past up to it is still what it was: [`verify`] finds what was altered,
//! removed, inserted, reordered, cut off, or computed anew. What no checkpoint covers yet is reported as unsealed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use countersign_failure::Failure;
use jiff::Timestamp;
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{Signature, VerifyingKey};
use p256::pkcs8::DecodePublicKey as _;
use serde::{Deserialize, Serialize};

use crate::receipt::{Receipt, ReceiptId};
use crate::request::Tenant;
use crate::subject::{Digest, SubjectError, hash_bytes};

/// One link of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// A signed statement: at this time the chain was so long and ended so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

    fn is_genuine(&self, key: &PublicKey) -> bool {
        let head = Head { sequence: self.sequence, hash: self.head };
        let signature =
            hex::decode(&self.signature).ok().and_then(|der| Signature::from_der(&der).ok());
        let message = Self::message(&self.tenant, &head, self.at);
        signature.is_some_and(|signature| key.0.verify(&message, &signature).is_ok())
    }
}

/// The public half of the ledger's key.
#[derive(Debug, Clone)]
pub struct PublicKey(VerifyingKey);

/// A text or bytes that are no public key on P-256.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is not a public key on P-256: {0}")]
pub struct InvalidKey(String);

impl Failure for InvalidKey {
    fn code(&self) -> &'static str {
        "LEDGER_KEY_INVALID"
    }
}

impl PublicKey {
    /// Reads a key in DER (SubjectPublicKeyInfo), as KMS gives it.
    ///
    /// # Errors
    /// [`InvalidKey`] when it is none.
    pub fn from_der(der: &[u8]) -> Result<Self, InvalidKey> {
        VerifyingKey::from_public_key_der(der)
            .map(Self)
            .map_err(|error| InvalidKey(error.to_string()))
    }

    /// Reads a key in PEM.
    ///
    /// # Errors
    /// [`InvalidKey`] when it is none.
    pub fn from_pem(pem: &str) -> Result<Self, InvalidKey> {
        VerifyingKey::from_public_key_pem(pem)
            .map(Self)
            .map_err(|error| InvalidKey(error.to_string()))
    }
}

/// An entry with the receipt it seals, as exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed {
    /// The entry.
    pub entry: Entry,
    /// The receipt.
    pub receipt: Receipt,
}

/// A ledger as exported: everything `countersign verify` needs beside the public key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// Something that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case", tag = "finding")]
pub enum Finding {
    /// The content of an entry or of its receipt is not what was hashed.
    Altered {
        /// The entry.
        sequence: u64,
    },
    /// An entry does not follow from the one before it.
    Broken {
        /// The entry.
        sequence: u64,
    },
    /// Entries are missing inside the chain.
    Removed {
        /// The first of them.
        from: u64,
        /// The last of them.
        to: u64,
    },
    /// A sequence or a receipt stands there more than once.
    Inserted {
        /// The entry that is too much.
        sequence: u64,
    },
    /// Entries do not stand in order.
    Reordered {
        /// The entry that stands too late.
        sequence: u64,
    },
    /// The chain is shorter than a checkpoint says it was.
    Truncated {
        /// How long it is.
        length: u64,
        /// How long it was.
        was: u64,
    },
    /// The chain is consistent in itself and contradicts a checkpoint: it was computed anew.
    Recomputed {
        /// The checkpoint's sequence.
        checkpoint: u64,
    },
    /// A checkpoint is not signed by the key, or belongs to another deployment.
    NotGenuine {
        /// The checkpoint's sequence.
        checkpoint: u64,
    },
    /// A receipt belongs to another deployment.
    Foreign {
        /// The entry.
        sequence: u64,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Altered { sequence } => write!(f, "entry {sequence} was altered"),
            Self::Broken { sequence } => {
                write!(f, "entry {sequence} does not follow from the one before it")
            }
            Self::Removed { from, to } if from == to => write!(f, "entry {from} was removed"),
            Self::Removed { from, to } => write!(f, "entries {from} to {to} were removed"),
            Self::Inserted { sequence } => write!(f, "entry {sequence} was inserted"),
            Self::Reordered { sequence } => write!(f, "entry {sequence} stands in the wrong place"),
            Self::Truncated { length, was } => {
                write!(f, "the ledger was cut to {length} of {was} entries")
            }
            Self::Recomputed { checkpoint } => {
                write!(
                    f,
                    "the ledger was computed anew: it contradicts the checkpoint at {checkpoint}"
                )
            }
            Self::NotGenuine { checkpoint } => {
                write!(f, "the checkpoint at {checkpoint} is not genuine")
            }
            Self::Foreign { sequence } => {
                write!(f, "entry {sequence} belongs to another deployment")
            }
        }
    }
}

/// What a verification says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// How many entries the ledger has.
    pub entries: u64,
    /// Up to where a genuine checkpoint vouches for it; 0 when none does.
    pub sealed_through: u64,
    /// When that checkpoint was signed.
    pub sealed_at: Option<Timestamp>,
    /// Entries after it and receipts that wait: neither proven nor doubted yet.
    pub unsealed: u64,
    /// Everything that is wrong; nothing, when the ledger is intact.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.findings.is_empty()
    }
}

/// Verifies an exported ledger against the public key and the checkpoints somebody kept outside, such as those that stand
/// in every approval mail.
#[must_use]
pub fn verify(ledger: &Ledger, anchors: &[Checkpoint], key: &PublicKey) -> Report {
    let mut findings = BTreeSet::new();
    check_order(&ledger.entries, &mut findings);
    let by_sequence = check_entries(ledger, &mut findings);
    let sealed = check_checkpoints(ledger, anchors, key, &by_sequence, &mut findings);
    let length = by_sequence.keys().last().copied().unwrap_or(0);
    let sealed_through = sealed.as_ref().map_or(0, |checkpoint| checkpoint.sequence);
    Report {
        entries: ledger.entries.len() as u64,
        sealed_through,
        sealed_at: sealed.map(|checkpoint| checkpoint.at),
        unsealed: length.saturating_sub(sealed_through) + ledger.waiting.len() as u64,
        findings: findings.into_iter().collect(),
    }
}

fn check_order(entries: &[Sealed], findings: &mut BTreeSet<Finding>) {
    let mut highest = 0;
    for Sealed { entry, .. } in entries {
        if entry.sequence < highest {
            findings.insert(Finding::Reordered { sequence: entry.sequence });
        }
        highest = highest.max(entry.sequence);
    }
}

fn check_entries<'a>(
    ledger: &'a Ledger,
    findings: &mut BTreeSet<Finding>,
) -> BTreeMap<u64, &'a Entry> {
    let (mut by_sequence, mut receipts) = (BTreeMap::new(), BTreeSet::new());
    for Sealed { entry, receipt } in &ledger.entries {
        let sequence = entry.sequence;
        let is_repeated = by_sequence.insert(sequence, entry).is_some();
        if is_repeated | !receipts.insert(&entry.receipt) {
            findings.insert(Finding::Inserted { sequence });
        }
        if receipt.tenant != ledger.tenant {
            findings.insert(Finding::Foreign { sequence });
        }
        let hash = entry_hash(sequence, &entry.previous, &entry.receipt, &entry.receipt_hash);
        let is_its_receipt =
            receipt.id == entry.receipt && receipt.hash() == Ok(entry.receipt_hash);
        if hash != entry.hash || !is_its_receipt {
            findings.insert(Finding::Altered { sequence });
        }
    }
    check_links(&ledger.tenant, &by_sequence, findings);
    by_sequence
}

fn check_links(
    tenant: &Tenant,
    by_sequence: &BTreeMap<u64, &Entry>,
    findings: &mut BTreeSet<Finding>,
) {
    let mut head = Head::genesis(tenant);
    for (&sequence, &entry) in by_sequence {
        if sequence > head.sequence + 1 {
            findings.insert(Finding::Removed { from: head.sequence + 1, to: sequence - 1 });
        } else if entry.previous != head.hash {
            findings.insert(Finding::Broken { sequence });
        }
        head = Head::from(entry);
    }
}

/// The newest genuine checkpoint that the chain agrees with.
fn check_checkpoints(
    ledger: &Ledger,
    anchors: &[Checkpoint],
    key: &PublicKey,
    by_sequence: &BTreeMap<u64, &Entry>,
    findings: &mut BTreeSet<Finding>,
) -> Option<Checkpoint> {
    let length = by_sequence.keys().last().copied().unwrap_or(0);
    let mut newest: Option<&Checkpoint> = None;
    for checkpoint in ledger.checkpoints.iter().chain(anchors) {
        let at = checkpoint.sequence;
        if checkpoint.tenant != ledger.tenant || !checkpoint.is_genuine(key) {
            findings.insert(Finding::NotGenuine { checkpoint: at });
            continue;
        }
        let empty = Head::genesis(&ledger.tenant);
        let hash =
            if at == 0 { Some(empty.hash) } else { by_sequence.get(&at).map(|entry| entry.hash) };
        let contradiction = match hash {
            None if at > length => Some(Finding::Truncated { length, was: at }),
            Some(hash) if hash != checkpoint.head => Some(Finding::Recomputed { checkpoint: at }),
            // A gap inside the chain is already reported as removed.
            None => continue,
            Some(_) => None,
        };
        if contradiction.is_none() && newest.is_none_or(|known| known.sequence <= at) {
            newest = Some(checkpoint);
        }
        findings.extend(contradiction);
    }
    newest.cloned()
}
