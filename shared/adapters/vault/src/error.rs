//! What can go wrong with a sealed record.

use countersign_failure::{Class, Failure};

/// Why a record could not be sealed or opened. No variant holds any part of a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// KMS did not answer, or asked to slow down.
    #[error("the key service did not answer while {operation}: {reason}")]
    Unavailable {
        /// What was tried.
        operation: &'static str,
        /// The service's own words.
        reason: String,
    },
    /// KMS refused: no permission, another key, another context.
    #[error("the key service refused {operation}: {reason}")]
    Refused {
        /// What was tried.
        operation: &'static str,
        /// The service's own words.
        reason: String,
    },
    /// The record was altered, or belongs to somebody or something else.
    #[error("a stored secret cannot be opened: it was altered or is not bound to this record")]
    NotAuthentic,
    /// The record has another form than this release writes.
    #[error("a stored secret has a form this release cannot read: {0}")]
    Form(&'static str),
}

impl Failure for VaultError {
    fn code(&self) -> &'static str {
        match self {
            Self::Unavailable { .. } => "VAULT_UNAVAILABLE",
            Self::Refused { .. } => "VAULT_REFUSED",
            Self::NotAuthentic => "VAULT_NOT_AUTHENTIC",
            Self::Form(_) => "VAULT_FORM",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Unavailable { .. } => Class::Retryable,
            _ => Class::Terminal,
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::NotAuthentic | Self::Form(_) => Some("enter the credential again".to_owned()),
            _ => None,
        }
    }
}
