//! How much one sweep does of what is due and under way, and when sweeps have come.

use std::collections::BTreeMap;
use std::time::Duration;

use countersign_run::OpenOccurrence;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// How many schedules one sweep ticks for. So many more than it has time for, that a few which stay overdue because they cannot be read
/// do not keep it from others.
pub const MAX_OVERDUE: usize = 2_000;

/// How many occurrences of a kind one sweep follows.
pub const MAX_FOLLOWED: usize = 1_000;

/// So many of a kind, about, have their turns before the ones behind them in the list.
const MAX_OPEN_READ: usize = 5_000;

/// How many of them are read at once.
pub const OPEN_PAGE: usize = 200;

/// So many of which something is to be said are looked at in a sweep.
pub const MAX_SAID: usize = 200;

/// Whoever wrote what is to be said may be saying it so long.
pub const SAYING: SignedDuration = SignedDuration::from_secs(10);

/// The part of its time that a sweep uses: what is left when the function is ended is not logged.
pub const SWEEP_USED: f64 = 0.9;

/// The part of its share after which a task should end; it is broken off at the end of that.
pub const TASK_ENDS: f64 = 0.8;

/// A sweeper that has not looked for so long did not run, and neither did anything else.
const OUTAGE: SignedDuration = SignedDuration::from_mins(5);

/// Another one first each minute: one that takes long must not always keep the same others.
#[must_use]
pub fn in_turn<T>(mut all: Vec<T>, now: Timestamp) -> Vec<T> {
    let minute = usize::try_from(now.as_second() / 60).unwrap_or_default();
    let first = minute.checked_rem(all.len()).unwrap_or_default();
    all.rotate_left(first);
    all
}

/// One of each owner, then the next one of each, so that whoever has many does not keep the others waiting; another owner is
/// first each minute.
#[must_use]
pub fn in_turns_by<T, O: Ord>(all: Vec<T>, owner: impl Fn(&T) -> O, now: Timestamp) -> Vec<T> {
    let mut had: BTreeMap<O, usize> = BTreeMap::new();
    let mut rounds: BTreeMap<usize, Vec<T>> = BTreeMap::new();
    for one in all {
        let round = had.entry(owner(&one)).or_default();
        rounds.entry(*round).or_default().push(one);
        *round += 1;
    }
    rounds.into_values().flat_map(|round| in_turn(round, now)).collect()
}

/// How long a task may take: half of what is left, and never what is kept for those that follow, a tenth of the whole time each.
/// The last one has all that is left.
#[must_use]
pub fn sweep_share(whole: Duration, left: Duration, tasks: usize) -> Duration {
    let tasks = u32::try_from(tasks).unwrap_or(u32::MAX).max(1);
    let kept = (whole / 10).min(left / tasks);
    if tasks == 1 { left } else { (left / 2).min(left.saturating_sub(kept * (tasks - 1))) }
}

/// Whether so many open occurrences are read before any is followed; when it is late, a few are.
#[must_use]
pub fn are_enough(open: &[OpenOccurrence], is_late: bool) -> bool {
    !open.is_empty() && (open.len() >= MAX_OPEN_READ || is_late)
}

/// Where the part of the list that was read ends; none when there is no more of it.
#[must_use]
pub fn end_of_open(open: &[OpenOccurrence], has_more: bool) -> Option<String> {
    open.last().filter(|_| has_more).map(OpenOccurrence::place)
}

/// When the sweeper has looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweeps {
    /// Since when it has looked again and again without a long pause.
    pub since: Timestamp,
    /// When it looked last.
    pub last: Timestamp,
}

impl Sweeps {
    /// The sweeps with one more.
    #[must_use]
    pub fn following(before: Option<Self>, now: Timestamp) -> Self {
        let since = before.and_then(|before| before.up(now));
        Self { since: since.unwrap_or(now), last: now }
    }

    /// Since when the sweeper runs, as known now; none when it has not looked for too long.
    #[must_use]
    pub fn up(&self, now: Timestamp) -> Option<Timestamp> {
        // A clock that was ahead has noted a sweep that is still to come.
        (now.duration_since(self.last).abs() <= OUTAGE).then_some(self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_003_another_overdue_schedule_is_first_each_minute() {
        let at = |minute: i64| Timestamp::from_second(minute * 60 + 1).unwrap();
        let first = |minute| in_turn(vec!['a', 'b', 'c'], at(minute))[0];
        assert_eq!([0, 1, 2, 3].map(first), ['a', 'b', 'c', 'a']);
        assert_eq!(in_turn(Vec::<u8>::new(), at(1)), [0_u8; 0]);
    }

    #[test]
    fn f_250_whoever_has_many_does_not_keep_the_others_waiting() {
        let all = vec!["a1", "a2", "a3", "b1", "c1", "c2"];
        let owner = |one: &&str| one.chars().next();
        let at = |minute: i64| Timestamp::from_second(minute * 60).unwrap();
        let turns = |minute| in_turns_by(all.clone(), owner, at(minute));
        assert_eq!(turns(0), ["a1", "b1", "c1", "a2", "c2", "a3"]);
        assert_eq!(turns(1)[..4], ["b1", "c1", "a1", "c2"]);
        assert_eq!([0, 1, 2, 3].map(|minute| turns(minute)[0]), ["a1", "b1", "c1", "a1"]);
    }

    #[test]
    fn p_003_tasks_that_take_all_their_time_leave_each_other_a_tenth() {
        let whole = Duration::from_secs(54);
        let mut left = whole;
        for tasks in (1..=6).rev() {
            let share = sweep_share(whole, left, tasks);
            assert!(share >= whole / 10, "{tasks} are left, and {share:?} of {left:?}");
            left = left.checked_sub(share).unwrap();
        }
        assert_eq!(left, Duration::ZERO);
        assert_eq!(
            sweep_share(whole, whole, 6),
            whole / 2,
            "one whose others need no time has more"
        );
    }

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(minute * 60).unwrap()
    }

    fn check(before: Option<(i64, i64)>, now: i64, expect: i64) {
        let before = before.map(|(since, last)| Sweeps { since: at(since), last: at(last) });
        let expect = Sweeps { since: at(expect), last: at(now) };
        assert_eq!(Sweeps::following(before, at(now)), expect);
    }

    #[test]
    fn f_206_time_counts_from_the_end_of_an_outage() {
        check(None, 9, 9);
        check(Some((1, 8)), 9, 1);
        check(Some((1, 4)), 9, 1);
        check(Some((1, 3)), 9, 9);
        check(Some((1, 700)), 9, 9);
    }

    #[test]
    fn f_206_before_the_sweeper_is_back_nothing_is_known() {
        let sweeps = Sweeps { since: at(1), last: at(10) };
        assert_eq!(sweeps.up(at(15)), Some(at(1)));
        assert_eq!(sweeps.up(at(16)), None);
    }
}
