//! Whether a ledger is what it was.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;

use super::{Checkpoint, Entry, Finding, Head, Ledger, PublicKey, Sealed, entry_hash};
use crate::tenant::Tenant;

/// What a verification says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// How many entries the ledger has.
    pub entries: u64,
    /// Where the newest genuine checkpoint stands that the chain agrees with; 0 when there is none.
    pub sealed_through: u64,
    /// When that checkpoint was signed.
    pub sealed_at: Option<Timestamp>,
    /// Entries after it and receipts that wait: neither proven nor doubted yet.
    pub unsealed: u64,
    /// Everything that is wrong.
    pub findings: Vec<Finding>,
}

impl Report {
    /// The checkpoint up to which the ledger is sealed and intact. None when something is wrong, and none when no
    /// checkpoint covers an entry: a chain alone proves nothing, since anybody can compute one.
    #[must_use]
    pub fn intact_through(&self) -> Option<u64> {
        Some(self.sealed_through).filter(|&sealed| sealed > 0 && self.findings.is_empty())
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
        if (sequence == 0) | is_repeated | !receipts.insert(&entry.receipt) {
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
