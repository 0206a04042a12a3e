//! What can go wrong with a sealed record.

use countersign_failure::Failure;

/// Why a record could not be sealed or opened. No variant holds any part of a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
pub enum VaultError {
    /// KMS did not answer, or asked to slow down.
    #[error("the key service did not answer while {operation}: {reason}")]
    #[failure(code = "VAULT_UNAVAILABLE", retryable)]
    Unavailable {
        /// What was tried.
        operation: &'static str,
        /// The service's own words.
        reason: String,
    },
    /// KMS refused: no permission, another key, another context.
    #[error("the key service rejected {operation}: {reason}")]
    #[failure(code = "VAULT_REFUSED")]
    Refused {
        /// What was tried.
        operation: &'static str,
        /// The service's own words.
        reason: String,
    },
    /// The record was altered, or belongs to somebody or something else.
    #[error("a stored secret cannot be opened: it was altered or is not bound to this record")]
    #[failure(code = "VAULT_NOT_AUTHENTIC", help = "enter the credential again")]
    NotAuthentic,
    /// The record has another form than this release writes.
    #[error("a stored secret has a form this release cannot read: {0}")]
    #[failure(code = "VAULT_FORM", help = "enter the credential again")]
    Form(&'static str),
}
