//! What a tick of a schedule's clock finds due.

use countersign_identity::UserId;
use countersign_run::{Occurrence, OccurrenceId, OccurrenceSource, OccurrenceState};
use countersign_zones::to_the_second;
use jiff::{SignedDuration, Timestamp};

use crate::{
    DueDecision, MAX_QUEUED, MAX_WAITING_OF_OWNER, ScheduleId, ScheduleSpec, Timetable, bounded,
    verdicts,
};

/// A due time that is longer ago was missed: the native schedule comes within a minute, the sweeper within two.
pub const LATE: SignedDuration = SignedDuration::from_mins(5);

/// Of due times that were missed the latest are entered in the ledger one by one; at most so many. Those before them share a line.
const MAX_DUE: usize = 50;

/// Of those that share a line so many are counted.
const MAX_COUNTED: usize = 10_000;

fn missed_until(more: usize, last: Timestamp) -> String {
    let last = to_the_second(last);
    let more = match more {
        0 => String::new(),
        1 => format!(", nor at the next one, {last}"),
        MAX_COUNTED.. => format!(", nor at the next ones, more than {MAX_COUNTED}, until {last}"),
        more => format!(", nor at the next {more}, until {last}"),
    };
    format!(
        "nothing could be started at that time{more}; only the latest {MAX_DUE} due times of an outage have lines of their own, and are made up for"
    )
}

/// What a tick finds due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundDue {
    /// The due times in their order, and what becomes of each.
    pub times: Vec<(Timestamp, DueDecision)>,
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
        let shared = match due.as_slice() {
            [first, ..] if due.len() == MAX_DUE => shared(&times, at, *first),
            _ => None,
        };
        let is_late = |due: &Timestamp| now.duration_since(*due) > LATE;
        let late: Vec<bool> = due.iter().map(is_late).collect();
        let verdicts = bounded(verdicts(self.misfire, self.overlap, &late, is_busy), room);
        let times_due = shared.into_iter().chain(due.into_iter().zip(verdicts)).collect();
        Some(FoundDue { times: times_due, next: times.next(now) })
    }

    /// What is due at a time, before anything has come of it.
    #[must_use]
    pub fn occurrence(
        &self,
        id: &ScheduleId,
        owner: UserId,
        due: Timestamp,
        now: Timestamp,
    ) -> Occurrence {
        let source = (OccurrenceSource::Schedule, id.as_str());
        let id = OccurrenceId::new(id.as_str(), due);
        Occurrence {
            name: self.name.to_string(),
            profile_id: self.profile_id.to_string(),
            max_retries: self.max_retries.to(),
            timeout_seconds: self.timeout_seconds.to(),
            ..Occurrence::noticed(id, owner, source, (due, now))
        }
    }
}

/// The due times from `at` on that are before those that are entered one by one, as the line of the first.
fn shared(times: &Timetable, at: Timestamp, first: Timestamp) -> Option<(Timestamp, DueDecision)> {
    let second = SignedDuration::from_secs(1);
    let (after, until) = (at.checked_sub(second).ok()?, first.checked_sub(second).ok()?);
    let due = times.due(after, until, MAX_COUNTED + 1);
    let (Some(oldest), Some(last)) = (due.first(), due.last()) else { return None };
    let begins = if due.len() > MAX_COUNTED { at } else { *oldest };
    Some((begins, DueDecision::MissedUntil { more: due.len() - 1, last: *last }))
}

impl DueDecision {
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
            Self::MissedUntil { more, last } => {
                let message = missed_until(more, last);
                due.ended(OccurrenceState::Missed, "MISSED", &message, now)
            }
        };
        Occurrence { version: 1, ..judged }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What is found of a schedule that is due each minute after an outage of so many minutes.
    fn found(minutes: i64, misfire: &str) -> Vec<(Timestamp, DueDecision)> {
        let body = json!({
            "name": "A", "profile_id": format!("prof_{}", "1".repeat(32)), "misfire": misfire,
            "cron_expression": "* * * * *", "query_template": "q",
        });
        let spec: ScheduleSpec = serde_json::from_value(body).unwrap();
        let at = |minute: i64| Timestamp::from_second(minute * 60).unwrap();
        let found = spec.found_due(at(1), at(minutes), false, usize::MAX).unwrap();
        assert_eq!(found.next, Some(at(minutes + 1)));
        found.times
    }

    #[test]
    fn p_003_no_due_time_of_a_long_outage_is_left_out() {
        assert_eq!(found(50, "all").len(), 50);
        for (minutes, more) in [(51, 0), (52, 1), (1_440, 1_389), (40_000, MAX_COUNTED)] {
            let all = found(minutes, "all");
            let last = Timestamp::from_second((minutes - 50) * 60).unwrap();
            let begins = Timestamp::from_second(60).unwrap();
            assert_eq!(all[0], (begins, DueDecision::MissedUntil { more, last }), "{minutes}");
            assert_eq!((all.len(), all[1].1), (51, DueDecision::Start));
            assert!(all[2..].iter().all(|(_, verdict)| *verdict == DueDecision::Queue));
        }
        let once = found(120, "once");
        assert_eq!(once.iter().filter(|(_, verdict)| *verdict == DueDecision::Missed).count(), 44);
        assert_eq!(once[50].1, DueDecision::Start);
    }

    #[test]
    fn p_003_what_shares_a_line_is_counted_in_it() {
        let last = Timestamp::from_second(600).unwrap();
        let check = |more: usize, expect: &str| {
            let said = missed_until(more, last);
            assert!(said.contains(expect), "{said}");
        };
        check(0, "started at that time; only the latest 50");
        check(1, "nor at the next one, 1970-01-01 00:10:00Z;");
        check(9, "nor at the next 9, until 1970-01-01 00:10:00Z;");
        check(MAX_COUNTED, "nor at the next ones, more than 10000, until");
    }
}
