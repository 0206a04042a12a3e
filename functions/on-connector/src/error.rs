//! Why somebody could not be told.

use countersign_failure::{Class, Failure};
use countersign_letter::LetterError;
use countersign_outbox::OutboxError;
use countersign_store_content::ContentError;
use countersign_store_directory::DirectoryError;

/// Why somebody could not be told; EventBridge sends the event again.
#[derive(Debug, thiserror::Error)]
pub enum NoticeError {
    /// The directory does not answer.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// The notification could not be written.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// The mail could not be written.
    #[error(transparent)]
    Letter(#[from] LetterError),
    /// The mail could not be queued.
    #[error(transparent)]
    Outbox(#[from] OutboxError),
}

impl NoticeError {
    fn inner(&self) -> &dyn Failure {
        match self {
            Self::Directory(error) => error,
            Self::Content(error) => error,
            Self::Letter(error) => error,
            Self::Outbox(error) => error,
        }
    }
}

impl Failure for NoticeError {
    fn code(&self) -> &'static str {
        self.inner().code()
    }

    fn class(&self) -> Class {
        self.inner().class()
    }
}
