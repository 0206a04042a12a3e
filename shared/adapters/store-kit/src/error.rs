//! What can go wrong between us and a table, and whether trying again can help.

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use countersign_failure::{Class, Failure};

use crate::table::Item;

/// The error of every store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The condition of a write did not hold. Carries the item as it stands, when there is one and it was asked for.
    #[error("the condition for writing to `{table}` did not hold")]
    ConditionFailed {
        /// The table.
        table: String,
        /// Which write of a transaction failed, from 0.
        index: usize,
        /// The item that stood in the way.
        item: Option<Box<Item>>,
    },
    /// The service asked us to slow down, or was not reachable.
    #[error("`{table}` did not answer: {reason}")]
    Unavailable {
        /// The table or bucket.
        table: String,
        /// The service's own words.
        reason: String,
    },
    /// The service refused the request: a missing permission, a table that does not exist, a malformed expression.
    #[error("`{table}` refused the request: {reason}")]
    Refused {
        /// The table or bucket.
        table: String,
        /// The service's own words.
        reason: String,
    },
    /// An item does not have the shape it should have.
    #[error("an item of `{table}` cannot be read: {reason}")]
    Decode {
        /// The table or bucket.
        table: String,
        /// What was wrong.
        reason: String,
    },
    /// A value cannot be written.
    #[error("a value cannot be written: {0}")]
    Encode(String),
    /// A stored body does not have the digest its claim check names.
    #[error("the body behind the claim check `{0}` is not the one that was stored")]
    Tampered(String),
}

impl StoreError {
    /// Whether this is a condition that did not hold.
    #[must_use]
    pub fn is_condition(&self) -> bool {
        matches!(self, Self::ConditionFailed { .. })
    }

    pub(crate) fn sdk<E, R>(table: &str, error: &SdkError<E, R>) -> Self
    where
        E: ProvideErrorMetadata,
    {
        let table = table.to_owned();
        match error {
            SdkError::ServiceError(service) => {
                let meta = service.err().meta();
                let code = meta.code().unwrap_or("unknown").to_owned();
                let reason = format!("{code}: {}", meta.message().unwrap_or("no message"));
                if is_transient(&code) {
                    Self::Unavailable { table, reason }
                } else {
                    Self::Refused { table, reason }
                }
            }
            SdkError::TimeoutError(_) => {
                Self::Unavailable { table, reason: "timed out".to_owned() }
            }
            SdkError::DispatchFailure(failure) => {
                Self::Unavailable { table, reason: format!("not reached: {failure:?}") }
            }
            SdkError::ResponseError(_) => {
                Self::Unavailable { table, reason: "the answer was cut off".to_owned() }
            }
            _ => Self::Refused { table, reason: "the request could not be built".to_owned() },
        }
    }
}

fn is_transient(code: &str) -> bool {
    const TRANSIENT: [&str; 9] = [
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
        "RequestLimitExceeded",
        "TransactionInProgressException",
        "TransactionConflictException",
        "InternalServerError",
        "ServiceUnavailable",
        "SlowDown",
        "InternalError",
    ];
    TRANSIENT.contains(&code)
}

impl Failure for StoreError {
    fn code(&self) -> &'static str {
        match self {
            Self::ConditionFailed { .. } => "STORE_CONFLICT",
            Self::Unavailable { .. } => "STORE_UNAVAILABLE",
            Self::Refused { .. } => "STORE_REFUSED",
            Self::Decode { .. } => "STORE_DECODE",
            Self::Encode(_) => "STORE_ENCODE",
            Self::Tampered(_) => "STORE_TAMPERED",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Unavailable { .. } | Self::ConditionFailed { .. } => Class::Retryable,
            _ => Class::Terminal,
        }
    }

    fn http_status(&self) -> u16 {
        match self {
            Self::ConditionFailed { .. } => 409,
            Self::Unavailable { .. } => 503,
            _ => 500,
        }
    }
}
