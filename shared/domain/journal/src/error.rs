//! What can go wrong with a journal.

use countersign_failure::{Class, Failure};

/// Why an entry cannot be written or found.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// An argument is not what it must be.
    #[error("`{name}` {problem}")]
    Invalid {
        /// The argument.
        name: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// The store failed; whether it may succeed later is the store's word.
    #[error("the journal cannot be reached: {0}")]
    Store(Box<dyn Failure>),
}

impl JournalError {
    /// Wraps the error of a store.
    #[must_use]
    pub fn store(error: impl Failure) -> Self {
        Self::Store(Box::new(error))
    }
}

impl Failure for JournalError {
    fn code(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => "JOURNAL_ARGUMENT",
            Self::Store(error) => error.code(),
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Invalid { .. } => Class::Terminal,
            Self::Store(error) => error.class(),
        }
    }

    fn http_status(&self) -> u16 {
        match self {
            Self::Invalid { .. } => 422,
            Self::Store(error) => error.http_status(),
        }
    }
}
