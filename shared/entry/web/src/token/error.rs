//! What can be wrong with a token, by name.

use countersign_failure::{Class, Failure};
use jsonwebtoken::errors::{Error, ErrorKind};

/// Why a token opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// No `Authorization: Bearer`.
    #[error("this needs a token in `Authorization: Bearer …`")]
    Missing,
    /// Not a token, or without a claim it must have.
    #[error("the token cannot be read or lacks a claim")]
    Malformed,
    /// Signed with another key.
    #[error("the signature of the token is not valid")]
    Signature,
    /// Too late.
    #[error("the token has expired")]
    Expired,
    /// Too early.
    #[error("the token is not valid yet")]
    NotYetValid,
    /// For another audience.
    #[error("the token is for another audience")]
    Audience,
    /// From another issuer.
    #[error("the token is from another issuer")]
    Issuer,
    /// A user pool's token about a person, not one for an API.
    #[error("this is an id token, made for the application that asked for it")]
    Use,
    /// Signed with an algorithm this deployment does not use; `none` is one of them.
    #[error("the token is signed with an algorithm that is not accepted here")]
    Algorithm,
    /// Names extensions that must be understood; this deployment uses none.
    #[error("the token depends on an extension (`crit`) that is not understood here")]
    Critical,
    /// The issuer publishes no such key.
    #[error("the token names a key its issuer does not publish")]
    UnknownKey,
    /// The issuer's keys cannot be fetched at the moment.
    #[error("the keys of the issuer cannot be reached")]
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

impl Failure for TokenError {
    fn code(&self) -> &'static str {
        match self {
            Self::Missing => "TOKEN_MISSING",
            Self::Malformed => "TOKEN_MALFORMED",
            Self::Signature => "TOKEN_SIGNATURE",
            Self::Expired => "TOKEN_EXPIRED",
            Self::NotYetValid => "TOKEN_NOT_YET_VALID",
            Self::Audience => "TOKEN_AUDIENCE",
            Self::Issuer => "TOKEN_ISSUER",
            Self::Use => "TOKEN_USE",
            Self::Algorithm => "TOKEN_ALGORITHM",
            Self::Critical => "TOKEN_CRITICAL",
            Self::UnknownKey => "TOKEN_KEY_UNKNOWN",
            Self::KeysUnavailable => "TOKEN_KEYS_UNAVAILABLE",
        }
    }

    fn class(&self) -> Class {
        if *self == Self::KeysUnavailable { Class::Retryable } else { Class::Terminal }
    }

    fn http_status(&self) -> u16 {
        if *self == Self::KeysUnavailable { 503 } else { 401 }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Expired => Some("sign in again".to_owned()),
            Self::Use => Some("send the access token of the same sign-in".to_owned()),
            Self::Missing => Some("locally, `countersign token` makes one".to_owned()),
            _ => None,
        }
    }
}
