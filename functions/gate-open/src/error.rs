//! Why a gate could not be opened.

use countersign_approval::ApprovalId;
use countersign_connector::SourceError;
use countersign_failure::Failure;
use countersign_gatekeeper::GateError;
use countersign_journal::JournalError;
use countersign_step_entry::StepError;
use countersign_store_catalog::CatalogError;
use countersign_store_directory::DirectoryError;
use countersign_store_kit::StoreError;

/// Why a gate could not be opened. What forwards keeps its cause's name for the state machine: a step that is being
/// done is waited for as long as it may take, wherever it is met.
#[derive(Debug, thiserror::Error, Failure)]
pub enum OpenGateError {
    /// The step could not be prepared.
    #[error("preparing the gate")]
    #[failure(forward)]
    Step(#[from] StepError),
    /// The protocol could not open it.
    #[error("opening the gate")]
    #[failure(forward)]
    Gate(#[from] GateError),
    /// The catalog does not answer.
    #[error("reading the profile")]
    #[failure(forward)]
    Catalog(#[from] CatalogError),
    /// The directory does not answer.
    #[error("finding the approvers")]
    #[failure(forward)]
    Directory(#[from] DirectoryError),
    /// The run or its request cannot be read.
    #[error("reading the run or its request")]
    #[failure(forward)]
    Store(#[from] StoreError),
    /// The journal does not answer.
    #[error("writing the journal")]
    #[failure(forward)]
    Journal(#[from] JournalError),
    /// It took longer than an invocation may.
    #[error("opening the gate took too long")]
    #[failure(code = "GATE_TOO_SLOW", retryable)]
    TooSlow,
    /// The request that allowed sending is not kept, or is not what was sent.
    #[error(
        "what became of `{step}` cannot be asked: the request {approval}, which allowed sending it, is not kept"
    )]
    #[failure(code = "OUTCOME_UNASKABLE", status = 422)]
    Unaskable {
        /// The step.
        step: String,
        /// The request.
        approval: ApprovalId,
    },
    /// A connector cannot be read.
    #[error("reading a connector: {0}")]
    #[failure(forward)]
    Connector(SourceError),
    /// The deployment's floor policy has another shape.
    #[error("the floor policy of the deployment cannot be read: {0}")]
    #[failure(code = "FLOOR_POLICY_INVALID", status = 422)]
    Floor(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_waits_for_a_step_that_is_being_done() {
        let busy = OpenGateError::Step(StepError::Busy("pay".to_owned()));
        assert_eq!(busy.asl_name(), "Step.Busy");
        assert_eq!(OpenGateError::TooSlow.asl_name(), "Step.Retryable");
    }
}
