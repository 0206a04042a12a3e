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
    /// What an answer must hold.
    pub(crate) fn needed<T>(operation: &'static str, held: Option<T>) -> Result<T, Self> {
        let reason = "the answer is empty".to_owned();
        held.ok_or(Self { operation, reason, class: Class::Terminal })
    }

    pub(crate) fn sdk<E, R>(operation: &'static str, error: &SdkError<E, R>) -> Self
    where
        E: ProvideErrorMetadata,
    {
        let CallFailure { reason, class } = CallFailure::of(error);
        Self { operation, reason, class }
    }
}
