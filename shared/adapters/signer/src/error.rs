//! What KMS can answer instead of a signature.

use aws_sdk_kms::error::{ProvideErrorMetadata, SdkError};
use countersign_failure::{Class, Failure};

/// KMS did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[error("{operation}: {reason}")]
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
        let SdkError::ServiceError(service) = error else {
            let reason = "the service was not reached".to_owned();
            return Self { operation, reason, class: Class::Retryable };
        };
        let meta = service.err().meta();
        let code = meta.code().unwrap_or("unknown");
        let reason = format!("{code}: {}", meta.message().unwrap_or("no message"));
        let class = if is_transient(code) { Class::Retryable } else { Class::Terminal };
        Self { operation, reason, class }
    }
}

fn is_transient(code: &str) -> bool {
    let known = [
        "ThrottlingException",
        "DependencyTimeoutException",
        "KeyUnavailableException",
        "KMSInternalException",
        "ServiceUnavailable",
    ];
    known.contains(&code)
}

impl Failure for SignerError {
    fn code(&self) -> &'static str {
        "KEY_UNAVAILABLE"
    }

    fn class(&self) -> Class {
        self.class
    }
}
