//! Which row of the failure table an error belongs to.

use countersign_connector::Health;
use countersign_http_out::HttpError;
use countersign_postgres_out::DatabaseError;
use countersign_resilience::{CallFailure, Fallback};
use countersign_robots::RobotsError;

use crate::error::ConnectError;

impl ConnectError {
    /// The kind of failure of the source; `None` when the source is not at fault.
    pub(crate) fn fault(&self) -> Option<CallFailure> {
        match self {
            Self::AuthFailed { .. } => Some(CallFailure::AuthRefused),
            Self::Throttled { .. } => Some(CallFailure::Throttled { retry_after: None }),
            Self::Unavailable { status: 408, .. } => Some(CallFailure::RequestTimeout),
            Self::Unavailable { .. } => Some(CallFailure::Unavailable),
            Self::Refused { .. } => Some(CallFailure::Refused),
            // Whoever does not answer for robots.txt is down, unless it says that it is asked too often.
            Self::Robots(RobotsError::Throttled { .. }) => {
                Some(CallFailure::Throttled { retry_after: None })
            }
            Self::Robots(RobotsError::Unknown { .. }) => Some(CallFailure::Unavailable),
            Self::Http(HttpError::Timeout { .. }) => Some(CallFailure::Timeout),
            Self::Http(HttpError::Network { .. }) => Some(CallFailure::Network),
            Self::Database(error) => match error {
                DatabaseError::Auth => Some(CallFailure::AuthRefused),
                DatabaseError::Unreachable(_) => Some(CallFailure::Network),
                DatabaseError::Unavailable(_) => Some(CallFailure::Unavailable),
                DatabaseError::Timeout => Some(CallFailure::Timeout),
                DatabaseError::Refused(_) | DatabaseError::Statement { .. } => {
                    Some(CallFailure::Refused)
                }
                _ => None,
            },
            Self::NothingRead { first, .. } | Self::NoFeed { first, .. } => first.fault(),
            _ => None,
        }
    }

    /// Whether a request with an effect may have had it although nothing says so: it was sent, and what came back is
    /// neither a plain yes nor a plain no.
    pub(crate) fn may_have_acted(&self) -> bool {
        match self {
            Self::Http(error) => {
                matches!(error, HttpError::Redirect { .. } | HttpError::TooLarge { .. })
            }
            Self::OutOfTime { .. } => true,
            // 1xx, and 3xx that say nowhere to go.
            Self::Refused { status, .. } => *status < 400,
            _ => false,
        }
    }

    /// Whether the last good answer may stand in.
    pub(crate) fn lets_stale(&self) -> bool {
        if let Self::NothingRead { first, .. } | Self::NoFeed { first, .. } = self {
            return first.lets_stale();
        }
        let not_asked = matches!(self, Self::Resting { .. } | Self::BudgetSpent { .. });
        not_asked || self.fault().is_some_and(|fault| fault.row().fallback == Fallback::Stale)
    }
}

/// How a binding fares after this; `None` when it says nothing of that.
pub(crate) fn health_of(fault: CallFailure) -> Option<Health> {
    match fault {
        CallFailure::AuthRefused => Some(Health::AuthFailed),
        fault if fault.row().counts => Some(Health::Unavailable),
        _ => None,
    }
}

/// Which of several faults is told: a refused credential before a source that is down before anything else.
pub(crate) fn gravity(fault: CallFailure) -> u8 {
    match fault {
        CallFailure::AuthRefused => 3,
        fault if fault.row().counts => 2,
        _ => 1,
    }
}
