//! Why a run cannot begin.

use countersign_channel::ChannelError;
use countersign_failure::Failure;
use countersign_plan::{DetectionMismatch, InputProblem, PlanError, SampleProblem};
use countersign_run::RunId;
use countersign_store_catalog::CatalogError;
use countersign_store_kit::StoreError;
use countersign_store_runs::Unrecognised;

/// Why a run cannot begin.
#[derive(Debug, thiserror::Error, Failure)]
pub enum BeginError {
    /// No such run.
    #[error("the run `{0}` is not known")]
    #[failure(code = "RUN_UNKNOWN")]
    UnknownRun(RunId),
    /// The profile is gone or not active (F-177).
    #[error("the profile `{0}` is gone or not active")]
    #[failure(code = "PROFILE_UNAVAILABLE")]
    Profile(String),
    /// The playbook is gone.
    #[error("the playbook `{0}` is gone")]
    #[failure(code = "PLAYBOOK_GONE")]
    Playbook(String),
    /// The playbook does not compile with the connectors the profile has now (F-159).
    #[error("the playbook does not link: {}", .0.join("; "))]
    #[failure(code = "PLAYBOOK_INVALID")]
    Links(Vec<String>),
    /// The inputs do not fit the playbook.
    #[error("the inputs do not fit: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    #[failure(code = "RUN_INPUTS_INVALID")]
    Inputs(Vec<InputProblem>),
    /// The samples of a test do not fit the playbook.
    #[error("the samples do not fit: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    #[failure(code = "RUN_SAMPLES_INVALID")]
    Samples(Vec<SampleProblem>),
    /// The playbook has other detection steps than when its monitor looked.
    #[error("{0}: the playbook was changed since it looked")]
    #[failure(code = "DETECTION_CHANGED")]
    DetectionMismatch(DetectionMismatch),
    /// The plan is refused.
    #[error("the plan is rejected: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    #[failure(code = "PLAN_INVALID")]
    Refused(Vec<PlanError>),
    /// The run repeats others, and does not recognise what they have sent.
    #[error("the run cannot repeat what was sent: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    #[failure(code = "REPEAT_CHANGED")]
    Repeat(Vec<Unrecognised>),
    /// A message cannot go where its step says.
    #[error("`{step}`: {cause}")]
    #[failure(forward = cause)]
    Channel {
        /// The step.
        step: String,
        /// Why.
        cause: ChannelError,
    },
    /// The plan cannot be sealed, or is not the one that was.
    #[error("sealing the plan")]
    #[failure(forward)]
    Seal(#[from] PlanError),
    /// The table of runs does not answer.
    #[error("reading or writing the run")]
    #[failure(forward)]
    Store(#[from] StoreError),
    /// The catalog does not answer.
    #[error("reading the catalog")]
    #[failure(forward)]
    Catalog(#[from] CatalogError),
}

impl BeginError {
    /// Whether its author can mend it: then it ends the run, with this as the reason.
    pub(crate) fn ends_the_run(&self) -> bool {
        matches!(
            self,
            Self::Profile(_)
                | Self::Playbook(_)
                | Self::Links(_)
                | Self::Inputs(_)
                | Self::Samples(_)
                | Self::DetectionMismatch(_)
                | Self::Refused(_)
                | Self::Repeat(_)
                | Self::Channel { .. }
        )
    }
}
