//! What the last ticks came to: those in a row that came to the same are one line (F-212).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::outcome::TickOutcome;

/// So many lines are kept: about a kilobyte of the monitor's state, which each tick writes.
pub const MAX_LOOKS: usize = 10;

/// Ticks in a row that came to the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looks {
    /// What they came to.
    pub outcome: TickOutcome,
    /// How many they are.
    pub count: u64,
    /// The first of them.
    pub since: Timestamp,
    /// The last of them.
    pub until: Timestamp,
}

/// The lines with one more tick. What one comes to may be noted twice, such as a run that then cannot be started: the last word
/// counts.
#[must_use]
pub fn looks_with(looks: &[Looks], outcome: TickOutcome, at: Timestamp) -> Vec<Looks> {
    let mut looks = looks.to_vec();
    if let Some(last) = looks.last_mut().filter(|last| last.until == at) {
        last.count -= 1;
    }
    looks.retain(|line| line.count > 0);
    match looks.last_mut().filter(|last| last.outcome == outcome) {
        Some(last) => {
            last.count += 1;
            last.until = at;
        }
        None => looks.push(Looks { outcome, count: 1, since: at, until: at }),
    }
    let extra = looks.len().saturating_sub(MAX_LOOKS);
    looks.drain(..extra);
    looks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tick::State;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn lines(state: &State) -> Vec<(TickOutcome, u64, i64, i64)> {
        let line = |of: &Looks| (of.outcome, of.count, of.since.as_second(), of.until.as_second());
        state.looks.iter().map(line).collect()
    }

    #[test]
    fn f_212_ticks_that_came_to_the_same_are_one_line() {
        let mut state = State::default().ticked(TickOutcome::Baseline, at(0));
        for second in 1..=288 {
            state = state.ticked(TickOutcome::Suppressed, at(second));
        }
        let expect = [(TickOutcome::Baseline, 1, 0, 0), (TickOutcome::Suppressed, 288, 1, 288)];
        assert_eq!(lines(&state), expect);
        // The run of what was found cannot be started: it is one tick.
        state = state.ticked(TickOutcome::Started, at(300)).ticked(TickOutcome::Failed, at(300));
        assert_eq!(lines(&state)[2..], [(TickOutcome::Failed, 1, 300, 300)]);
        state = state.failed("down", at(330));
        assert_eq!(lines(&state)[2..], [(TickOutcome::Failed, 2, 300, 330)]);
        for second in 400..450 {
            let outcome = if second % 2 == 0 { TickOutcome::Started } else { TickOutcome::Waiting };
            state = state.ticked(outcome, at(second));
        }
        assert_eq!(state.looks.len(), MAX_LOOKS);
        assert_eq!(lines(&state)[MAX_LOOKS - 1], (TickOutcome::Waiting, 1, 449, 449));
    }
}
