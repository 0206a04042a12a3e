//! What happens when a due time was missed, or comes while the run before still goes on.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What becomes of due times at which nothing could be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Misfire {
    /// They are recorded as missed.
    Skip,
    /// The latest is made up for; the others are recorded as missed.
    #[default]
    Once,
    /// Every one is made up for, one after the other.
    All,
}

/// What becomes of a due time while a run of the same schedule goes on, or waits for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// It is skipped.
    #[default]
    Skip,
    /// It is started when that run has ended.
    Queue,
    /// It is started beside that run.
    Allow,
}

/// A due time and what is to become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueDecision {
    /// Start it.
    Start,
    /// Start it when the run before has ended.
    Queue,
    /// Another run of the schedule goes on.
    Skip,
    /// It was to wait, and as many wait already as may.
    Full,
    /// Its time has passed.
    Missed,
    /// So has that of as many more, up to the last one, that have no lines of their own.
    MissedUntil {
        /// How many more, counted up to a limit.
        more: usize,
        /// The last of them.
        last: Timestamp,
    },
}

/// What becomes of due times that are found at once, in their order: `late` says of each whether it can no longer count as on time,
/// `busy` whether a run of the schedule goes on.
#[must_use]
pub fn verdicts(misfire: Misfire, overlap: Overlap, late: &[bool], busy: bool) -> Vec<DueDecision> {
    let is_missed = |n: usize| match misfire {
        Misfire::Skip => late[n],
        Misfire::Once => late[n] && n + 1 < late.len(),
        Misfire::All => false,
    };
    let mut runs = (0..late.len()).filter(|n| !is_missed(*n));
    // Where all are to run, one after the other, the first one begins; where one is to do for all, the latest.
    let one_after_the_other = overlap == Overlap::Queue || misfire == Misfire::All;
    let begins = if one_after_the_other { runs.next() } else { runs.next_back() };
    let verdict = |n: usize| match overlap {
        _ if is_missed(n) => DueDecision::Missed,
        Overlap::Allow => DueDecision::Start,
        _ if begins == Some(n) && !busy => DueDecision::Start,
        Overlap::Queue => DueDecision::Queue,
        Overlap::Skip if misfire == Misfire::All && (late[n] || late.len() > 1) => {
            DueDecision::Queue
        }
        Overlap::Skip => DueDecision::Skip,
    };
    (0..late.len()).map(verdict).collect()
}

/// So many occurrences of one source wait for the run before them; what comes beyond that is skipped as `QUEUE_FULL`.
pub const MAX_QUEUED: usize = 100;

/// So many occurrences of one source may be open while events of it wait for the quota of their owner; what comes beyond that
/// is skipped as `QUEUE_FULL`.
pub const MAX_WAITING: usize = 1_000;

/// So many occurrences of all sources of one owner may be due or wait; what comes beyond that is skipped as `QUEUE_FULL`.
pub const MAX_WAITING_OF_OWNER: usize = 1_000;

/// The same where only so many more may wait: those that are due first.
#[must_use]
pub fn bounded(verdicts: Vec<DueDecision>, mut room: usize) -> Vec<DueDecision> {
    let of = |verdict| match verdict {
        DueDecision::Queue if room == 0 => DueDecision::Full,
        DueDecision::Queue => {
            room -= 1;
            DueDecision::Queue
        }
        other => other,
    };
    verdicts.into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::DueDecision::{Full, Missed, Queue, Skip, Start};
    use super::*;

    fn check(
        misfire: Misfire,
        overlap: Overlap,
        late: &[bool],
        busy: bool,
        expect: &[DueDecision],
    ) {
        let found = verdicts(misfire, overlap, late, busy);
        assert_eq!(found, expect, "{misfire:?} {overlap:?} {late:?} {busy}");
    }

    #[test]
    fn p_003_what_was_missed_is_skipped_made_up_for_once_or_all() {
        let late = [true, true, true];
        check(Misfire::Skip, Overlap::Skip, &late, false, &[Missed, Missed, Missed]);
        check(Misfire::Once, Overlap::Skip, &late, false, &[Missed, Missed, Start]);
        check(Misfire::All, Overlap::Skip, &late, false, &[Start, Queue, Queue]);
        check(Misfire::All, Overlap::Allow, &late, false, &[Start, Start, Start]);
        check(Misfire::Skip, Overlap::Skip, &[true, false], false, &[Missed, Start]);
        check(Misfire::Once, Overlap::Skip, &[true, false], false, &[Missed, Start]);
        check(Misfire::All, Overlap::Queue, &[true, false], false, &[Start, Queue]);
    }

    #[test]
    fn issue_14_of_due_times_that_are_found_at_once_the_latest_runs() {
        let found = [true, false, false];
        check(Misfire::Once, Overlap::Skip, &found, false, &[Missed, Skip, Start]);
        check(Misfire::Skip, Overlap::Skip, &found, false, &[Missed, Skip, Start]);
        check(Misfire::Once, Overlap::Skip, &found, true, &[Missed, Skip, Skip]);
        check(Misfire::Once, Overlap::Queue, &found, false, &[Missed, Start, Queue]);
        check(Misfire::Once, Overlap::Allow, &found, false, &[Missed, Start, Start]);
    }

    #[test]
    fn issue_14_all_that_were_missed_are_made_up_for_also_while_a_run_goes_on() {
        check(Misfire::All, Overlap::Skip, &[true], true, &[Queue]);
        check(Misfire::All, Overlap::Skip, &[true, false], true, &[Queue, Queue]);
        check(Misfire::All, Overlap::Skip, &[false], true, &[Skip]);
    }

    #[test]
    fn p_003_only_so_many_due_times_wait() {
        let due = vec![Missed, Start, Queue, Queue, Skip, Queue];
        assert_eq!(bounded(due.clone(), 3), due);
        assert_eq!(bounded(due.clone(), 1), [Missed, Start, Queue, Full, Skip, Full]);
        assert_eq!(bounded(due, 0), [Missed, Start, Full, Full, Skip, Full]);
    }

    proptest! {
        #[test]
        fn p_003_no_more_wait_than_there_is_room_for(due in 0_usize..60, room in 0_usize..60) {
            let after = bounded(vec![Queue; due], room);
            let waiting = after.iter().filter(|one| **one == Queue).count();
            prop_assert_eq!(waiting, due.min(room));
            prop_assert!(after.iter().take(waiting).all(|one| *one == Queue), "the first ones wait");
        }
    }

    #[test]
    fn p_003_a_run_that_goes_on_is_waited_for_or_not() {
        check(Misfire::Once, Overlap::Skip, &[false], true, &[Skip]);
        check(Misfire::Once, Overlap::Queue, &[false], true, &[Queue]);
        check(Misfire::Once, Overlap::Allow, &[false], true, &[Start]);
        check(Misfire::Once, Overlap::Skip, &[], true, &[]);
    }
}
