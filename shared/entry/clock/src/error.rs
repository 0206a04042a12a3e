//! Why something that is due was not begun.

use countersign_failure::Failure;
use countersign_outbox::OutboxError;
use countersign_store_catalog::CatalogError;
use countersign_store_directory::DirectoryError;
use countersign_store_kit::StoreError;
use countersign_web::Problem;

/// Why something that is due was not begun; trying again is always safe.
#[derive(Debug, thiserror::Error, Failure)]
pub enum ClockError {
    /// The catalog does not answer.
    #[error("reading or writing what is due")]
    #[failure(forward)]
    Catalog(#[from] CatalogError),
    /// The table of runs does not answer.
    #[error("reading or writing a run")]
    #[failure(forward)]
    Store(#[from] StoreError),
    /// The directory does not answer.
    #[error("reading what an owner may do")]
    #[failure(forward)]
    Directory(#[from] DirectoryError),
    /// Those who listen could not be told.
    #[error("saying what became of what was due")]
    #[failure(forward)]
    Outbox(#[from] OutboxError),
    /// A run could not be started now, for the reason with this code: what a problem says may name people, and this is logged.
    #[error("a run that is due was not started: {0}")]
    #[failure(code = "RUN_NOT_STARTED", retryable)]
    NotStarted(String),
}

impl ClockError {
    pub(crate) fn of(problem: &Problem) -> Self {
        Self::NotStarted(problem.code.clone())
    }
}
