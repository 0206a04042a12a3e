//! What can go wrong, and whether trying again can help.

use aws_sdk_sfn::error::{ProvideErrorMetadata, SdkError};
use countersign_failure::{Class, Failure};

/// The error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum StatesError {
    /// The service asked us to slow down, or was not reachable.
    #[error("{operation}: the service did not answer: {reason}")]
    Unavailable {
        /// What was tried.
        operation: &'static str,
        /// The service's own words.
        reason: String,
    },
    /// The service refused.
    #[error("{operation}: the service refused: {reason}")]
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
        match error {
            SdkError::ServiceError(service) => {
                let meta = service.err().meta();
                let code = meta.code().unwrap_or("unknown");
                let reason = format!("{code}: {}", meta.message().unwrap_or("no message"));
                if is_transient(code) {
                    Self::Unavailable { operation, reason }
                } else {
                    Self::Refused { operation, reason }
                }
            }
            SdkError::TimeoutError(_) => {
                Self::Unavailable { operation, reason: "timed out".to_owned() }
            }
            SdkError::DispatchFailure(failure) => {
                Self::Unavailable { operation, reason: format!("not reached: {failure:?}") }
            }
            SdkError::ResponseError(_) => {
                Self::Unavailable { operation, reason: "the answer was cut off".to_owned() }
            }
            _ => Self::Refused { operation, reason: "the request could not be built".to_owned() },
        }
    }
}

fn is_transient(code: &str) -> bool {
    const TRANSIENT: [&str; 6] = [
        "ThrottlingException",
        "TooManyRequestsException",
        "ServiceUnavailable",
        "InternalServerException",
        "InternalServerError",
        "InternalError",
    ];
    TRANSIENT.contains(&code)
}

impl Failure for StatesError {
    fn code(&self) -> &'static str {
        match self {
            Self::Unavailable { .. } => "STATES_UNAVAILABLE",
            Self::Refused { .. } => "STATES_REFUSED",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Unavailable { .. } => Class::Retryable,
            Self::Refused { .. } => Class::Terminal,
        }
    }
}
