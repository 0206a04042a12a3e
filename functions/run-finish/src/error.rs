//! Why a run could not be finished yet.

use countersign_failure::{Class, Failure};
use countersign_gatekeeper::GateError;
use countersign_journal::JournalError;
use countersign_letter::LetterError;
use countersign_outbox::OutboxError;
use countersign_run::RunId;
use countersign_store_catalog::CatalogError;
use countersign_store_content::ContentError;
use countersign_store_directory::DirectoryError;
use countersign_store_kit::StoreError;

/// Why a run could not be finished yet. Finishing again is always safe.
#[derive(Debug, thiserror::Error)]
pub enum FinishError {
    /// No such run.
    #[error("the run `{0}` is not known")]
    UnknownRun(RunId),
    /// The table of runs does not answer.
    #[error("reading or writing the run")]
    Store(#[from] StoreError),
    /// Open gates could not be closed, or what became of them cannot be read.
    #[error("closing or reading the gates of the run")]
    Gate(#[from] GateError),
    /// The profile cannot be read.
    #[error("reading the profile")]
    Catalog(#[from] CatalogError),
    /// The journal does not answer.
    #[error("writing the journal")]
    Journal(#[from] JournalError),
    /// The notice cannot be written.
    #[error("writing the notice")]
    Content(#[from] ContentError),
    /// A person cannot be looked up.
    #[error("looking up who is told")]
    Directory(#[from] DirectoryError),
    /// The mail cannot be written.
    #[error("writing the mail")]
    Letter(#[from] LetterError),
    /// The mail cannot be queued.
    #[error("queueing the mail")]
    Outbox(#[from] OutboxError),
}

impl FinishError {
    fn inner(&self) -> Option<&dyn Failure> {
        match self {
            Self::UnknownRun(_) => None,
            Self::Store(error) => Some(error),
            Self::Gate(error) => Some(error),
            Self::Catalog(error) => Some(error),
            Self::Journal(error) => Some(error),
            Self::Content(error) => Some(error),
            Self::Directory(error) => Some(error),
            Self::Letter(error) => Some(error),
            Self::Outbox(error) => Some(error),
        }
    }
}

impl Failure for FinishError {
    fn code(&self) -> &'static str {
        self.inner().map_or("RUN_UNKNOWN", Failure::code)
    }

    fn class(&self) -> Class {
        self.inner().map_or(Class::Terminal, Failure::class)
    }
}
