//! The time of a call.

use std::time::Duration;

use countersign_registry::action::Call;

/// Time kept for storing the output.
const RESERVE: Duration = Duration::from_secs(3);
/// What one request may take.
const MAX_DURATION: Duration = Duration::from_secs(30);

/// How long the work of this call may take.
pub(crate) fn time(call: &Call) -> Duration {
    call.remaining.saturating_sub(RESERVE)
}

/// How long one request may take.
pub(crate) fn timeout(call: &Call) -> Duration {
    time(call).min(MAX_DURATION)
}
