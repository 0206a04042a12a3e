//! How a source tells a repeated call from a new one.

use serde::{Deserialize, Serialize};

use super::Connection;

/// The header that carries the key where a connector names no other.
pub const KEY_HEADER: &str = "idempotency-key";

/// What a source knows a repeated call by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Idempotency {
    /// The header that carries the key, in lower case.
    pub header: String,
    /// How long the source remembers a key, where that is known; 0 when it does not look at keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<u32>,
}

impl Connection {
    /// What the connector says about repeated calls.
    #[must_use]
    pub fn idempotency(&self) -> Option<&Idempotency> {
        match self {
            Self::RestApi(rest) => rest.idempotency.as_ref(),
            Self::Graphql(graphql) => graphql.idempotency.as_ref(),
            _ => None,
        }
    }

    /// The header that carries the idempotency key of calls with an effect.
    #[must_use]
    pub fn key_header(&self) -> &str {
        self.idempotency().map_or(KEY_HEADER, |idempotency| &idempotency.header)
    }
}
