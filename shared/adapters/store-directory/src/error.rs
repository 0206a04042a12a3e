//! What the directory can answer instead.

use countersign_failure::Failure;
use countersign_store_kit::StoreError;

/// The error of this store.
#[derive(Debug, thiserror::Error, Failure)]
#[failure(status = 409)]
pub enum DirectoryError {
    /// The table did not do what was asked.
    #[error("the directory could not {doing}")]
    #[failure(forward)]
    Store {
        /// What was being done.
        doing: &'static str,
        /// What the table said.
        #[source]
        source: StoreError,
    },
    /// A username or an address belongs to somebody else.
    #[error("the {what} `{value}` is taken")]
    #[failure(code = "USER_TAKEN", help = Some(format!("choose another {what}")))]
    Taken {
        /// `username`, `email` or `account`.
        what: &'static str,
        /// The value.
        value: String,
    },
    /// Nobody has this id.
    #[error("there is no such user")]
    #[failure(code = "NOT_FOUND", status = 404)]
    NoSuchUser,
    /// No team has this id.
    #[error("there is no such team")]
    #[failure(code = "NOT_FOUND", status = 404)]
    NoSuchTeam,
    /// Somebody else changed the record in between.
    #[error("the record was changed by somebody else in between")]
    #[failure(code = "VERSION_CONFLICT", help = "read it again and repeat the change")]
    Changed,
}

impl DirectoryError {
    pub(crate) fn doing(doing: &'static str) -> impl Fn(StoreError) -> Self {
        move |source| Self::Store { doing, source }
    }
}
