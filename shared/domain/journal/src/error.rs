//! What can go wrong with a journal.

use countersign_failure::Failure;

/// Why an entry cannot be written or found.
#[derive(Debug, thiserror::Error, Failure)]
pub enum JournalError {
    /// An argument is not what it must be.
    #[error("`{name}` {problem}")]
    #[failure(code = "JOURNAL_ARGUMENT", status = 422)]
    Invalid {
        /// The argument.
        name: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// The store failed; whether it may succeed later is the store's word.
    #[error("the journal cannot be reached: {0}")]
    #[failure(forward)]
    Store(Box<dyn Failure>),
}

impl JournalError {
    /// Wraps the error of a store.
    #[must_use]
    pub fn store(error: impl Failure) -> Self {
        Self::Store(Box::new(error))
    }
}
