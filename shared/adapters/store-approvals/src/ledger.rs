//! The chain: entries, its head, checkpoints.

use countersign_approval::Receipt;
use countersign_approval::chain::{Checkpoint, Entry, Head, Sealed};
use countersign_store_kit::{Expr, Query, Write};
use futures::TryFutureExt as _;
use serde::{Deserialize, Serialize};

use crate::items::Body;
use crate::{Answer, Approvals, Result, keys};

/// How many receipts one transaction can seal: the head, and an entry and a receipt each.
const BATCH: usize = 45;

#[derive(Serialize, Deserialize)]
struct HeadItem {
    body: String,
    sequence: u64,
}

/// Whether a batch was sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SealOutcome {
    /// All of it.
    Sealed,
    /// Nothing: the head moved, or a receipt is sealed already. Read both again.
    Stale,
}

impl Approvals {
    /// The most receipts [`Approvals::seal`] takes at once.
    pub const SEAL_BATCH: usize = BATCH;

    /// The end of the chain; none when nothing was sealed yet.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn head(&self) -> Answer<'_, Option<Head>> {
        Box::pin(async move {
            let item: Option<Body> = self.table.get(&keys::chain_head()).await?;
            item.map(|item| item.read(self.table.name())).transpose()
        })
    }

    /// Which of these receipts are written and not in the chain. What the table does not hold is never sealed: a message
    /// in a queue proves nothing.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn sealable<'a>(&'a self, receipts: &'a [Receipt]) -> Answer<'a, Vec<Receipt>> {
        Box::pin(async move {
            let wanted: Vec<_> = receipts.iter().map(receipt_key).collect();
            let items = self.table.get_many(&wanted).await?;
            let mut waiting = Vec::new();
            for key in wanted {
                let Some(item) = items.get(&key).filter(|item| !item.contains_key("sequence"))
                else {
                    continue;
                };
                let body: Body = countersign_store_kit::decode(self.table.name(), item.clone())?;
                let receipt: Receipt = body.read(self.table.name())?;
                if !waiting.contains(&receipt) {
                    waiting.push(receipt);
                }
            }
            Ok(waiting)
        })
    }

    /// Appends entries to the chain that ended with `head`: all of them or none; at most [`Approvals::SEAL_BATCH`].
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn seal<'a>(
        &'a self,
        head: Option<&'a Head>,
        batch: &'a [Sealed],
    ) -> Answer<'a, SealOutcome> {
        Box::pin(async move {
            let Some(last) = batch.last() else { return Ok(SealOutcome::Sealed) };
            let mut writes = vec![move_head(head, &last.entry)?];
            for sealed in batch {
                writes.extend(seal_one(sealed)?);
            }
            let is_sealed = self.table.try_transact(writes).await?;
            Ok(if is_sealed { SealOutcome::Sealed } else { SealOutcome::Stale })
        })
    }

    /// Entries from `sequence` on, at most a thousand; fewer at the end of a partition of the chain, none behind its end.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn entries(&self, sequence: u64) -> Answer<'_, Vec<Sealed>> {
        let query = Query::partition(&keys::chain_partition(sequence));
        let query = query.between(&keys::sequence_text(sequence), "~").consistent();
        self.all_of(query, 1000)
    }

    /// Keeps a checkpoint.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn put_checkpoint<'a>(&'a self, checkpoint: &'a Checkpoint) -> Answer<'a, ()> {
        Box::pin(async move {
            let key = keys::checkpoint(checkpoint.sequence, checkpoint.at);
            self.table.write(Write::put(&key, &Body::of(checkpoint)?)?).await
        })
    }

    /// The newest checkpoint: what stands in every approval mail.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn newest_checkpoint(&self) -> Answer<'_, Option<Checkpoint>> {
        let query = Query::partition(keys::CHECKPOINT).descending().limit(1).consistent();
        Box::pin(self.page_of(query).map_ok(|page| page.items.into_iter().next()))
    }

    /// Every checkpoint, oldest first, at most `most`.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when the table does not answer.
    pub fn checkpoints(&self, most: usize) -> Answer<'_, Vec<Checkpoint>> {
        self.all_of(Query::partition(keys::CHECKPOINT).consistent(), most)
    }
}

fn receipt_key(receipt: &Receipt) -> countersign_store_kit::Key {
    keys::receipt(&receipt.approval, receipt.version, &receipt.id)
}

fn move_head(before: Option<&Head>, last: &Entry) -> Result<Write> {
    let head = Head::from(last);
    let item = HeadItem { body: Body::of(&head)?.body, sequence: head.sequence };
    let unmoved = match before {
        None => Expr::absent(),
        Some(before) => Expr::new("#sequence = :before").bind("before", &before.sequence)?,
    };
    Ok(Write::put(&keys::chain_head(), &item)?.when(unmoved))
}

fn seal_one(sealed: &Sealed) -> Result<[Write; 2]> {
    let entry = Write::put(&keys::chain_entry(sealed.entry.sequence), &Body::of(sealed)?)?;
    let unsealed = Expr::new("attribute_exists(#PK) AND attribute_not_exists(#sequence)");
    let mark = Write::update(&receipt_key(&sealed.receipt))
        .set("sequence", &sealed.entry.sequence)?
        .remove("GSI1PK")
        .remove("GSI1SK")
        .when(unsealed);
    Ok([entry.if_absent(), mark])
}
