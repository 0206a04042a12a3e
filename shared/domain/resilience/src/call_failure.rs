//! What each kind of failure leads to (F-306…F-311).

use std::time::Duration;

use jiff::Timestamp;

/// A way in which a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallFailure {
    /// 401, 403 (F-306).
    AuthRefused,
    /// 429, and how long the source asks to wait (F-307).
    Throttled {
        /// What `Retry-After` says.
        retry_after: Option<Duration>,
    },
    /// 5xx (F-308).
    Unavailable,
    /// 408: the request came too slowly. Tried again, and not counted, because it is a 4xx (K-74).
    RequestTimeout,
    /// No answer in time (F-309).
    Timeout,
    /// No connection, or one that broke (F-310).
    Network,
    /// An answer that cannot be read (F-311).
    Malformed,
    /// Any other 4xx: the request is wrong and stays wrong.
    Refused,
}

/// What stands in for the answer when no retry helped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// The last good answer, if there is one (K-75).
    Stale,
    /// Nothing: the credential must be entered again, and its owner is told.
    Reenter,
    /// An empty result with a note.
    Empty,
    /// Nothing.
    Error,
}

/// A row of the failure table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// How often it is tried again.
    pub retries: u32,
    /// Whether the next try has twice the time.
    pub doubles_timeout: bool,
    /// Whether the breaker counts it.
    pub counts: bool,
    /// Whether the request may have had its effect all the same.
    pub in_doubt: bool,
    /// What stands in.
    pub fallback: Fallback,
}

impl CallFailure {
    /// Its row of the failure table.
    #[must_use]
    pub fn row(&self) -> Row {
        let once = Row {
            retries: 1,
            doubles_timeout: false,
            counts: true,
            in_doubt: true,
            fallback: Fallback::Stale,
        };
        let never = Row { retries: 0, counts: false, in_doubt: false, ..once };
        match self {
            Self::AuthRefused => Row { fallback: Fallback::Reenter, ..never },
            Self::Throttled { .. } => Row { retries: 3, ..never },
            Self::Unavailable | Self::Network => once,
            Self::RequestTimeout => Row { counts: false, ..once },
            Self::Timeout => Row { doubles_timeout: true, ..once },
            Self::Malformed => Row { fallback: Fallback::Empty, ..never },
            Self::Refused => Row { fallback: Fallback::Error, ..never },
        }
    }
}

/// What to do after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// Send the same again after this time.
    Again(Duration),
    /// No more tries.
    GiveUp,
    /// No more tries, and nobody knows whether the effect took place.
    InDoubt,
}

/// What was tried in one call. A throttled call and a failed one have tries of their own; a source that first answers 500
/// and then not at all has had its one retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tried {
    throttled: u32,
    failed: u32,
    doubled: bool,
}

/// Between a failure of the source and the one retry.
const PAUSE: Duration = Duration::from_millis(250);

impl Tried {
    /// How many times the usual timeout the next try has.
    #[must_use]
    pub fn timeouts(&self) -> u32 {
        if self.doubled { 2 } else { 1 }
    }

    /// What to do after one more failure, with `left` of the step's time. `effect` says that the request changes
    /// something, so that it is repeated only when it is certain that it did not.
    pub fn remedy(&mut self, fault: CallFailure, effect: bool, left: Duration) -> Remedy {
        let row = fault.row();
        if effect && row.in_doubt {
            return Remedy::InDoubt;
        }
        let (tries, wait) = match fault {
            CallFailure::Throttled { retry_after } => {
                let backoff = Duration::from_secs(1 << self.throttled.min(6));
                (&mut self.throttled, retry_after.unwrap_or(backoff))
            }
            _ => (&mut self.failed, PAUSE),
        };
        if *tries >= row.retries || wait >= left {
            return Remedy::GiveUp;
        }
        *tries += 1;
        self.doubled |= row.doubles_timeout;
        Remedy::Again(wait)
    }
}

/// What a `Retry-After` header says: seconds, or a moment. `None` when it is neither.
#[must_use]
pub fn retry_after(header: &str, now: Timestamp) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = jiff::fmt::rfc2822::parse(header).ok()?.timestamp();
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}
