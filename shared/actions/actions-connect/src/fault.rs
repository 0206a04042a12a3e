//! Which row of the failure table an error belongs to.

use countersign_connector::Health;
use countersign_http_out::HttpError;
use countersign_postgres_out::DatabaseError;
use countersign_resilience::{Fallback, Fault};
use countersign_robots::RobotsError;

use crate::error::ConnectError;

impl ConnectError {
    /// The kind of failure of the source; `None` when the source is not at fault.
    pub(crate) fn fault(&self) -> Option<Fault> {
        match self {
            Self::AuthFailed { .. } => Some(Fault::AuthRefused),
            Self::Throttled { .. } => Some(Fault::Throttled { retry_after: None }),
            Self::Unavailable { status: 408, .. } => Some(Fault::RequestTimeout),
            Self::Unavailable { .. } => Some(Fault::Unavailable),
            Self::Refused { .. } => Some(Fault::Refused),
            // Whoever does not answer for robots.txt is down, unless it says that it is asked too often.
            Self::Robots(RobotsError::Throttled { .. }) => {
                Some(Fault::Throttled { retry_after: None })
            }
            Self::Robots(RobotsError::Unknown { .. }) => Some(Fault::Unavailable),
            Self::Http(HttpError::Timeout { .. }) => Some(Fault::Timeout),
            Self::Http(HttpError::Network { .. }) => Some(Fault::Network),
            Self::Database(error) => match error {
                DatabaseError::Auth => Some(Fault::AuthRefused),
                DatabaseError::Unreachable(_) => Some(Fault::Network),
                DatabaseError::Unavailable(_) => Some(Fault::Unavailable),
                DatabaseError::Timeout => Some(Fault::Timeout),
                DatabaseError::Refused(_) | DatabaseError::Statement { .. } => Some(Fault::Refused),
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
pub(crate) fn health_of(fault: Fault) -> Option<Health> {
    match fault {
        Fault::AuthRefused => Some(Health::AuthFailed),
        fault if fault.row().counts => Some(Health::Unavailable),
        _ => None,
    }
}

/// Which of several faults is told: a refused credential before a source that is down before anything else.
pub(crate) fn gravity(fault: Fault) -> u8 {
    match fault {
        Fault::AuthRefused => 3,
        fault if fault.row().counts => 2,
        _ => 1,
    }
}
