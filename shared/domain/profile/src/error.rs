//! What can be wrong with a profile.

use countersign_failure::Failure;
use countersign_report::fields::{Problem, listed};

/// Why a text is no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(
    status = 422,
    help = "docs/outputs.md and the API reference list every field with its values"
)]
pub enum ProfileError {
    /// It is not YAML.
    #[error("the profile is not YAML: {0}")]
    #[failure(code = "PROFILE_YAML")]
    Yaml(String),
    /// Its fields have problems; all of them are listed.
    #[error("the profile is not valid: {}", listed(.0))]
    #[failure(code = "PROFILE_INVALID")]
    Invalid(Vec<Problem>),
}

impl ProfileError {
    /// The problems by field path.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        match self {
            Self::Yaml(_) => &[],
            Self::Invalid(problems) => problems,
        }
    }
}
