//! What is said of a request for which a day has no room.

use countersign_run::QuotaExceeded;
use countersign_store_runs::{Counted, RunExceeded};
use countersign_web::Problem;
use jiff::Timestamp;

/// A problem that says when there is more, unless there was enough.
///
/// # Errors
/// `QUOTA_EXCEEDED`.
pub fn counted(found: Counted, now: Timestamp) -> Result<(), Problem> {
    match found {
        Counted::Yes => Ok(()),
        Counted::Exceeded(exceeded) => Err(used_up(&exceeded, now)),
    }
}

/// Why a run is not written.
pub(crate) fn refused(exceeded: &RunExceeded, now: Timestamp) -> Problem {
    match exceeded {
        RunExceeded::Person(exceeded) => used_up(exceeded, now),
        RunExceeded::Source(exceeded) => Problem::of(exceeded),
    }
}

fn used_up(exceeded: &QuotaExceeded, now: Timestamp) -> Problem {
    let problem = Problem::of(exceeded).again_after(exceeded.seconds(now));
    let quota = exceeded.quota;
    problem.with("quota", quota.kind.as_str()).with("limit", quota.limit)
}
