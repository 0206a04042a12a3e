//! The task token: whoever holds it can move the run.

use std::fmt;

use countersign_approval::ApprovalId;
use countersign_store_kit::Op;
use futures::future::BoxFuture;
use jiff::Timestamp;

use crate::Result;

/// A task token of Step Functions. It is never printed, never serialised, and stands in one item only.
#[derive(Clone, PartialEq, Eq)]
pub struct TaskToken(String);

impl TaskToken {
    /// Takes the token as the state machine gave it.
    #[must_use]
    pub fn new(token: impl Into<String>) -> Self {
        Self(token.into())
    }

    /// The token, for the one call that needs it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for TaskToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TaskToken(…)")
    }
}

/// Where the tokens of waiting tasks lie: a table of their own, so that reading approvals moves no run.
///
/// What is kept and forgotten is written in one transaction with the request, hence operations and not calls.
pub trait TaskTokens: fmt::Debug + Send + Sync {
    /// Keeps the token of the task that waits for this request, in place of an earlier one.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when it cannot be encoded.
    fn keep(&self, id: &ApprovalId, token: &TaskToken, now: Timestamp) -> Result<Op>;

    /// Forgets it.
    fn forget(&self, id: &ApprovalId) -> Op;

    /// The token of the task that waits for this request.
    fn find<'a>(&'a self, id: &'a ApprovalId) -> BoxFuture<'a, Result<Option<TaskToken>>>;
}

#[cfg(test)]
mod tests {
    use super::TaskToken;

    #[test]
    fn a_token_is_never_printed() {
        assert!(!format!("{:?}", TaskToken::new("AQCE")).contains("AQCE"));
    }
}
