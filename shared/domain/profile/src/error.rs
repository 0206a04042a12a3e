//! What can be wrong with a profile.

use countersign_document::Problem;
use countersign_failure::Failure;

/// Why a text is not a profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 422, help = "docs/schema/profile.json lists every field with its values")]
pub enum ProfileError {
    /// It is not YAML.
    #[error("the profile is not YAML: {}", listed(.0))]
    #[failure(code = "PROFILE_YAML")]
    Yaml(Vec<Problem>),
    /// It has problems; all of them are listed.
    #[error("the profile is not valid: {}", listed(.0))]
    #[failure(code = "PROFILE_INVALID")]
    Invalid(Vec<Problem>),
}

impl ProfileError {
    pub(crate) fn of(problems: Vec<Problem>) -> Self {
        if problems.iter().any(|problem| problem.code == "yaml") {
            Self::Yaml(problems)
        } else {
            Self::Invalid(problems)
        }
    }

    /// The problems, each with its place.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        match self {
            Self::Yaml(problems) | Self::Invalid(problems) => problems,
        }
    }
}

/// All problems in one line.
fn listed(problems: &[Problem]) -> String {
    let told = |problem: &Problem| format!("{}: {}", problem.path(), problem.message);
    problems.iter().map(told).collect::<Vec<_>>().join("; ")
}
