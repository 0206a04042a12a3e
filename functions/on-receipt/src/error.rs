//! What can go wrong while sealing.

use countersign_approval::{SubjectError, Tenant};
use countersign_failure::Failure;
use countersign_signer::SignerError;
use countersign_store_kit::StoreError;

/// Why a receipt is not sealed, or the head not signed.
#[derive(Debug, thiserror::Error, Failure)]
pub enum SealError {
    /// A message is not a receipt.
    #[error("a message is not a receipt")]
    #[failure(code = "RECEIPT_INVALID")]
    NotAReceipt(#[source] serde_json::Error),
    /// A receipt of another deployment.
    #[error("a receipt belongs to the deployment `{0}`")]
    #[failure(code = "RECEIPT_FOREIGN")]
    Foreign(Tenant),
    /// The receipt cannot be hashed.
    #[error("hashing a receipt")]
    #[failure(forward)]
    Hash(#[from] SubjectError),
    /// The chain moved under our hands more often than one sealer can explain.
    #[error("the head of the ledger keeps moving: two sealers are at work")]
    #[failure(code = "LEDGER_CONTENDED", retryable)]
    Contended,
    /// The table or the bucket failed.
    #[error("reading or writing the ledger")]
    #[failure(forward)]
    Store(#[from] StoreError),
    /// The key did not sign.
    #[error("using the ledger's key")]
    #[failure(forward, code = "LEDGER_UNSIGNED")]
    Key(#[from] SignerError),
    /// An export cannot be written as JSON.
    #[error("writing an export")]
    #[failure(code = "LEDGER_ENCODE")]
    Encode(#[source] serde_json::Error),
    /// An entry that should be there is not.
    #[error("entry {0} of the ledger is missing")]
    #[failure(code = "LEDGER_INCOMPLETE")]
    Missing(u64),
}
