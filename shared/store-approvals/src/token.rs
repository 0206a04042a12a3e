//! The task token: whoever holds it can move the run.

use std::fmt;

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

#[cfg(test)]
mod tests {
    use super::TaskToken;

    #[test]
    fn a_token_is_never_printed() {
        assert!(!format!("{:?}", TaskToken::new("AQCE")).contains("AQCE"));
    }
}
