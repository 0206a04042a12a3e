//! What can go wrong between us and a table, and whether trying again can help.

use std::fmt;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use countersign_aws::CallFailure;
use countersign_failure::{Failure, json_problem};

use crate::key::Item;

/// The error of every store.
#[derive(Debug, thiserror::Error, Failure)]
#[failure(status = 500)]
pub enum StoreError {
    /// The condition of a write did not hold. Carries the item as it stands, when there is one and it was asked for.
    #[error("the condition for writing to `{table}` did not hold")]
    #[failure(code = "STORE_CONFLICT", retryable, status = 409)]
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
    #[failure(code = "STORE_UNAVAILABLE", retryable, status = 503)]
    Unavailable {
        /// The table or bucket.
        table: String,
        /// The service's own words.
        reason: String,
    },
    /// The service refused the request: a missing permission, a table that does not exist, a malformed expression.
    #[error("`{table}` rejected the request: {reason}")]
    #[failure(code = "STORE_REFUSED")]
    Refused {
        /// The table or bucket.
        table: String,
        /// The service's own words.
        reason: String,
    },
    /// An item does not have the shape it should have.
    #[error("an item of `{table}` cannot be read: {reason}")]
    #[failure(code = "STORE_DECODE")]
    Decode {
        /// The table or bucket.
        table: String,
        /// What was wrong.
        reason: String,
    },
    /// A value cannot be written.
    #[error("a value cannot be written: {0}")]
    #[failure(code = "STORE_ENCODE")]
    Encode(String),
    /// A stored body does not have the digest its claim check names.
    #[error("the body behind the claim check `{0}` is not the one that was stored")]
    #[failure(code = "STORE_TAMPERED")]
    Tampered(String),
}

impl StoreError {
    /// Whether this is a condition that did not hold.
    #[must_use]
    pub fn is_condition(&self) -> bool {
        matches!(self, Self::ConditionFailed { .. })
    }

    /// What was read from `table` has another shape. What the reader says of it is told without the values.
    #[must_use]
    pub fn unreadable(table: &str, error: &dyn fmt::Display) -> Self {
        Self::Decode { table: table.to_owned(), reason: json_problem(&error.to_string()) }
    }

    /// A value that has no form in which it could be written, as whoever tried says.
    #[must_use]
    pub fn encode(error: impl fmt::Display) -> Self {
        Self::Encode(error.to_string())
    }

    pub(crate) fn sdk<E, R>(table: &str, error: &SdkError<E, R>) -> Self
    where
        E: ProvideErrorMetadata,
    {
        CallFailure::of(error).into_error(
            |reason| Self::Unavailable { table: table.to_owned(), reason },
            |reason| Self::Refused { table: table.to_owned(), reason },
        )
    }
}
