//! When a source that fails is left alone (F-315, K-74).

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Failures in a row that open the breaker.
pub const OPENS_AFTER: u32 = 5;
/// How long it stays open unless a deployment says otherwise.
pub const STAYS_OPEN: Duration = Duration::from_secs(300);

/// The state of a breaker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Breaker {
    /// Calls pass.
    Closed {
        /// Failures since the last success.
        failures: u32,
    },
    /// No call passes before `until`; then one does, as a probe.
    Open {
        /// When it may be probed.
        until: Timestamp,
    },
    /// One call is on its way to find out.
    HalfOpen {
        /// Whose call it is.
        holder: String,
        /// When the probe counts as lost, and another may be sent.
        until: Timestamp,
    },
}

impl Default for Breaker {
    fn default() -> Self {
        Self::Closed { failures: 0 }
    }
}

/// Whether a call passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// It passes.
    Pass,
    /// It passes as the one probe; only once the breaker's new state is stored.
    Probe,
    /// It does not, before this time.
    Refused {
        /// When it is worth asking again.
        until: Timestamp,
    },
}

/// What a call says about its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallResult {
    /// It works.
    Success,
    /// It does not.
    Failure,
    /// Neither: it refused the request, or the rate.
    Neutral,
}

impl Breaker {
    /// Whether `holder`'s call passes at `now`, and the state that must be stored before it does. A probe that is not
    /// heard of within `lease` counts as lost.
    #[must_use]
    pub fn admit(
        &self,
        holder: &str,
        now: Timestamp,
        lease: Duration,
    ) -> (Admission, Option<Breaker>) {
        match self {
            Self::Closed { .. } => (Admission::Pass, None),
            Self::Open { until } | Self::HalfOpen { until, .. } if now < *until => {
                (Admission::Refused { until: *until }, None)
            }
            Self::Open { .. } | Self::HalfOpen { .. } => {
                let until = after(now, lease);
                (Admission::Probe, Some(Self::HalfOpen { holder: holder.to_owned(), until }))
            }
        }
    }

    /// The state after a call of `holder` that ended at `now`; one that opens stays open for `rests_for`. While the breaker is
    /// not closed only the probe counts: what set out before it opened says nothing new.
    #[must_use]
    pub fn heard(
        &self,
        holder: &str,
        verdict: CallResult,
        now: Timestamp,
        rests_for: Duration,
    ) -> Breaker {
        match (self, verdict) {
            (Self::Closed { .. }, CallResult::Success) => Self::default(),
            (Self::Closed { failures }, CallResult::Failure) if failures + 1 >= OPENS_AFTER => {
                Self::Open { until: after(now, rests_for) }
            }
            (Self::Closed { failures }, CallResult::Failure) => {
                Self::Closed { failures: failures + 1 }
            }
            (Self::HalfOpen { holder: known, .. }, verdict) if known == holder => match verdict {
                CallResult::Success => Self::default(),
                CallResult::Failure => Self::Open { until: after(now, rests_for) },
                // The probe found nothing out: the next call may be one at once.
                CallResult::Neutral => Self::Open { until: now },
            },
            (unchanged, _) => unchanged.clone(),
        }
    }
}

fn after(now: Timestamp, time: Duration) -> Timestamp {
    let time = SignedDuration::try_from(time).unwrap_or(SignedDuration::MAX);
    now.checked_add(time).unwrap_or(Timestamp::MAX)
}
