//! What KMS can answer instead of a signature.

use aws_sdk_kms::error::{ProvideErrorMetadata, SdkError};
use countersign_aws::CallFailure;
use countersign_failure::{Class, Failure};

/// KMS did not do what was asked.
#[derive(Debug, thiserror::Error, Failure)]
#[error("{operation}: {reason}")]
#[failure(code = "KEY_UNAVAILABLE", class = *class)]
pub struct SignerError {
    /// What was tried.
    pub operation: &'static str,
    /// The service's own words.
    pub reason: String,
    /// Whether trying again can help.
    pub class: Class,
}

impl SignerError {
    pub(crate) fn new(operation: &'static str, reason: &str) -> Self {
        Self { operation, reason: reason.to_owned(), class: Class::Terminal }
    }

    pub(crate) fn sdk<E, R>(operation: &'static str, error: &SdkError<E, R>) -> Self
    where
        E: ProvideErrorMetadata,
    {
        let CallFailure { reason, class } = CallFailure::of(error);
        Self { operation, reason, class }
    }
}
