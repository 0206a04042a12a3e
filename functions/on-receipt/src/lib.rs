//! Seals receipts into the ledger.
//!
//! Receipts come from one FIFO queue in one message group, so one sealer works at a time. What the table of approvals holds
//! of them and the chain does not is appended in one transaction, on condition that the chain's head has not moved; then the head is signed and everything new is exported:
//! `ledger/entries/…` first, `ledger/checkpoints/…` after, the newest checkpoint in the table last. Stopping after any of
//! these writes leaves a state from which the next delivery of the same batch goes on: receipts that are sealed are
//! skipped, and a head no checkpoint covers yet is signed even when nothing was appended.

mod adapters;
mod error;
mod ports;
mod seal;

use std::sync::Arc;

use aws_lambda_events::sqs::{BatchItemFailure, SqsBatchResponse, SqsEvent};
use countersign_approval::{Receipt, Tenant};
use countersign_failure::{Failure as _, chain};
use countersign_lambda_entry::{Boot, Setting, StartError};
use countersign_signer::LedgerKey;
use countersign_store_approvals::Approvals;
use countersign_store_kit::Blobs;
use jiff::Timestamp;

pub use error::SealError;
pub use ports::{Answer, Archive, Chain, Signer};
pub use seal::{checkpoint_key, entry_key, public_key_key};

/// What the function is built from.
#[derive(Clone)]
pub struct Context {
    /// The deployment.
    pub tenant: Tenant,
    /// The chain in the table of approvals.
    pub chain: Arc<dyn Chain>,
    /// The ledger's key.
    pub signer: Arc<dyn Signer>,
    /// Where exports lie.
    pub archive: Arc<dyn Archive>,
}

impl Context {
    /// The real thing.
    ///
    /// # Errors
    /// [`StartError`] when a setting is missing or the tenant is malformed.
    pub fn new(boot: &Boot) -> Result<Self, StartError> {
        let tenant = boot.read(Setting::Tenant, Tenant::parse)?;
        let table = boot.table(Setting::TableApprovals)?;
        Ok(Self {
            chain: Arc::new(Approvals::new(table)),
            signer: Arc::new(LedgerKey::new(&boot.aws, boot.settings.need(Setting::LedgerKeyId)?)),
            archive: Arc::new(Blobs::of(&boot.aws, boot.settings.need(Setting::BucketLedger)?)),
            tenant,
        })
    }
}

/// Seals the receipts of a batch, in order. From the first message that is not a receipt of this deployment on, all are
/// named to be delivered again; when sealing, signing or exporting fails, the whole batch is.
pub async fn handle(event: SqsEvent, context: &Context, now: Timestamp) -> SqsBatchResponse {
    let mut receipts = Vec::new();
    for message in &event.records {
        match read(message.body.as_deref().unwrap_or_default(), context) {
            Ok(receipt) => receipts.push(receipt),
            Err(error) => {
                tracing::error!(
                    code = error.code(),
                    error = chain(&error),
                    "a message cannot be sealed"
                );
                break;
            }
        }
    }
    let done = match seal::seal(context, &receipts, now).await {
        Ok(()) => receipts.len(),
        Err(error) => {
            tracing::error!(
                code = error.code(),
                error = chain(&error),
                "the ledger was not brought up to date"
            );
            0
        }
    };
    let again = event.records.into_iter().skip(done).filter_map(|message| message.message_id);
    let mut response = SqsBatchResponse::default();
    response.batch_item_failures = again.map(again_item).collect();
    response
}

fn read(body: &str, context: &Context) -> Result<Receipt, SealError> {
    let receipt: Receipt = serde_json::from_str(body).map_err(SealError::NotAReceipt)?;
    if receipt.tenant != context.tenant {
        return Err(SealError::Foreign(receipt.tenant));
    }
    Ok(receipt)
}

fn again_item(message: String) -> BatchItemFailure {
    let mut item = BatchItemFailure::default();
    item.item_identifier = message;
    item
}
