//! What is parked and no notice of a run has told, and when its owner is told of it again.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::tick::State;

/// The code of a reason: the items of the batch are parked since its run ended.
pub(crate) const PARKED: &str = "BATCH_PARKED";

/// Owners get at most one mail a day about what a monitor has parked: what comes within a day of one is in the next.
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// The batch that was parked last because its run was refused, or whose owner could not be told when a run's end parked it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastParked {
    /// Its number.
    pub number: u64,
    /// The code of the reason.
    pub code: String,
    /// When.
    pub at: Timestamp,
    /// Whether those who listen may not have heard of it: it is written so, and they hear of it then.
    #[serde(default, skip_serializing_if = "is_said")]
    pub is_unsaid: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_said(is_unsaid: &bool) -> bool {
    !is_unsaid
}

impl State {
    /// The batch of which listeners are to hear that it is parked, and the state in which that is done: whoever parked it may have
    /// died before they did, and a day later the owner is told again. Whoever tells it knows what the owner was told meanwhile.
    #[must_use]
    pub fn recalled(&self, now: Timestamp) -> Option<(LastParked, Self)> {
        if let Some(parked) = self.parked.clone().filter(|parked| parked.is_unsaid) {
            return Some((parked, self.said()));
        }
        let parked =
            self.parked.clone().filter(|parked| now.duration_since(parked.at).abs() >= DAY)?;
        Some((parked, Self { parked: None, ..self.clone() }))
    }

    /// The same once a run's end has parked a batch of which its owner could not be told: listeners are to hear of it.
    #[must_use]
    pub fn untold(&self, number: u64, now: Timestamp) -> Self {
        let parked = LastParked { number, code: PARKED.to_owned(), at: now, is_unsaid: true };
        Self { parked: Some(parked), version: self.version + 1, ..self.clone() }
    }

    /// The same once listeners have heard what is parked.
    #[must_use]
    pub fn said(&self) -> Self {
        let parked = self.parked.clone();
        let parked = parked.map(|parked| LastParked { is_unsaid: false, ..parked });
        Self { parked, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::TickOutcome;

    #[test]
    fn issue_14_what_is_parked_is_recalled_once_a_day_later() {
        let at = |hour: i64| Timestamp::from_second(hour * 3600).unwrap();
        let code = "APPROVAL_UNREACHABLE".to_owned();
        let last = LastParked { number: 2, code, at: at(1), is_unsaid: false };
        let state = State { parked: Some(last.clone()), ..State::default() };
        assert_eq!(state.recalled(at(24)), None);
        let ticked = state.ticked(TickOutcome::Suppressed, at(24)).failed("down", at(25));
        let (recalled, after) = ticked.recalled(at(25)).unwrap();
        assert_eq!(recalled, last);
        assert_eq!(after.recalled(at(50)), None);
        assert_eq!((after.version, after.failing), (ticked.version, ticked.failing));
        assert_eq!(State::default().recalled(at(50)), None);
        let ahead =
            State { parked: Some(LastParked { at: at(9_000), ..last }), ..State::default() };
        assert!(ahead.recalled(at(25)).is_some(), "a clock was ahead when it was noted");
    }

    #[test]
    fn issue_14_what_nobody_could_say_is_said_at_the_next_tick_and_recalled_as_any_other() {
        let at = |hour: i64| Timestamp::from_second(hour * 3600).unwrap();
        let monitor = countersign_run::MonitorId::from_bytes([1; 16]);
        let why = countersign_run::OccurrenceReason {
            code: "APPROVAL_UNREACHABLE".to_owned(),
            message: "nobody can sign".to_owned(),
        };
        let mut batch = crate::Batch::found(&monitor, &State::default(), 1, [].into(), at(1));
        batch.refusals = crate::MAX_ATTEMPTS - 1;
        // Written, and the function dies here.
        let written = crate::refused(&batch, &State::default(), &why, false, at(1)).state;
        let (unsaid, after) = written.recalled(at(1)).unwrap();
        assert_eq!((unsaid.number, unsaid.is_unsaid), (1, true));
        assert_eq!(after, written.said());
        assert_eq!(after.recalled(at(2)), None, "it was said");
        let (again, _) = after.recalled(at(25)).unwrap();
        assert!(!again.is_unsaid, "a day later its owner is told of what came after");
    }

    #[test]
    fn f_218_what_nobody_could_be_told_of_is_parked_without_a_notice() {
        let monitor = countersign_run::MonitorId::from_bytes([1; 16]);
        let at = Timestamp::UNIX_EPOCH;
        let open = crate::Batch::found(&monitor, &State::default(), 1, [].into(), at);
        let parked = crate::Batch { state: crate::BatchState::Parked, ..open.clone() };
        assert!(!parked.is_parked_without_notice(), "the notice of its run has told it");
        assert!(parked.untold().is_parked_without_notice());
        let refused = crate::Batch { refusals: crate::MAX_ATTEMPTS, ..parked.clone() };
        assert!(refused.is_parked_without_notice());
        assert!(!open.untold().is_parked_without_notice());
        assert_eq!(parked.untold().version, parked.version + 1);
    }

    #[test]
    fn f_218_what_a_run_parks_and_nobody_tells_is_said_at_the_next_tick() {
        let at = |hour: i64| Timestamp::from_second(hour * 3600).unwrap();
        let state = State::default().ticked(TickOutcome::Started, at(1));
        let untold = state.untold(3, at(2));
        assert_eq!(untold.version, state.version + 1);
        let (unsaid, after) = untold.recalled(at(2)).unwrap();
        assert_eq!((unsaid.number, unsaid.code.as_str()), (3, "BATCH_PARKED"));
        assert_eq!(after.recalled(at(3)), None, "it was said");
    }
}
