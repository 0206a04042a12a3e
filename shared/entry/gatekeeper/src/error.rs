//! Why an operation on a request did not happen.

use countersign_approval::ports::PortError;
use countersign_approval::{DecideError, LifecycleError, OpenError, StrikeError};
use countersign_failure::{Class, Failure};
use countersign_store_kit::StoreError;

/// The error of the gatekeeper.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// There is no such request, or it is none of the caller's business.
    #[error("there is no such approval request")]
    NotFound,
    /// The request cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The decision does not count.
    #[error(transparent)]
    Decide(#[from] DecideError),
    /// Nothing is struck out.
    #[error(transparent)]
    Strike(#[from] StrikeError),
    /// The request cannot be changed so.
    #[error(transparent)]
    Lifecycle(#[from] LifecycleError),
    /// The table did not do it.
    #[error("{operation}")]
    Store {
        /// What was tried.
        operation: &'static str,
        /// The store's error.
        #[source]
        source: StoreError,
    },
    /// A neighbour did not do it.
    #[error(transparent)]
    Port(#[from] PortError),
    /// Others keep changing the request: too many lost races in a row.
    #[error("the request is being changed by others")]
    Contended,
    /// The same place was approved and changed too many times.
    #[error("this step has asked for approval {0} times")]
    TooManyRounds(u32),
}

impl GateError {
    /// Says what was tried when the table failed.
    pub(crate) fn doing(operation: &'static str) -> impl Fn(StoreError) -> Self {
        move |source| Self::Store { operation, source }
    }

    fn inner(&self) -> Option<&dyn Failure> {
        match self {
            Self::Open(error) => Some(error),
            Self::Decide(error) => Some(error),
            Self::Strike(error) => Some(error),
            Self::Lifecycle(error) => Some(error),
            Self::Store { source, .. } => Some(source),
            Self::Port(error) => Some(error),
            Self::NotFound | Self::Contended | Self::TooManyRounds(_) => None,
        }
    }
}

impl Failure for GateError {
    fn code(&self) -> &'static str {
        match self {
            Self::NotFound => "APPROVAL_NOT_FOUND",
            Self::Contended => "APPROVAL_CONTENDED",
            Self::TooManyRounds(_) => "APPROVAL_TOO_MANY_ROUNDS",
            other => other.inner().map_or("APPROVAL_FAILED", Failure::code),
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::NotFound | Self::TooManyRounds(_) => Class::Terminal,
            Self::Contended => Class::Retryable,
            other => other.inner().map_or(Class::Terminal, Failure::class),
        }
    }

    fn http_status(&self) -> u16 {
        match self {
            Self::NotFound => 404,
            Self::Contended => 503,
            Self::TooManyRounds(_) => 409,
            other => other.inner().map_or(500, Failure::http_status),
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Contended => Some("try again".to_owned()),
            other => other.inner().and_then(Failure::help),
        }
    }
}
