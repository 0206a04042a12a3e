//! Why a tick did not come to its end.

use countersign_failure::Failure;
use countersign_journal::JournalError;
use countersign_store_catalog::CatalogError;
use countersign_store_kit::StoreError;

/// Why a tick did not come to its end. The next one goes on where it stopped.
#[derive(Debug, thiserror::Error, Failure)]
pub enum TickError {
    /// The catalog does not answer.
    #[error("reading or writing the monitor")]
    #[failure(forward)]
    Catalog(#[from] CatalogError),
    /// The table of runs does not answer.
    #[error("reading or writing the run")]
    #[failure(forward)]
    Runs(#[from] StoreError),
    /// The journal does not answer.
    #[error("telling the journal")]
    #[failure(forward)]
    Journal(#[from] JournalError),
    /// Something that starting a run needs does not answer.
    #[error("starting the run: {0}")]
    #[failure(code = "MONITOR_RUN_NOT_STARTED", retryable)]
    Start(String),
}
