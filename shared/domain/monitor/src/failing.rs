//! How long a monitor cannot look, or cannot start the run of what it found.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Ticks that failed one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failing {
    /// When the first of them did.
    pub since: Timestamp,
    /// How many there are.
    pub ticks: u32,
    /// Why one of its steps cannot look, where the others can: only a look of all steps ends that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_step: Option<String>,
}

impl Failing {
    /// The same with one more. That steps fail while others look is something else, and does not count.
    #[must_use]
    pub fn again(before: Option<&Self>, at: Timestamp) -> Self {
        let before = before.filter(|before| before.in_step.is_none());
        Self::one_more(before, None, at)
    }

    /// The same with one more tick at which a step failed for this reason while others looked.
    #[must_use]
    pub fn in_part(before: Option<&Self>, why: &str, at: Timestamp) -> Self {
        let before = before.filter(|before| before.in_step.is_some());
        Self::one_more(before, Some(why.to_owned()), at)
    }

    fn one_more(before: Option<&Self>, in_step: Option<String>, at: Timestamp) -> Self {
        let since = before.map_or(at, |before| before.since);
        let ticks = before.map_or(0, |before| before.ticks).saturating_add(1);
        Self { since, ticks, in_step }
    }

    /// Whether its owner is to be told: what does not pass by itself, once a second try has seen it as well; everything else at
    /// the third failure in a row.
    #[must_use]
    pub fn is_to_be_told(&self, is_lasting: bool) -> bool {
        self.ticks >= if is_lasting { 2 } else { 3 }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use countersign_run::MonitorId;

    use super::*;
    use crate::batch::Batch;
    use crate::tick::{Outcome, State};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn issue_14_failures_in_a_row_have_a_beginning_and_an_end() {
        let mut state = State::default();
        for second in 1..=3 {
            state = state.failed("down", at(second));
            let failing = state.failing.clone().unwrap();
            assert_eq!((failing.since, failing.ticks), (at(1), u32::try_from(second).unwrap()));
            assert_eq!(failing.is_to_be_told(true), second >= 2);
            assert_eq!(failing.is_to_be_told(false), second >= 3);
        }
        // Nobody looked, or a run was to be started: neither says that it can look again.
        for outcome in [Outcome::OutsideActiveHours, Outcome::Started, Outcome::Retried] {
            assert_eq!(state.ticked(outcome, at(4)).failing, state.failing, "{outcome:?}");
        }
        for outcome in [Outcome::Suppressed, Outcome::Baseline, Outcome::Waiting] {
            assert_eq!(state.ticked(outcome, at(4)).failing, None, "{outcome:?}");
        }
        let monitor = MonitorId::from_bytes([1; 16]);
        let found = Batch::found(&monitor, &state, 1, BTreeMap::new(), at(4));
        assert_eq!(state.opened(&found, at(4)).failing, None, "it has found something");
        let anew = state.ticked(Outcome::Suppressed, at(4)).failed("down", at(5));
        let first = Failing { since: at(5), ticks: 1, in_step: None };
        assert_eq!(anew.failing, Some(first));
    }

    #[test]
    fn issue_14_a_step_that_fails_beside_others_does_so_until_all_look() {
        let monitor = MonitorId::from_bytes([1; 16]);
        let whole = State::default().failed("off", at(0));
        let found = Batch::found(&monitor, &whole, 1, BTreeMap::new(), at(1));
        let state = whole.opened_in_part(&found, "feed: down", at(1));
        let failing = |state: &State| state.failing.clone().map(|one| (one.since, one.ticks));
        assert_eq!(failing(&state), Some((at(1), 1)), "that nothing looked was another failure");
        assert_eq!(state.last_error.as_deref(), Some("feed: down"));
        let waits = state.ticked(Outcome::Waiting, at(2));
        assert_eq!(
            (failing(&waits), waits.last_error.as_deref()),
            (Some((at(1), 1)), Some("feed: down"))
        );
        let settled =
            crate::settle(&found, &waits, &found.run, countersign_run::RunStatus::Complete, at(3));
        let state = settled.unwrap().state.failed_in_part("feed: down", at(4));
        assert_eq!(
            (failing(&state), state.last_outcome),
            (Some((at(1), 2)), Some(Outcome::Failed))
        );
        assert_eq!(failing(&state.failed("off", at(5))), Some((at(5), 1)));
        assert_eq!(failing(&state.ticked(Outcome::Suppressed, at(5))), None);
    }
}
