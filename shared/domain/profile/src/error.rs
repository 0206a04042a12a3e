//! What can be wrong with a profile.

use countersign_failure::Failure;
use countersign_report::fields::{Problem, listed};

/// Why a text is no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// It is not YAML.
    #[error("the profile is not YAML: {0}")]
    Yaml(String),
    /// Its fields have problems; all of them are listed.
    #[error("the profile is not valid: {}", listed(.0))]
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

impl Failure for ProfileError {
    fn code(&self) -> &'static str {
        match self {
            Self::Yaml(_) => "PROFILE_YAML",
            Self::Invalid(_) => "PROFILE_INVALID",
        }
    }

    fn http_status(&self) -> u16 {
        422
    }

    fn help(&self) -> Option<String> {
        Some("docs/outputs.md and the API reference list every field with its values".to_owned())
    }
}
