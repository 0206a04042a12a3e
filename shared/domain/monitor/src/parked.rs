//! What is parked because its runs were refused, and when its owner is told of it again.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::tick::State;

/// Owners get at most one mail a day about what a monitor has parked: what comes within a day of one is in the next.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// The batch that was parked last because its run was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastParked {
    /// Its number.
    pub number: u64,
    /// The code of the reason.
    pub code: String,
    /// When.
    pub at: Timestamp,
}

impl State {
    /// The batch of which the owner is to be told again, a day after it was parked, and the state in which that is done. Whoever
    /// tells it knows what the owner was told meanwhile.
    #[must_use]
    pub fn recalled(&self, now: Timestamp) -> Option<(LastParked, Self)> {
        let parked = self.parked.clone().filter(|parked| now.duration_since(parked.at) >= DAY)?;
        Some((parked, Self { parked: None, ..self.clone() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tick::Outcome;

    #[test]
    fn issue_14_what_is_parked_is_recalled_once_a_day_later() {
        let at = |hour: i64| Timestamp::from_second(hour * 3600).unwrap();
        let last = LastParked { number: 2, code: "APPROVAL_UNREACHABLE".to_owned(), at: at(1) };
        let state = State { parked: Some(last.clone()), ..State::default() };
        assert_eq!(state.recalled(at(24)), None);
        let ticked = state.ticked(Outcome::Suppressed, at(24)).failed("down", at(25));
        let (recalled, after) = ticked.recalled(at(25)).unwrap();
        assert_eq!(recalled, last);
        assert_eq!(after.recalled(at(50)), None);
        assert_eq!((after.version, after.failing), (ticked.version, ticked.failing));
        assert_eq!(State::default().recalled(at(50)), None);
    }
}
