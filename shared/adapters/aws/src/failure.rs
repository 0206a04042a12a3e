//! Why a call of an AWS service failed.

use aws_runtime::retries::classifiers::{THROTTLING_ERRORS, TRANSIENT_ERRORS};
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use countersign_failure::{Class, chain, network_problem};

/// A failed call in the two parts that every adapter needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFailure {
    /// The service's own words, or why there are none.
    pub reason: String,
    /// Whether trying again can help.
    pub class: Class,
}

/// What came of a call, where what its service says instead of doing it may be an answer as well: `means` says which.
///
/// # Errors
/// The error of the call when it means nothing.
pub fn answered<T, E, R>(
    sent: Result<T, SdkError<E, R>>,
    means: impl FnOnce(&E) -> Option<T>,
) -> Result<T, SdkError<E, R>> {
    let meant = sent.as_ref().err().and_then(SdkError::as_service_error).and_then(means);
    meant.map_or(sent, Ok)
}

impl CallFailure {
    /// What an error of the SDK means. The SDK has tried again by itself before it gives one.
    pub fn of<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> Self {
        match error {
            SdkError::ServiceError(service) => {
                let meta = service.err().meta();
                let code = meta.code().unwrap_or("unknown");
                let reason = format!("{code}: {}", meta.message().unwrap_or("no message"));
                let class = if is_transient(code) { Class::Retryable } else { Class::Terminal };
                Self { reason, class }
            }
            SdkError::TimeoutError(_) => Self::unanswered("it timed out"),
            SdkError::ResponseError(_) => Self::unanswered("the answer was cut off"),
            SdkError::DispatchFailure(failure) => {
                let error = failure.as_connector_error();
                tracing::warn!(cause = error.map(chain), "a service of AWS was not reached");
                let reason = match error {
                    Some(error) if error.is_io() || error.is_timeout() => {
                        network_problem(&chain(error))
                    }
                    _ => "the request could not be sent",
                };
                Self::unanswered(&format!("it was not reached: {reason}"))
            }
            _ => {
                let reason = "the request could not be built".to_owned();
                Self { reason, class: Class::Terminal }
            }
        }
    }

    fn unanswered(reason: &str) -> Self {
        Self { reason: reason.to_owned(), class: Class::Retryable }
    }

    /// The error that this is: of a service that may answer the next time, or of one that refuses. Both are made of its words.
    pub fn into_error<T>(
        self,
        unavailable: impl FnOnce(String) -> T,
        refused: impl FnOnce(String) -> T,
    ) -> T {
        match self.class {
            Class::Retryable => unavailable(self.reason),
            Class::Terminal => refused(self.reason),
        }
    }

    /// Whether trying again can help.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.class == Class::Retryable
    }
}

/// Parts of codes by which services say that they are overloaded or have failed themselves.
const PARTS: [&str; 6] =
    ["Throttl", "TooManyRequests", "OverLimit", "Internal", "Unavailable", "Timeout"];

/// Whether an error code means that the same request may succeed later: what the SDK itself tries again, and what the
/// services add to it.
#[must_use]
pub fn is_transient(code: &str) -> bool {
    THROTTLING_ERRORS.contains(&code)
        || TRANSIENT_ERRORS.contains(&code)
        || code == "TransactionConflictException"
        || PARTS.iter().any(|part| code.contains(part))
}

#[cfg(test)]
mod tests {
    use super::is_transient;

    #[track_caller]
    fn check(codes: &[&str], expect: bool) {
        for code in codes {
            assert_eq!(is_transient(code), expect, "{code}");
        }
    }

    #[test]
    fn what_settles_by_itself_is_tried_again() {
        check(&["ThrottlingException", "RequestThrottled", "TooManyRequestsException"], true);
        check(&["ProvisionedThroughputExceededException", "RequestLimitExceeded"], true);
        check(&["TransactionInProgressException", "TransactionConflictException"], true);
        check(&["InternalServerError", "InternalServerException", "InternalError"], true);
        check(&["ServiceUnavailable", "SlowDown", "LimitExceededException", "OverLimit"], true);
        check(
            &["DependencyTimeoutException", "KeyUnavailableException", "KMSInternalException"],
            true,
        );
    }

    #[test]
    fn what_fails_the_same_way_each_time_is_not() {
        check(&["AccessDenied", "AccessDeniedException", "ValidationException"], false);
        check(&["AWS.SimpleQueueService.NonExistentQueue", "InvalidMessageContents"], false);
        check(&["ConditionalCheckFailedException", "TransactionCanceledException"], false);
        check(&["ItemCollectionSizeLimitExceededException", "MessageRejected", "unknown"], false);
    }
}
