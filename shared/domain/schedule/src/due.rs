//! What a tick of a schedule's clock finds due.

use countersign_run::{Occurrence, OccurrenceState};
use jiff::{SignedDuration, Timestamp};

use crate::{MAX_QUEUED, MAX_WAITING_OF_OWNER, ScheduleSpec, Verdict, bounded, verdicts};

/// A due time that is longer ago was missed: the native schedule comes within a minute, the sweeper within two.
pub const LATE: SignedDuration = SignedDuration::from_mins(5);

/// Of due times that were missed the latest are entered in the ledger; at most so many.
const MAX_DUE: usize = 50;

/// What a tick finds due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundDue {
    /// The due times in their order, and what becomes of each.
    pub times: Vec<(Timestamp, Verdict)>,
    /// When the schedule is due next.
    pub next: Option<Timestamp>,
}

impl ScheduleSpec {
    /// What a tick at `now` finds of a schedule that waits for its due time `at`; `is_busy` says whether a run of it goes on,
    /// `room` how many more due times may wait for that. None of a schedule without due times.
    #[must_use]
    pub fn found_due(
        &self,
        at: Timestamp,
        now: Timestamp,
        is_busy: bool,
        room: usize,
    ) -> Option<FoundDue> {
        let times = self.timetable()?;
        let before = at.checked_sub(SignedDuration::from_secs(1)).unwrap_or(at);
        let due = times.due(before, now, MAX_DUE);
        let is_late = |due: &Timestamp| now.duration_since(*due) > LATE;
        let late: Vec<bool> = due.iter().map(is_late).collect();
        let verdicts = bounded(verdicts(self.misfire, self.overlap, &late, is_busy), room);
        Some(FoundDue { times: due.into_iter().zip(verdicts).collect(), next: times.next(now) })
    }
}

impl Verdict {
    /// What is due, as it is entered in the ledger.
    #[must_use]
    pub fn judged(self, due: Occurrence, now: Timestamp) -> Occurrence {
        let judged = match self {
            Self::Start => due,
            Self::Queue => due.moved(OccurrenceState::Queued, now),
            Self::Skip => {
                let message = "another run of this schedule goes on, or waits for people";
                due.ended(OccurrenceState::Skipped, "OVERLAP", message, now)
            }
            Self::Full => {
                let message = format!(
                    "{MAX_QUEUED} due times of this schedule wait already, or {MAX_WAITING_OF_OWNER} of all that its owner has"
                );
                due.ended(OccurrenceState::Skipped, "QUEUE_FULL", &message, now)
            }
            Self::Missed => {
                let message = "nothing could be started at that time";
                due.ended(OccurrenceState::Missed, "MISSED", message, now)
            }
        };
        Occurrence { version: 1, ..judged }
    }
}
