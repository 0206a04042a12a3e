//! Why a message could not be sent now.

use countersign_failure::Failure;
use countersign_store_content::ContentError;
use countersign_store_directory::DirectoryError;

/// Why a message could not be sent now.
#[derive(Debug, thiserror::Error, Failure)]
pub enum PushError {
    /// The table of connections does not answer.
    #[error("reading the connections")]
    #[failure(forward)]
    Content(#[from] ContentError),
    /// The directory does not answer.
    #[error("reading what the person may do")]
    #[failure(forward)]
    Directory(#[from] DirectoryError),
}
