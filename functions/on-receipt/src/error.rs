//! What can go wrong while sealing.

use countersign_approval::{SubjectError, Tenant};
use countersign_failure::{Class, Failure};
use countersign_signer::SignerError;
use countersign_store_kit::StoreError;

/// Why a receipt is not sealed, or the head not signed.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// A message is no receipt.
    #[error("a message is not a receipt")]
    NotAReceipt(#[source] serde_json::Error),
    /// A receipt of another deployment.
    #[error("a receipt belongs to the deployment `{0}`")]
    Foreign(Tenant),
    /// The receipt cannot be hashed.
    #[error("hashing a receipt")]
    Hash(#[from] SubjectError),
    /// The chain moved under our hands more often than one sealer can explain.
    #[error("the head of the ledger keeps moving: two sealers are at work")]
    Contended,
    /// The table or the bucket failed.
    #[error("reading or writing the ledger")]
    Store(#[from] StoreError),
    /// The key did not sign.
    #[error("using the ledger's key")]
    Key(#[from] SignerError),
    /// An export cannot be written as JSON.
    #[error("writing an export")]
    Encode(#[source] serde_json::Error),
    /// An entry that should be there is not.
    #[error("entry {0} of the ledger is missing")]
    Missing(u64),
}

impl Failure for SealError {
    fn code(&self) -> &'static str {
        match self {
            Self::NotAReceipt(_) => "RECEIPT_INVALID",
            Self::Foreign(_) => "RECEIPT_FOREIGN",
            Self::Hash(error) => error.code(),
            Self::Contended => "LEDGER_CONTENDED",
            Self::Store(error) => error.code(),
            Self::Key(_) => "LEDGER_UNSIGNED",
            Self::Encode(_) => "LEDGER_ENCODE",
            Self::Missing(_) => "LEDGER_INCOMPLETE",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Contended => Class::Retryable,
            Self::Store(error) => error.class(),
            Self::Key(error) => error.class(),
            _ => Class::Terminal,
        }
    }
}
