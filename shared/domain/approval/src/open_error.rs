//! Why a request could not be opened.

use countersign_failure::Failure;
use jiff::Timestamp;

use crate::policy::PolicyError;
use crate::request::{MAX_PROMPT_CHARS, MAX_REQUEST_BYTES};
use crate::subject::SubjectError;

/// Why a request cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 422)]
pub enum OpenError {
    /// What should be signed has no digest.
    #[error(transparent)]
    #[failure(forward)]
    Subject(#[from] SubjectError),
    /// Nobody could ever decide it.
    #[error(transparent)]
    #[failure(forward)]
    Policy(#[from] PolicyError),
    /// What is asked is longer than anybody reads.
    #[error(
        "the prompt has {chars} characters with its values filled in; at most {MAX_PROMPT_CHARS} can be signed"
    )]
    #[failure(
        code = "PROMPT_TOO_LONG",
        help = "show lists and long texts with `preview_from`, not in the prompt"
    )]
    PromptTooLong {
        /// Its length.
        chars: usize,
    },
    /// What is shown and signed is more than a request holds.
    #[error("the request takes {bytes} bytes; at most {MAX_REQUEST_BYTES} can be kept")]
    #[failure(
        code = "REQUEST_TOO_LARGE",
        help = "sign fewer calls with one gate, or shorten the prompt and the preview"
    )]
    RequestTooLarge {
        /// Its size as JSON.
        bytes: usize,
    },
    /// The deadline does not lie in the future.
    #[error("the deadline {deadline} is not after the opening at {now}")]
    #[failure(code = "APPROVAL_DEADLINE_PASSED", help = "give the gate more time")]
    DeadlinePassed {
        /// The deadline.
        deadline: Timestamp,
        /// When the request was to be opened.
        now: Timestamp,
    },
}
