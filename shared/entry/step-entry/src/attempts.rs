//! How often a step is tried, and how long each time.

use std::future::Future;
use std::time::Duration;

use countersign_plan::PlanStep;
use countersign_registry::action::ActionError;
use countersign_registry::{FIRST_PAUSE, RESERVED, is_time_for};
use tokio::time::Instant;

/// The attempts of a step, within what its function has left.
#[derive(Debug)]
pub struct Attempts {
    ends: Instant,
    limit: Option<Duration>,
    left: u32,
    pause: Duration,
    multiplier: u32,
}

impl Attempts {
    /// As many as the step says, each as long as it says, and together as long as its function has.
    #[must_use]
    pub fn of(step: &PlanStep, remaining: Duration) -> Self {
        Self {
            ends: Instant::now() + remaining,
            limit: step.timeout_seconds.map(|limit| Duration::from_secs(limit.into())),
            left: if step.irreversible { 0 } else { step.retries },
            pause: FIRST_PAUSE,
            multiplier: step.backoff_multiplier.to(),
        }
    }

    fn remaining(&self) -> Duration {
        self.ends.saturating_duration_since(Instant::now())
    }

    /// How long the next attempt may take.
    #[must_use]
    pub fn time(&self) -> Duration {
        let time = self.remaining().saturating_sub(RESERVED);
        self.limit.map_or(time, |limit| time.min(limit))
    }

    /// Waits until it is time for another attempt. `false` at once when there is none.
    pub async fn again(&mut self) -> bool {
        let time = self.remaining().saturating_sub(RESERVED);
        if self.left == 0 || !is_time_for(self.pause, time) {
            return false;
        }
        tokio::time::sleep(self.pause).await;
        (self.left, self.pause) = (self.left - 1, self.pause * self.multiplier);
        true
    }
}

/// One attempt.
///
/// # Errors
/// Its own error, or `STEP_TIMEOUT` when it takes longer than `time`.
pub async fn within<T>(
    time: Duration,
    attempt: impl Future<Output = Result<T, ActionError>>,
) -> Result<T, ActionError> {
    tokio::time::timeout(time, attempt).await.unwrap_or_else(|_| {
        let message = format!("no answer within {} s", time.as_secs());
        Err(ActionError::retryable("STEP_TIMEOUT", message))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The attempts of a step that is tried three times, within so many seconds.
    fn attempts(multiplier: Option<u32>, seconds: u64) -> Attempts {
        let mut step = json!({ "name": "read", "kind": "tool", "on_error": "stop", "retries": 2, "after": [] });
        if let Some(multiplier) = multiplier {
            step["backoff_multiplier"] = multiplier.into();
        }
        let step: PlanStep = serde_json::from_value(step).unwrap();
        Attempts::of(&step, Duration::from_secs(seconds))
    }

    #[tokio::test]
    async fn r_024_each_pause_is_as_many_times_longer_as_the_step_says() {
        for (multiplier, then) in [(None, 1_000), (Some(1), 500), (Some(10), 5_000)] {
            let mut attempts = attempts(multiplier, 60);
            assert!(attempts.again().await);
            assert_eq!(attempts.pause, Duration::from_millis(then), "{multiplier:?}");
        }
    }

    #[tokio::test]
    async fn r_024_a_pause_for_which_there_is_no_time_is_not_begun() {
        let mut attempts = attempts(Some(10), 12);
        assert!(attempts.again().await);
        assert!(
            !attempts.again().await,
            "its pause would be five seconds, and as long must be left then"
        );
        assert_eq!(attempts.left, 1);
    }
}
