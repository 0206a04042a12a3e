//! Why a request could not be opened.

use countersign_failure::Failure;
use jiff::Timestamp;

use crate::policy::PolicyError;
use crate::request::{MAX_PROMPT_CHARS, MAX_REQUEST_BYTES};
use crate::subject::SubjectError;

/// Why a request cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// What should be signed has no digest.
    #[error(transparent)]
    Subject(#[from] SubjectError),
    /// Nobody could ever decide it.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// What is asked is longer than anybody reads.
    #[error(
        "the prompt has {chars} characters with its values filled in; at most {MAX_PROMPT_CHARS} can be signed"
    )]
    PromptTooLong {
        /// Its length.
        chars: usize,
    },
    /// What is shown and signed is more than a request holds.
    #[error("the request takes {bytes} bytes; at most {MAX_REQUEST_BYTES} can be kept")]
    RequestTooLarge {
        /// Its size as JSON.
        bytes: usize,
    },
    /// The deadline does not lie in the future.
    #[error("the deadline {deadline} is not after the opening at {now}")]
    DeadlinePassed {
        /// The deadline.
        deadline: Timestamp,
        /// When the request was to be opened.
        now: Timestamp,
    },
}

impl Failure for OpenError {
    fn code(&self) -> &'static str {
        match self {
            Self::Subject(error) => error.code(),
            Self::Policy(error) => error.code(),
            Self::PromptTooLong { .. } => "PROMPT_TOO_LONG",
            Self::RequestTooLarge { .. } => "REQUEST_TOO_LARGE",
            Self::DeadlinePassed { .. } => "APPROVAL_DEADLINE_PASSED",
        }
    }

    fn http_status(&self) -> u16 {
        422
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Subject(error) => error.help(),
            Self::Policy(error) => error.help(),
            Self::PromptTooLong { .. } => {
                Some("show lists and long texts with `preview_from`, not in the prompt".to_owned())
            }
            Self::RequestTooLarge { .. } => Some(
                "sign fewer calls with one gate, or shorten the prompt and the preview".to_owned(),
            ),
            Self::DeadlinePassed { .. } => Some("give the gate more time".to_owned()),
        }
    }
}
