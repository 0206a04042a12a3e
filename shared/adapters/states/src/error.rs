//! What can go wrong, and whether trying again can help.

use aws_sdk_sfn::error::{ProvideErrorMetadata, SdkError};
use countersign_aws::CallFailure;
use countersign_failure::Failure;
use futures::future::BoxFuture;

/// The error of this crate.
#[derive(Debug, thiserror::Error, Failure)]
pub enum StatesError {
    /// The service asked us to slow down, or was not reachable.
    #[error("{operation}: the service did not answer: {reason}")]
    #[failure(code = "STATES_UNAVAILABLE", retryable)]
    Unavailable {
        /// What was tried.
        operation: &'static str,
        /// The service's own words.
        reason: String,
    },
    /// The service refused.
    #[error("{operation}: the service rejected the request: {reason}")]
    #[failure(code = "STATES_REFUSED")]
    Refused {
        /// What was tried.
        operation: &'static str,
        /// The service's own words.
        reason: String,
    },
}

impl StatesError {
    pub(crate) fn sdk<E, R>(operation: &'static str, error: &SdkError<E, R>) -> Self
    where
        E: ProvideErrorMetadata,
    {
        CallFailure::of(error).into_error(
            |reason| Self::Unavailable { operation, reason },
            |reason| Self::Refused { operation, reason },
        )
    }
}

/// What a service is asked for, on its way.
pub type StatesFuture<'a, T> = BoxFuture<'a, Result<T, StatesError>>;
