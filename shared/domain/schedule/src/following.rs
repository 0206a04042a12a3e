//! How long what is due is tried and waited for.

use countersign_run::{Occurrence, OccurrenceReason};
use jiff::{SignedDuration, Timestamp};

use crate::LATE;

/// How many of one source are looked at.
pub const MAX_OF_SOURCE: usize = 200;

/// How often what another change came before is read again.
pub const NOTED_TRIES: usize = 5;

/// What is due and could not be begun for so long is missed.
const GIVEN_UP: SignedDuration = SignedDuration::from_hours(1);

/// The same of an event, which does not come again: others may have waited before it.
const EVENT_GIVEN_UP: SignedDuration = SignedDuration::from_hours(7 * 24);

/// A run that failed is repeated so long after its end.
pub const REPEATED_AFTER: SignedDuration = SignedDuration::from_secs(60);

/// How long what cannot be begun is tried.
#[must_use]
pub fn patience(of: &Occurrence) -> SignedDuration {
    if of.fired_by.is_some() { EVENT_GIVEN_UP } else { GIVEN_UP }
}

/// Whether an occurrence was tried for so long that it is given up. A time that is still to come was noted by a clock that was ahead.
#[must_use]
pub fn is_too_long(of: &Occurrence, since: Timestamp, now: Timestamp) -> bool {
    now.duration_since(since).abs() > patience(of)
}

/// Whether a run that failed is still to be tried again, although that could not be done now.
#[must_use]
pub fn is_waited_for(of: &Occurrence, finished_at: Option<Timestamp>, now: Timestamp) -> bool {
    finished_at.is_none_or(|at| now.duration_since(at) <= patience(of))
}

/// Whether a due time has waited so long to be entered that it would soon count as missed: then it is entered, whatever cannot be
/// looked at.
#[must_use]
pub fn is_kept_waiting(due: Timestamp, now: Timestamp) -> bool {
    now.duration_since(due) > LATE / 2
}

/// A due time that was skipped because another run seems to go on, while nobody could look: its owner has not asked for that.
#[must_use]
pub fn not_known(of: Occurrence, code: &str) -> Occurrence {
    if !of.is_skipped_for("OVERLAP") {
        return of;
    }
    let message = format!("whether another run of this schedule goes on could not be seen: {code}");
    let reason = OccurrenceReason { code: "OVERLAP_UNKNOWN".to_owned(), message };
    Occurrence { reason: Some(reason), ..of }
}
