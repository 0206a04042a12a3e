//! Why a run could not be finished yet.

use countersign_failure::Failure;
use countersign_gatekeeper::GateError;
use countersign_journal::JournalError;
use countersign_letter::LetterError;
use countersign_outbox::OutboxError;
use countersign_run::RunId;
use countersign_step_entry::StepError;
use countersign_store_catalog::CatalogError;
use countersign_store_content::ContentError;
use countersign_store_directory::DirectoryError;
use countersign_store_kit::StoreError;

/// Why a run could not be finished yet. Finishing again is always safe.
#[derive(Debug, thiserror::Error, Failure)]
pub enum FinishError {
    /// No such run.
    #[error("the run `{0}` is not known")]
    #[failure(code = "RUN_UNKNOWN")]
    UnknownRun(RunId),
    /// The table of runs does not answer.
    #[error("reading or writing the run")]
    #[failure(forward)]
    Store(#[from] StoreError),
    /// The arguments of a step cannot be read again.
    #[error("reading a step")]
    #[failure(forward)]
    Step(#[from] StepError),
    /// Open gates could not be closed, or what became of them cannot be read.
    #[error("closing or reading the gates of the run")]
    #[failure(forward)]
    Gate(#[from] GateError),
    /// The profile cannot be read.
    #[error("reading the profile")]
    #[failure(forward)]
    Catalog(#[from] CatalogError),
    /// The journal does not answer.
    #[error("writing the journal")]
    #[failure(forward)]
    Journal(#[from] JournalError),
    /// The notice cannot be written.
    #[error("writing the notice")]
    #[failure(forward)]
    Content(#[from] ContentError),
    /// A person cannot be looked up.
    #[error("looking up who is told")]
    #[failure(forward)]
    Directory(#[from] DirectoryError),
    /// The mail cannot be written.
    #[error("writing the mail")]
    #[failure(forward)]
    Letter(#[from] LetterError),
    /// The mail cannot be queued.
    #[error("queueing the mail")]
    #[failure(forward)]
    Outbox(#[from] OutboxError),
}
