//! How long a run rests whose attempts bring nothing.
//!
//! A few attempts follow each other at once, then the run is told to end. When even that fails, the next attempt may find what
//! this one did, so each waits longer than the one before: a run costs little while somebody mends the cause, and ends by itself
//! afterwards.

use countersign_run::Head;
use jiff::{SignedDuration, Timestamp};

/// Attempts in a row that may bring nothing new before the run is ended as broken.
pub const MAX_IDLE_ATTEMPTS: u32 = 5;

/// The pause before an attempt to end a run that could not be ended once; each further one doubles it.
const FIRST: SignedDuration = SignedDuration::from_mins(1);

/// No pause is longer.
const LONGEST: SignedDuration = SignedDuration::from_hours(6);

/// The time before which no further attempt is started; none when one may be started at once.
pub(crate) fn rests_until(head: &Head, now: Timestamp) -> Option<Timestamp> {
    // Releases before this one did not keep when an attempt began: such a run goes on at once, and has the time from then on.
    let until = head.attempt_at?.checked_add(pause(head.idle_attempts)).ok()?;
    (now < until).then_some(until)
}

/// Whether a run rests, and has done so long enough that somebody may ask for its end before the pause is over.
pub(crate) fn may_be_woken(head: &Head, now: Timestamp) -> bool {
    let rested = head.attempt_at.map(|at| now.duration_since(at));
    rests_until(head, now).is_some() && rested.is_some_and(|rested| rested >= FIRST)
}

fn pause(idle_attempts: u32) -> SignedDuration {
    let Some(doubled) = idle_attempts.checked_sub(MAX_IDLE_ATTEMPTS + 1) else {
        return SignedDuration::ZERO;
    };
    let factor = 1_i32.checked_shl(doubled).filter(|factor| *factor > 0);
    let longer = factor.and_then(|factor| FIRST.checked_mul(factor));
    longer.map_or(LONGEST, |longer| longer.min(LONGEST))
}

#[cfg(test)]
mod tests {
    use countersign_identity::UserId;
    use countersign_run::{RunContext, RunId};

    use super::*;

    fn check(idle: u32, minutes: i64) {
        assert_eq!(pause(idle), SignedDuration::from_mins(minutes), "{idle}");
    }

    #[test]
    fn a_run_that_cannot_be_ended_rests_longer_each_time() {
        for idle in 0..=MAX_IDLE_ATTEMPTS {
            check(idle, 0);
        }
        for (idle, minutes) in [(6, 1), (7, 2), (8, 4), (14, 256), (15, 360), (36, 360)] {
            check(idle, minutes);
        }
        for idle in [37, 38, 64, 1_000, u32::MAX] {
            check(idle, 360);
        }
    }

    #[test]
    fn a_pause_begins_with_the_attempt_before_it() {
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        let (run, owner) = (RunId::from_bytes([1; 16]), UserId::from_bytes([2; 16]));
        let asked = Head::asked(run, owner, RunContext::Background, at(0));
        let resting = Head { idle_attempts: 7, attempt_at: Some(at(100)), ..asked.clone() };
        assert_eq!(rests_until(&resting, at(219)), Some(at(220)));
        assert_eq!(rests_until(&resting, at(220)), None);
        assert!(!may_be_woken(&resting, at(159)) && may_be_woken(&resting, at(160)));
        assert!(!may_be_woken(&resting, at(220)), "it does not rest any more");
        let before = Head { attempt_at: None, ..resting.clone() };
        assert_eq!(rests_until(&before, at(101)), None);
        let fresh = Head { idle_attempts: 5, ..resting };
        assert_eq!(rests_until(&fresh, at(100)), None);
        assert_eq!(rests_until(&asked, at(0)), None);
    }
}
