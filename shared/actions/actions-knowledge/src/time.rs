//! How long a resolution may take while somebody waits for it (F-250).

use std::future::Future;
use std::time::{Duration, Instant};

use countersign_registry::action::ActionError;

/// Until when a resolution may go on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Time(Option<Instant>);

impl Time {
    /// As long as it takes.
    pub(crate) const ENOUGH: Self = Self(None);

    /// So long from then on.
    pub(crate) fn until(begin: Instant, within: Duration) -> Self {
        Self(begin.checked_add(within))
    }

    pub(crate) fn is_left(self) -> bool {
        self.0.is_none_or(|end| Instant::now() < end)
    }
}

/// The time that a caller asks for; never more than half of what its function has left, the rest is for writing.
pub(crate) fn within(seconds: u32, remaining: Duration) -> Duration {
    Duration::from_secs(seconds.into()).min(remaining / 2)
}

/// Does something for so long at most; none when that was not enough, and at once when there is no time at all.
pub(crate) async fn in_time<T, F>(
    within: Duration,
    work: impl FnOnce(Time) -> F,
) -> Result<Option<T>, ActionError>
where
    F: Future<Output = Result<Option<T>, ActionError>>,
{
    if within.is_zero() {
        return Ok(None);
    }
    let time = Time::until(Instant::now(), within);
    // What waits for the table ends by the first, what computes by the second.
    tokio::time::timeout(within, work(time)).await.unwrap_or(Ok(None))
}
