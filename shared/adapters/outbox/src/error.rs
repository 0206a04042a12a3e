//! What can go wrong on the way out.

use aws_sdk_sqs::error::{ProvideErrorMetadata, SdkError};
use countersign_failure::{Class, Failure};
use countersign_store_kit::StoreError;

/// Why something could not be sent.
#[derive(Debug, thiserror::Error)]
pub enum OutboxError {
    /// The mail is not one that may be sent.
    #[error("the mail cannot be sent: {0}")]
    InvalidMail(&'static str),
    /// The message is larger than a queue or a bus takes.
    #[error("a message for the {place} has {bytes} bytes and at most {limit} are taken")]
    TooLarge {
        /// Where it was meant to go.
        place: &'static str,
        /// Its size.
        bytes: usize,
        /// The most that is taken.
        limit: usize,
    },
    /// The message cannot be written as JSON.
    #[error("writing a message for the {place}")]
    Encode {
        /// Where it was meant to go.
        place: &'static str,
        /// The serialiser's error.
        #[source]
        source: serde_json::Error,
    },
    /// The service did not answer or asked us to slow down.
    #[error("the {place} did not answer: {reason}")]
    Unavailable {
        /// Which queue or bus.
        place: &'static str,
        /// The service's own words.
        reason: String,
    },
    /// The service refused: a missing permission, a queue that does not exist.
    #[error("the {place} refused a message: {reason}")]
    Refused {
        /// Which queue or bus.
        place: &'static str,
        /// The service's own words.
        reason: String,
    },
    /// The list of deliveries could not be read or written.
    #[error("the list of deliveries failed")]
    Deliveries(#[from] StoreError),
}

impl OutboxError {
    pub(crate) fn sdk<E: ProvideErrorMetadata, R>(
        place: &'static str,
        error: &SdkError<E, R>,
    ) -> Self {
        let SdkError::ServiceError(service) = error else {
            return Self::Unavailable {
                place,
                reason: "not reached, timed out or cut off".to_owned(),
            };
        };
        let meta = service.err().meta();
        let code = meta.code().unwrap_or("unknown");
        let reason = format!("{code}: {}", meta.message().unwrap_or("no message"));
        if is_transient(code) {
            Self::Unavailable { place, reason }
        } else {
            Self::Refused { place, reason }
        }
    }
}

pub(crate) fn is_transient(code: &str) -> bool {
    [
        "Throttl",
        "TooManyRequests",
        "Internal",
        "Unavailable",
        "RequestLimit",
        "OverLimit",
        "Timeout",
    ]
    .iter()
    .any(|part| code.contains(part))
}

impl Failure for OutboxError {
    fn code(&self) -> &'static str {
        match self {
            Self::InvalidMail(_) => "MAIL_INVALID",
            Self::TooLarge { .. } => "MESSAGE_TOO_LARGE",
            Self::Encode { .. } => "MESSAGE_ENCODE",
            Self::Unavailable { .. } => "OUTBOX_UNAVAILABLE",
            Self::Refused { .. } => "OUTBOX_REFUSED",
            Self::Deliveries(error) => error.code(),
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Unavailable { .. } => Class::Retryable,
            Self::Deliveries(error) => error.class(),
            _ => Class::Terminal,
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::InvalidMail(_) => Some("check the address in the directory".to_owned()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_transient;

    fn check(code: &str, expect: bool) {
        assert_eq!(is_transient(code), expect, "{code}");
    }

    #[test]
    fn only_what_can_settle_is_tried_again() {
        check("ThrottlingException", true);
        check("RequestThrottled", true);
        check("InternalError", true);
        check("ServiceUnavailable", true);
        check("AccessDenied", false);
        check("AWS.SimpleQueueService.NonExistentQueue", false);
        check("InvalidMessageContents", false);
    }
}
