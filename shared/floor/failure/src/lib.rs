//! What every error of Countersign can say of itself.
//!
//! Each crate has one error enum; this trait gives the doors and the engine what they need from any of them: a stable
//! code, whether trying again can help, an HTTP status, the name Step Functions matches on, and a hint.

mod network;
mod one_line;
mod place;
mod plain;

use std::error::Error;

pub use countersign_failure_derive::Failure;
pub use network::{address_problem, network_problem};
pub use one_line::{beginning, one_line};
pub use place::at_path;
pub use plain::json_problem;

/// Whether trying again can help. Decided where the outside world is met, never guessed later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The same request may succeed later: throttling, a lost connection, a conflict that will settle.
    Retryable,
    /// The same request fails the same way every time.
    Terminal,
}

/// An error with a stable name.
pub trait Failure: Error + Send + Sync + 'static {
    /// A stable code in `SCREAMING_SNAKE_CASE`; `docs/errors/<CODE>.md` explains it.
    fn code(&self) -> &'static str;

    /// Whether trying again can help.
    fn class(&self) -> Class {
        Class::Terminal
    }

    /// The status an HTTP door answers with.
    fn http_status(&self) -> u16 {
        match self.class() {
            Class::Retryable => 503,
            Class::Terminal => 500,
        }
    }

    /// The name `Retry` and `Catch` of a state machine match on.
    fn asl_name(&self) -> &'static str {
        match self.class() {
            Class::Retryable => "Step.Retryable",
            Class::Terminal => "Step.Terminal",
        }
    }

    /// What the reader can do about it, in one sentence.
    fn help(&self) -> Option<String> {
        None
    }
}

/// The whole chain of an error in one line: `reading the run: connection reset`.
#[must_use]
pub fn chain<E: Error + ?Sized>(error: &E) -> String {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        if !line.ends_with(&text) {
            line.push_str(": ");
            line.push_str(&text);
        }
        source = cause.source();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::chain;

    #[derive(Debug, thiserror::Error)]
    #[error("reading the run")]
    struct Outer(#[source] std::io::Error);

    #[test]
    fn the_chain_names_every_cause_once() {
        let error = Outer(std::io::Error::other("connection reset"));
        assert_eq!(chain(&error), "reading the run: connection reset");
    }
}
