//! Why code has no result.

use countersign_failure::Failure;

/// Why code has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
pub enum SandboxError {
    /// It cannot be read as Python, or raised an exception. The message is the code's own.
    #[error("the code failed: {0}")]
    #[failure(code = "CODE_FAILED", status = 422, help = "see the line that the message names")]
    Raised(String),
    /// Its result cannot be handed on.
    #[error("the result of the code holds {0}, which is no data")]
    #[failure(
        code = "CODE_RESULT_INVALID",
        status = 422,
        help = "let the last expression be made of texts, numbers, lists and dictionaries"
    )]
    NotData(String),
    /// It took more than it may.
    #[error("the code takes more than {0}")]
    #[failure(code = "CODE_LIMIT", status = 422, help = "give it fewer data, or have it do less")]
    Limit(String),
    /// It was not run.
    #[error("the code was not run: {0}")]
    #[failure(code = "CODE_NOT_RUN", status = 500, retryable)]
    NotRun(String),
}
