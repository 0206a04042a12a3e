//! Why a run cannot begin.

use countersign_failure::{Class, Failure};
use countersign_plan::{InputProblem, PlanError, SampleProblem};
use countersign_run::RunId;
use countersign_store_catalog::CatalogError;
use countersign_store_kit::StoreError;
use countersign_store_runs::Unrecognised;

/// Why a run cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum BeginError {
    /// No such run.
    #[error("the run `{0}` is not known")]
    UnknownRun(RunId),
    /// The profile is gone or not active (F-177).
    #[error("the profile `{0}` is gone or not active")]
    Profile(String),
    /// The playbook is gone.
    #[error("the playbook `{0}` is gone")]
    Playbook(String),
    /// The playbook does not compile with the connectors the profile has now (F-159).
    #[error("the playbook does not link: {}", .0.join("; "))]
    Links(Vec<String>),
    /// The inputs do not fit the playbook.
    #[error("the inputs do not fit: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Inputs(Vec<InputProblem>),
    /// The samples of a test do not fit the playbook.
    #[error("the samples do not fit: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Samples(Vec<SampleProblem>),
    /// The plan is refused.
    #[error("the plan is refused: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Refused(Vec<PlanError>),
    /// The run repeats others, and does not recognise what they have sent.
    #[error("the run cannot repeat what was sent: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Repeat(Vec<Unrecognised>),
    /// The plan cannot be sealed, or is not the one that was.
    #[error("sealing the plan")]
    Seal(#[from] PlanError),
    /// The table of runs does not answer.
    #[error("reading or writing the run")]
    Store(#[from] StoreError),
    /// The catalog does not answer.
    #[error("reading the catalog")]
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
                | Self::Refused(_)
                | Self::Repeat(_)
        )
    }
}

impl Failure for BeginError {
    fn code(&self) -> &'static str {
        match self {
            Self::UnknownRun(_) => "RUN_UNKNOWN",
            Self::Profile(_) => "PROFILE_UNAVAILABLE",
            Self::Playbook(_) => "PLAYBOOK_GONE",
            Self::Links(_) => "PLAYBOOK_INVALID",
            Self::Inputs(_) => "RUN_INPUTS_INVALID",
            Self::Samples(_) => "RUN_SAMPLES_INVALID",
            Self::Refused(_) => "PLAN_INVALID",
            Self::Repeat(_) => "REPEAT_CHANGED",
            Self::Seal(error) => error.code(),
            Self::Store(error) => error.code(),
            Self::Catalog(error) => error.code(),
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Store(error) => error.class(),
            Self::Catalog(error) => error.class(),
            _ => Class::Terminal,
        }
    }
}
