//! What can go wrong with a call.

use countersign_failure::{Class, Failure};

/// Why a call has no answer. No variant holds a query, a header or a body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// The address may not be called (K-38).
    #[error("`{host}` may not be called: {reason}")]
    Refused {
        /// The host.
        host: String,
        /// Why.
        reason: &'static str,
    },
    /// Too many redirects, or one that cannot be followed.
    #[error("the answer of `{host}` redirects {reason}")]
    Redirect {
        /// The host that redirected.
        host: String,
        /// What about it.
        reason: &'static str,
    },
    /// No whole answer in time.
    #[error("`{host}` did not answer in time")]
    Timeout {
        /// The host.
        host: String,
    },
    /// No connection, or one that broke.
    #[error("could not reach `{host}`: {reason}")]
    Network {
        /// The host.
        host: String,
        /// What the connection says.
        reason: String,
    },
    /// More bytes than allowed, after decompression.
    #[error("the answer of `{host}` is larger than {max_bytes} bytes")]
    TooLarge {
        /// The host.
        host: String,
        /// The bound.
        max_bytes: u64,
    },
    /// A header, method or address that HTTP does not allow.
    #[error("the request cannot be sent: {0}")]
    Request(String),
}

impl Failure for HttpError {
    fn code(&self) -> &'static str {
        match self {
            Self::Refused { .. } => "EGRESS_REFUSED",
            Self::Redirect { .. } => "EGRESS_REDIRECT",
            Self::Timeout { .. } => "EGRESS_TIMEOUT",
            Self::Network { .. } => "EGRESS_NETWORK",
            Self::TooLarge { .. } => "EGRESS_TOO_LARGE",
            Self::Request(_) => "EGRESS_REQUEST",
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Timeout { .. } | Self::Network { .. } => Class::Retryable,
            _ => Class::Terminal,
        }
    }

    fn http_status(&self) -> u16 {
        match self {
            Self::Refused { .. } | Self::Request(_) => 422,
            Self::Timeout { .. } => 504,
            _ => 502,
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Refused { .. } => Some("only public HTTPS addresses may be called".to_owned()),
            _ => None,
        }
    }
}
