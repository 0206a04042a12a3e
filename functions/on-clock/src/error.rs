//! Why an owner could not be told.

use countersign_failure::Failure;
use countersign_letter::LetterError;
use countersign_notice::NoticeError;
use countersign_store_catalog::CatalogError;

/// Why an owner could not be told; EventBridge sends the event again.
#[derive(Debug, thiserror::Error, Failure)]
pub enum ClockNoticeError {
    /// The catalog does not answer.
    #[error("reading what does not work")]
    #[failure(forward)]
    Catalog(#[from] CatalogError),
    /// The mail could not be written.
    #[error(transparent)]
    #[failure(forward)]
    Letter(#[from] LetterError),
    /// The owner could not be told.
    #[error(transparent)]
    #[failure(forward)]
    Notice(#[from] NoticeError),
}
