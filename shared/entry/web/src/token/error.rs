//! What can be wrong with a token, by name.

use countersign_failure::Failure;
use jsonwebtoken::errors::{Error, ErrorKind};

/// Why a token opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Failure)]
#[failure(status = 401)]
pub enum TokenError {
    /// No `Authorization: Bearer`.
    #[error("this needs a token in `Authorization: Bearer …`")]
    #[failure(code = "TOKEN_MISSING", help = "locally, `countersign token` makes one")]
    Missing,
    /// Not a token, or without a claim it must have.
    #[error("the token cannot be read or lacks a claim")]
    #[failure(code = "TOKEN_MALFORMED", help = "send the whole token, as it was issued")]
    Malformed,
    /// Signed with another key.
    #[error("the signature of the token is not valid")]
    #[failure(code = "TOKEN_SIGNATURE", help = "send the whole token, and one of this deployment")]
    Signature,
    /// Too late.
    #[error("the token has expired")]
    #[failure(code = "TOKEN_EXPIRED", help = "sign in again")]
    Expired,
    /// Too early.
    #[error("the token is not valid yet")]
    #[failure(
        code = "TOKEN_NOT_YET_VALID",
        help = "wait, or correct the clock of whoever issues tokens"
    )]
    NotYetValid,
    /// For another audience.
    #[error("the token is for another audience")]
    #[failure(code = "TOKEN_AUDIENCE", help = "sign in to this deployment and send that token")]
    Audience,
    /// From another issuer.
    #[error("the token is from another issuer")]
    #[failure(code = "TOKEN_ISSUER", help = "sign in to this deployment and send that token")]
    Issuer,
    /// A user pool's token about a person, not one for an API.
    #[error("this is an id token, made for the application that asked for it")]
    #[failure(code = "TOKEN_USE", help = "send the access token of the same sign-in")]
    Use,
    /// Signed with an algorithm this deployment does not use; `none` is one of them.
    #[error("the token is signed with an algorithm that is not accepted here")]
    #[failure(code = "TOKEN_ALGORITHM")]
    Algorithm,
    /// Names extensions that must be understood; this deployment uses none.
    #[error("the token depends on an extension (`crit`) that is not understood here")]
    #[failure(code = "TOKEN_CRITICAL")]
    Critical,
    /// The issuer publishes no such key.
    #[error("the token names a key its issuer does not publish")]
    #[failure(code = "TOKEN_KEY_UNKNOWN")]
    UnknownKey,
    /// The issuer's keys cannot be fetched at the moment.
    #[error("the keys of the issuer cannot be reached")]
    #[failure(code = "TOKEN_KEYS_UNAVAILABLE", retryable, status = 503)]
    KeysUnavailable,
}

impl TokenError {
    /// A header that does not read: an algorithm we do not know is one we do not accept.
    pub(crate) fn of_header(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::Json(inner) if inner.to_string().contains("variant") => Self::Algorithm,
            ErrorKind::InvalidAlgorithmName | ErrorKind::UnsupportedAlgorithm => Self::Algorithm,
            _ => Self::Malformed,
        }
    }

    pub(crate) fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::InvalidSignature => Self::Signature,
            ErrorKind::ExpiredSignature => Self::Expired,
            ErrorKind::ImmatureSignature => Self::NotYetValid,
            ErrorKind::InvalidAudience => Self::Audience,
            ErrorKind::InvalidIssuer => Self::Issuer,
            ErrorKind::InvalidAlgorithm
            | ErrorKind::InvalidAlgorithmName
            | ErrorKind::MissingAlgorithm => Self::Algorithm,
            _ => Self::Malformed,
        }
    }
}
