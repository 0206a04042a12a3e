//! What can go wrong with a call.

use countersign_failure::Failure;

/// Why a call has no answer. No variant holds a query, a header or a body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Failure)]
pub enum HttpError {
    /// The address may not be called (K-38).
    #[error("`{host}` may not be called: {reason}")]
    #[failure(
        code = "EGRESS_REFUSED",
        status = 422,
        help = "only public HTTPS addresses may be called"
    )]
    Refused {
        /// The host.
        host: String,
        /// Why.
        reason: &'static str,
    },
    /// Too many redirects, or one that cannot be followed.
    #[error("the answer of `{host}` redirects {reason}")]
    #[failure(code = "EGRESS_REDIRECT", status = 502)]
    Redirect {
        /// The host that redirected.
        host: String,
        /// What about it.
        reason: &'static str,
    },
    /// No whole answer in time.
    #[error("`{host}` did not answer in time")]
    #[failure(code = "EGRESS_TIMEOUT", retryable, status = 504)]
    Timeout {
        /// The host.
        host: String,
        /// Whether there may have been a connection: the request may have arrived.
        connected: bool,
    },
    /// No connection, or one that broke.
    #[error("could not reach `{host}`: {reason}")]
    #[failure(code = "EGRESS_NETWORK", retryable, status = 502)]
    Network {
        /// The host.
        host: String,
        /// Why, in plain words.
        reason: &'static str,
        /// Whether there was a connection: the request may have arrived.
        connected: bool,
    },
    /// More bytes than allowed, after decompression.
    #[error("the answer of `{host}` is larger than {max_bytes} bytes")]
    #[failure(code = "EGRESS_TOO_LARGE", status = 502)]
    TooLarge {
        /// The host.
        host: String,
        /// The bound.
        max_bytes: u64,
    },
    /// A header, method or address that HTTP does not allow.
    #[error("the request cannot be sent: {0}")]
    #[failure(code = "EGRESS_REQUEST", status = 422)]
    Request(String),
}

impl HttpError {
    /// Whether the request may have arrived, so that the host may have done what it asks.
    #[must_use]
    pub fn may_have_arrived(&self) -> bool {
        match self {
            Self::Refused { .. } | Self::Request(_) => false,
            Self::Timeout { connected, .. } | Self::Network { connected, .. } => *connected,
            Self::Redirect { .. } | Self::TooLarge { .. } => true,
        }
    }
}
