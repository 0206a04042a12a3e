//! Why a connection cannot be opened or closed now.

use countersign_failure::Failure;
use countersign_store_content::ContentError;
use countersign_store_directory::DirectoryError;

/// Why a connection cannot be opened or closed now.
#[derive(Debug, thiserror::Error, Failure)]
pub enum SocketError {
    /// The table of connections does not answer.
    #[error("reading or writing the connection")]
    #[failure(forward)]
    Content(#[from] ContentError),
    /// The directory does not answer.
    #[error("reading what the person may do")]
    #[failure(forward)]
    Directory(#[from] DirectoryError),
}
