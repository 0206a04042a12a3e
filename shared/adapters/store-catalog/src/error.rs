//! What the catalog can answer instead.

use countersign_failure::{Class, Failure};
use countersign_store_kit::StoreError;

/// The error of this store.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// The table did not do what was asked.
    #[error("the catalog could not {doing}")]
    Store {
        /// What was being done.
        doing: &'static str,
        /// What the table said.
        #[source]
        source: StoreError,
    },
    /// A handle or an id is in use by another record of the same owner.
    #[error("the {what} `{name}` is taken")]
    Taken {
        /// `handle`, `connector id`, `playbook id` or `connector` of a profile.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// There is no such record of this owner.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// Somebody changed the record in between.
    #[error("the {0} was changed by somebody else in between")]
    Changed(&'static str),
    /// A record is larger than an item may be.
    #[error("the {what} takes {bytes} bytes; at most {limit} fit")]
    TooLarge {
        /// What.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The bound.
        limit: usize,
    },
}

impl CatalogError {
    pub(crate) fn doing(doing: &'static str) -> impl Fn(StoreError) -> Self + Copy {
        move |source| Self::Store { doing, source }
    }
}

impl Failure for CatalogError {
    fn code(&self) -> &'static str {
        match self {
            Self::Store { source, .. } => source.code(),
            Self::Taken { .. } => "NAME_TAKEN",
            Self::NotFound(_) => "NOT_FOUND",
            Self::Changed(_) => "VERSION_CONFLICT",
            Self::TooLarge { .. } => "RECORD_TOO_LARGE",
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
            Self::Taken { .. } | Self::Changed(_) => 409,
            Self::NotFound(_) => 404,
            Self::TooLarge { .. } => 413,
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Taken { what, .. } => {
                Some(format!("choose another {what}, or change the one that has it"))
            }
            Self::Changed(_) => Some("read it again and repeat the change".to_owned()),
            _ => None,
        }
    }
}
