//! How often a step is tried, and how long each time.

use std::future::Future;
use std::time::Duration;

use countersign_plan::PlanStep;
use countersign_registry::RESERVED;
use countersign_registry::action::ActionError;
use tokio::time::Instant;

/// The first pause between two attempts; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The attempts of a step, within what its function has left.
#[derive(Debug)]
pub struct Attempts {
    ends: Instant,
    limit: Option<Duration>,
    left: u32,
    pause: Duration,
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
        if self.left == 0 || self.remaining() <= RESERVED + self.pause * 2 {
            return false;
        }
        tokio::time::sleep(self.pause).await;
        (self.left, self.pause) = (self.left - 1, self.pause * 2);
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
