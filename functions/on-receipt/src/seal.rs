//! Appending, signing, exporting.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_approval::Receipt;
use countersign_approval::chain::{Head, Sealed};
use countersign_store_approvals::{Approvals, SealOutcome};
use jiff::Timestamp;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::Context;
use crate::error::SealError;

/// How often an append is tried when the head moves meanwhile.
const TRIES: u32 = 5;

/// Where the entry of a sequence is exported.
#[must_use]
pub fn entry_key(sequence: u64) -> String {
    format!("ledger/entries/{sequence:012}.json")
}

/// Where the checkpoint of a sequence is exported.
#[must_use]
pub fn checkpoint_key(sequence: u64) -> String {
    format!("ledger/checkpoints/{sequence:012}.json")
}

/// Where a public key (DER) is exported: named by the first eight bytes of its SHA-256, so a new key replaces no old one.
#[must_use]
pub fn public_key_key(der: &[u8]) -> String {
    format!("ledger/keys/{}.pem", hex::encode(&Sha256::digest(der)[..8]))
}

/// Brings the ledger up to date: the receipts of a batch into the chain, then signature and export.
pub(crate) async fn seal(
    context: &Context,
    receipts: &[Receipt],
    now: Timestamp,
) -> Result<(), SealError> {
    append(context, receipts).await?;
    checkpoint(context, now).await
}

/// Appends what is not in the chain yet.
async fn append(context: &Context, receipts: &[Receipt]) -> Result<(), SealError> {
    for _ in 0..TRIES {
        let head = context.chain.head().await?;
        let waiting = context.chain.sealable(receipts).await?;
        if waiting.is_empty() {
            return Ok(());
        }
        let batch = chained(head.unwrap_or_else(|| Head::genesis(&context.tenant)), waiting)?;
        if context.chain.seal(head.as_ref(), &batch).await? == SealOutcome::Sealed {
            tracing::info!(receipts = batch.len(), "sealed");
            return Ok(());
        }
    }
    Err(SealError::Contended)
}

fn chained(mut head: Head, receipts: Vec<Receipt>) -> Result<Vec<Sealed>, SealError> {
    let mut batch = Vec::with_capacity(receipts.len().min(Approvals::SEAL_BATCH));
    for receipt in receipts.into_iter().take(Approvals::SEAL_BATCH) {
        let entry = head.append(&receipt)?;
        head = Head::from(&entry);
        batch.push(Sealed { entry, receipt });
    }
    Ok(batch)
}

/// Signs and exports the head, unless a checkpoint covers it.
async fn checkpoint(context: &Context, now: Timestamp) -> Result<(), SealError> {
    let Some(head) = context.chain.head().await? else { return Ok(()) };
    let newest = context.chain.newest_checkpoint().await?;
    let covered = newest.as_ref().map_or(0, |checkpoint| checkpoint.sequence);
    if covered >= head.sequence {
        return Ok(());
    }
    if newest.is_none() {
        export_key(context).await?;
    }
    export_entries(context, covered + 1, head.sequence).await?;
    sign(context, &head, now).await
}

async fn sign(context: &Context, head: &Head, now: Timestamp) -> Result<(), SealError> {
    let checkpoint = context.signer.checkpoint(&context.tenant, head, now).await?;
    put_json(context, &checkpoint_key(checkpoint.sequence), &checkpoint).await?;
    context.chain.keep(&checkpoint).await?;
    tracing::info!(sequence = checkpoint.sequence, head = %checkpoint.head, "signed a checkpoint");
    Ok(())
}

async fn export_entries(context: &Context, from: u64, to: u64) -> Result<(), SealError> {
    let mut next = from;
    while next <= to {
        let entries = context.chain.entries(next).await?;
        for sealed in entries.iter().filter(|sealed| sealed.entry.sequence <= to) {
            if sealed.entry.sequence != next {
                return Err(SealError::Missing(next));
            }
            put_json(context, &entry_key(next), sealed).await?;
            next += 1;
        }
        if entries.is_empty() {
            return Err(SealError::Missing(next));
        }
    }
    Ok(())
}

async fn export_key(context: &Context) -> Result<(), SealError> {
    let der = context.signer.public_key().await?;
    context
        .archive
        .put(&public_key_key(&der), pem(&der).into_bytes(), "application/x-pem-file")
        .await
}

async fn put_json(context: &Context, key: &str, value: &impl Serialize) -> Result<(), SealError> {
    let body = serde_json::to_vec_pretty(value).map_err(SealError::Encode)?;
    context.archive.put(key, body, "application/json").await
}

/// A public key as PEM: base64 in lines of 64 (RFC 7468).
fn pem(der: &[u8]) -> String {
    let text = STANDARD.encode(der);
    let mut pem = "-----BEGIN PUBLIC KEY-----\n".to_owned();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.len().min(64));
        pem.push_str(line);
        pem.push('\n');
        rest = after;
    }
    pem.push_str("-----END PUBLIC KEY-----\n");
    pem
}
