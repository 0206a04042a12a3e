//! Why a gate could not be opened.

use countersign_approval::ApprovalId;
use countersign_connector::SourceError;
use countersign_failure::{Class, Failure};
use countersign_gatekeeper::GateError;
use countersign_step_entry::StepError;
use countersign_store_catalog::CatalogError;
use countersign_store_directory::DirectoryError;

/// Why a gate could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenGateError {
    /// The step could not be prepared.
    #[error("preparing the gate")]
    Step(#[from] StepError),
    /// The protocol could not open it.
    #[error("opening the gate")]
    Gate(#[from] GateError),
    /// The catalog does not answer.
    #[error("reading the profile")]
    Catalog(#[from] CatalogError),
    /// The directory does not answer.
    #[error("finding the approvers")]
    Directory(#[from] DirectoryError),
    /// It took longer than an invocation may.
    #[error("opening the gate took too long")]
    TooSlow,
    /// The request that allowed sending is not kept, or is not what was sent.
    #[error(
        "what became of `{step}` cannot be asked: the request {approval}, which allowed sending it, is not kept"
    )]
    Unaskable {
        /// The step.
        step: String,
        /// The request.
        approval: ApprovalId,
    },
    /// A connector cannot be read.
    #[error("reading a connector: {0}")]
    Connector(SourceError),
    /// The deployment's floor policy has another shape.
    #[error("the floor policy of the deployment cannot be read: {0}")]
    Floor(String),
}

impl OpenGateError {
    fn inner(&self) -> Option<&dyn Failure> {
        match self {
            Self::Step(error) => Some(error),
            Self::Gate(error) => Some(error),
            Self::Catalog(error) => Some(error),
            Self::Directory(error) => Some(error),
            Self::Connector(error) => Some(error.as_ref()),
            Self::Floor(_) | Self::TooSlow | Self::Unaskable { .. } => None,
        }
    }
}

impl Failure for OpenGateError {
    fn code(&self) -> &'static str {
        match self {
            Self::TooSlow => "GATE_TOO_SLOW",
            Self::Unaskable { .. } => "OUTCOME_UNASKABLE",
            _ => self.inner().map_or("FLOOR_POLICY_INVALID", Failure::code),
        }
    }

    fn http_status(&self) -> u16 {
        match self {
            Self::TooSlow => 503,
            _ => self.inner().map_or(422, Failure::http_status),
        }
    }

    /// A step that is being done is waited for as long as it may take, wherever it is met.
    fn asl_name(&self) -> &'static str {
        match (self.inner(), self.class()) {
            (Some(inner), _) => inner.asl_name(),
            (None, Class::Retryable) => "Step.Retryable",
            (None, Class::Terminal) => "Step.Terminal",
        }
    }

    fn help(&self) -> Option<String> {
        self.inner().and_then(Failure::help)
    }

    fn class(&self) -> Class {
        match self {
            Self::TooSlow => Class::Retryable,
            _ => self.inner().map_or(Class::Terminal, Failure::class),
        }
    }
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
