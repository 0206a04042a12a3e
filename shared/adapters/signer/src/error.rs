//! What KMS can answer instead of a signature.

use aws_sdk_kms::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_kms::primitives::Blob;
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
    /// The bytes that an answer must hold.
    pub(crate) fn bytes<E, R>(
        operation: &'static str,
        sent: Result<Option<Blob>, SdkError<E, R>>,
    ) -> Result<Vec<u8>, Self>
    where
        E: ProvideErrorMetadata,
    {
        let held = sent.map_err(|error| Self::sdk(operation, &error))?;
        let reason = "the answer is empty".to_owned();
        held.map(Blob::into_inner).ok_or(Self { operation, reason, class: Class::Terminal })
    }

    pub(crate) fn sdk<E, R>(operation: &'static str, error: &SdkError<E, R>) -> Self
    where
        E: ProvideErrorMetadata,
    {
        let CallFailure { reason, class } = CallFailure::of(error);
        Self { operation, reason, class }
    }
}
