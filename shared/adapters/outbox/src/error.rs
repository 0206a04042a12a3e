//! What can go wrong on the way out.

use aws_sdk_sqs::error::{ProvideErrorMetadata, SdkError};
use countersign_aws::CallFailure;
use countersign_failure::Failure;
use countersign_store_kit::StoreError;

/// Why something could not be sent.
#[derive(Debug, thiserror::Error, Failure)]
pub enum OutboxError {
    /// The mail is not one that may be sent.
    #[error("the mail cannot be sent: {0}")]
    #[failure(code = "MAIL_INVALID", help = "check the address in the directory")]
    InvalidMail(&'static str),
    /// The message is larger than a queue or a bus takes.
    #[error("a message for the {place} has {bytes} bytes and at most {limit} are taken")]
    #[failure(code = "MESSAGE_TOO_LARGE")]
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
    #[failure(code = "MESSAGE_ENCODE")]
    Encode {
        /// Where it was meant to go.
        place: &'static str,
        /// The serialiser's error.
        #[source]
        source: serde_json::Error,
    },
    /// The service did not answer or asked us to slow down.
    #[error("the {place} did not answer: {reason}")]
    #[failure(code = "OUTBOX_UNAVAILABLE", retryable)]
    Unavailable {
        /// Which queue or bus.
        place: &'static str,
        /// The service's own words.
        reason: String,
    },
    /// The service refused: a missing permission, a queue that does not exist.
    #[error("the {place} rejected a message: {reason}")]
    #[failure(code = "OUTBOX_REFUSED")]
    Refused {
        /// Which queue or bus.
        place: &'static str,
        /// The service's own words.
        reason: String,
    },
    /// The list of deliveries could not be read or written.
    #[error("the list of deliveries failed")]
    #[failure(forward)]
    Deliveries(#[from] StoreError),
}

impl OutboxError {
    pub(crate) fn sdk<E: ProvideErrorMetadata, R>(
        place: &'static str,
        error: &SdkError<E, R>,
    ) -> Self {
        CallFailure::of(error).into_error(
            |reason| Self::Unavailable { place, reason },
            |reason| Self::Refused { place, reason },
        )
    }
}
