//! Why a request could not be opened.

use countersign_failure::Failure;
use countersign_zones::to_the_second;
use jiff::Timestamp;

use crate::hashing::SubjectError;
use crate::policy::PolicyError;

/// The longest prompt: it is signed whole and stands in the request, which is one item of the table.
pub const MAX_PROMPT_CHARS: usize = 20_000;

/// The most that a request may take as JSON: it is one item of at most 400 KB, with room for how it ends.
pub const MAX_REQUEST_BYTES: usize = 350_000;

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
    #[error("the deadline {} is not after the opening at {}", to_the_second(*.deadline), to_the_second(*.now))]
    #[failure(code = "APPROVAL_DEADLINE_PASSED", help = "give the gate more time")]
    DeadlinePassed {
        /// The deadline.
        deadline: Timestamp,
        /// When the request was to be opened.
        now: Timestamp,
    },
}
