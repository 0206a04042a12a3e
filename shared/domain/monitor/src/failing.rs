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
}

/// Looks at which a step failed while others looked. Only a look of all steps ends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InPart {
    /// How long.
    pub failing: Failing,
    /// Why, at the last of them.
    pub why: String,
}

impl InPart {
    /// The same with one more.
    #[must_use]
    pub fn again(before: Option<&Self>, why: String, at: Timestamp) -> Self {
        Self { failing: Failing::again(before.map(|before| &before.failing), at), why }
    }
}

impl Failing {
    /// The same with one more.
    #[must_use]
    pub fn again(before: Option<&Self>, at: Timestamp) -> Self {
        match before {
            Some(Self { since, ticks }) => Self { since: *since, ticks: ticks.saturating_add(1) },
            None => Self { since: at, ticks: 1 },
        }
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
    use crate::outcome::TickOutcome;
    use crate::tick::State;

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
        for outcome in [TickOutcome::OutsideActiveHours, TickOutcome::Started, TickOutcome::Retried]
        {
            assert_eq!(state.ticked(outcome, at(4)).failing, state.failing, "{outcome:?}");
        }
        for outcome in [TickOutcome::Suppressed, TickOutcome::Baseline, TickOutcome::Waiting] {
            assert_eq!(state.ticked(outcome, at(4)).failing, None, "{outcome:?}");
        }
        let monitor = MonitorId::from_bytes([1; 16]);
        let found = Batch::found(&monitor, &state, 1, BTreeMap::new(), at(4));
        assert_eq!(state.opened(&found, at(4)).failing, None, "it has found something");
        let anew = state.ticked(TickOutcome::Suppressed, at(4)).failed("down", at(5));
        assert_eq!(anew.failing, Some(Failing { since: at(5), ticks: 1 }));
    }

    #[test]
    fn issue_14_a_step_that_fails_beside_others_does_so_until_all_look() {
        let monitor = MonitorId::from_bytes([1; 16]);
        let in_part = |state: &State| {
            state.in_part.clone().map(|one| (one.failing.since, one.failing.ticks, one.why))
        };
        let down = |since, ticks| Some((at(since), ticks, "feed: down".to_owned()));
        let whole = State::default().failed("off", at(0));
        let found = Batch::found(&monitor, &whole, 1, BTreeMap::new(), at(1));
        let state = whole.opened_in_part(&found, "feed: down", at(1));
        assert_eq!((in_part(&state), &state.failing), (down(1, 1), &None), "the others look");
        // What else goes wrong, and goes well, does not end it.
        let state = state.ticked(TickOutcome::Waiting, at(2)).failed("refused", at(3));
        assert_eq!(in_part(&state), down(1, 1));
        let run = &found.run;
        let settled =
            crate::settle(&found, &state, run, countersign_run::RunStatus::Complete, at(3));
        let state = settled.unwrap().state.failed_in_part("feed: down", at(4));
        assert_eq!((in_part(&state), &state.failing), (down(1, 2), &None));
        let state = state.failed("off", at(5)).failed_in_part("feed: down", at(6));
        assert_eq!(in_part(&state), down(1, 3), "a look of none is no look of all");
        assert!(state.in_part.clone().unwrap().failing.is_to_be_told(false));
        assert_eq!(in_part(&state.ticked(TickOutcome::Suppressed, at(7))), None);
        assert_eq!(in_part(&state.opened(&found, at(7))), None);
    }
}
