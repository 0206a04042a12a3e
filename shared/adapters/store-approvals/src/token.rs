//! The task token: whoever holds it can move the run.

use std::fmt;

use countersign_approval::ApprovalId;
use countersign_store_kit::Op;
use jiff::Timestamp;

use crate::{Answer, Result};

/// A task token of Step Functions. It is never printed, never serialised, and stands in one item only.
#[derive(Clone, PartialEq, Eq)]
pub struct TaskToken {
    token: String,
    turn: u64,
}

impl TaskToken {
    /// Takes the token as the state machine gave it.
    #[must_use]
    pub fn new(token: impl Into<String>) -> Self {
        Self { token: token.into(), turn: 0 }
    }

    /// When the task came to wait: in which attempt of the run, and as which of its state's retries. An invocation that is
    /// late may come with a token of an earlier turn, for which nothing waits any more.
    #[must_use]
    pub fn of_attempt(self, attempt: u32, retry: u32) -> Self {
        Self { turn: u64::from(attempt) << 32 | u64::from(retry), ..self }
    }

    /// The same, as it was stored.
    #[must_use]
    pub fn of_turn(self, turn: u64) -> Self {
        Self { turn, ..self }
    }

    /// The turn in which the task came to wait; of a later one the number is higher.
    #[must_use]
    pub fn turn(&self) -> u64 {
        self.turn
    }

    /// The token, for the one call that needs it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.token
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
    /// Keeps the token of the task that waits for this request, in place of one of the same turn or an earlier one. The operation
    /// fails on its condition when one of a later turn is kept.
    ///
    /// # Errors
    /// [`countersign_store_kit::StoreError`] when it cannot be encoded.
    fn keep(&self, id: &ApprovalId, token: &TaskToken, now: Timestamp) -> Result<Op>;

    /// Forgets it.
    fn forget(&self, id: &ApprovalId) -> Op;

    /// The token of the task that waits for this request.
    fn find<'a>(&'a self, id: &'a ApprovalId) -> Answer<'a, Option<TaskToken>>;
}

#[cfg(test)]
mod tests {
    use super::TaskToken;

    #[test]
    fn a_token_is_never_printed() {
        assert!(!format!("{:?}", TaskToken::new("AQCE")).contains("AQCE"));
    }

    #[test]
    fn a_later_attempt_and_a_later_retry_are_later_turns() {
        let turns = [(1, 0), (1, 1), (1, 12), (2, 0), (2, 3)];
        let of = |(attempt, retry)| TaskToken::new("AQCE").of_attempt(attempt, retry).turn();
        assert!(turns.map(of).is_sorted_by(|before, after| before < after));
    }
}
