//! Why somebody could not be told.

use countersign_failure::Failure;
use countersign_letter::LetterError;
use countersign_outbox::OutboxError;
use countersign_store_content::ContentError;
use countersign_store_directory::DirectoryError;

/// Why somebody could not be told; EventBridge sends the event again.
#[derive(Debug, thiserror::Error, Failure)]
pub enum NoticeError {
    /// The directory does not answer.
    #[error(transparent)]
    #[failure(forward)]
    Directory(#[from] DirectoryError),
    /// The notification could not be written.
    #[error(transparent)]
    #[failure(forward)]
    Content(#[from] ContentError),
    /// The mail could not be written.
    #[error(transparent)]
    #[failure(forward)]
    Letter(#[from] LetterError),
    /// The mail could not be queued.
    #[error(transparent)]
    #[failure(forward)]
    Outbox(#[from] OutboxError),
}
