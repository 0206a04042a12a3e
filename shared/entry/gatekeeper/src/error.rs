//! Why an operation on a request did not happen.

use countersign_approval::ports::PortError;
use countersign_approval::{DecideError, LifecycleError, OpenError, StrikeError};
use countersign_failure::Failure;
use countersign_store_kit::StoreError;
use futures::future::BoxFuture;

/// The error of the gatekeeper.
#[derive(Debug, thiserror::Error, Failure)]
pub enum GateError {
    /// There is no such request, or it is none of the caller's business.
    #[error("there is no such approval request")]
    #[failure(code = "APPROVAL_NOT_FOUND", status = 404)]
    NotFound,
    /// The request cannot be opened.
    #[error(transparent)]
    #[failure(forward)]
    Open(#[from] OpenError),
    /// The decision does not count.
    #[error(transparent)]
    #[failure(forward)]
    Decide(#[from] DecideError),
    /// Nothing is struck out.
    #[error(transparent)]
    #[failure(forward)]
    Strike(#[from] StrikeError),
    /// The request cannot be changed so.
    #[error(transparent)]
    #[failure(forward)]
    Lifecycle(#[from] LifecycleError),
    /// The table did not do it.
    #[error("{operation}")]
    #[failure(forward)]
    Store {
        /// What was tried.
        operation: &'static str,
        /// The store's error.
        #[source]
        source: StoreError,
    },
    /// A neighbour did not do it.
    #[error(transparent)]
    #[failure(forward)]
    Port(#[from] PortError),
    /// Others keep changing the request: too many lost races in a row.
    #[error("the request is being changed by others")]
    #[failure(code = "APPROVAL_CONTENDED", retryable, help = "try again")]
    Contended,
    /// The same place was approved and changed too many times.
    #[error("this step has asked for approval {0} times")]
    #[failure(code = "APPROVAL_TOO_MANY_ROUNDS", status = 409)]
    TooManyRounds(u32),
}

/// What the gatekeeper answers in its time.
pub type GateFuture<'a, T> = BoxFuture<'a, Result<T, GateError>>;

impl GateError {
    /// Says what was tried when the table failed.
    pub(crate) fn doing(operation: &'static str) -> impl Fn(StoreError) -> Self {
        move |source| Self::Store { operation, source }
    }
}
