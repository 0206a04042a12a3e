//! What the directory can answer instead.

use countersign_failure::{Class, Failure};
use countersign_store_kit::StoreError;

/// The error of this store.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// The table did not do what was asked.
    #[error("the directory could not {doing}")]
    Store {
        /// What was being done.
        doing: &'static str,
        /// What the table said.
        #[source]
        source: StoreError,
    },
    /// A username or an address belongs to somebody else.
    #[error("the {what} `{value}` is taken")]
    Taken {
        /// `username`, `email` or `account`.
        what: &'static str,
        /// The value.
        value: String,
    },
    /// Nobody has this id.
    #[error("there is no such user")]
    NoSuchUser,
    /// Somebody else changed the record in between.
    #[error("the record was changed by somebody else in between")]
    Changed,
}

impl DirectoryError {
    pub(crate) fn doing(doing: &'static str) -> impl Fn(StoreError) -> Self {
        move |source| Self::Store { doing, source }
    }
}

impl Failure for DirectoryError {
    fn code(&self) -> &'static str {
        match self {
            Self::Store { source, .. } => source.code(),
            Self::Taken { .. } => "USER_TAKEN",
            Self::NoSuchUser => "NOT_FOUND",
            Self::Changed => "VERSION_CONFLICT",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Store { source, .. } => source.class(),
            _ => Class::Terminal,
        }
    }

    fn http_status(&self) -> u16 {
        match self {
            Self::Store { source, .. } => source.http_status(),
            Self::Taken { .. } | Self::Changed => 409,
            Self::NoSuchUser => 404,
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Taken { what, .. } => Some(format!("choose another {what}")),
            Self::Changed => Some("read it again and repeat the change".to_owned()),
            Self::Store { .. } | Self::NoSuchUser => None,
        }
    }
}
