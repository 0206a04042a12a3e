//! A batch whose run is refused: nothing starts it as things are.

use countersign_run::OccurrenceReason;
use jiff::Timestamp;

use crate::batch::{Batch, BatchState, MAX_ATTEMPTS};
use crate::parked::LastParked;
use crate::settle::Settled;
use crate::tick::State;

/// What it means that the run of a batch is refused, of a monitor that is at `state` then: a later tick tries again, and after
/// [`MAX_ATTEMPTS`] times its items are parked, with the reason. What may pass by itself is not refused, and a try that a person asks
/// for, who may be mending what is wrong, does not count.
#[must_use]
pub fn refused(
    batch: &Batch,
    state: &State,
    why: &OccurrenceReason,
    is_asked_for: bool,
    now: Timestamp,
) -> Settled {
    let refusals = batch.refusals + u32::from(!is_asked_for);
    let is_over = refusals >= MAX_ATTEMPTS;
    let moves = is_over && batch.moves_at_its_end();
    let ended = if is_over { BatchState::Parked } else { batch.state };
    let batch = Batch {
        state: ended,
        refusals,
        refused_for: Some(why.clone()),
        has_moved: moves || batch.has_moved,
        closed_at: is_over.then_some(now),
        version: batch.version + 1,
        ..batch.clone()
    };
    let open = state.open.clone().filter(|_| !is_over);
    let last =
        LastParked { number: batch.number, code: why.code.clone(), at: now, is_unsaid: true };
    let parked = if is_over { Some(last) } else { state.parked.clone() };
    Settled { batch, state: State { open, parked, ..state.clone() }, moves }
}

/// The same of a run that could not end otherwise than in an error, however often it is tried: its items are parked at once.
#[must_use]
pub fn parked_at_once(
    batch: &Batch,
    state: &State,
    why: &OccurrenceReason,
    now: Timestamp,
) -> Settled {
    let last = Batch { refusals: MAX_ATTEMPTS - 1, ..batch.clone() };
    refused(&last, state, why, false, now)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use countersign_run::MonitorId;

    use super::*;
    use crate::outcome::TickOutcome;

    #[test]
    fn f_218_a_batch_whose_run_is_refused_again_and_again_is_parked_with_the_reason() {
        let (monitor, now) = (MonitorId::from_bytes([1; 16]), Timestamp::UNIX_EPOCH);
        let mut batch = Batch::found(&monitor, &State::default(), 1, BTreeMap::new(), now);
        let mut state = State::default().opened(&batch, now);
        let why = OccurrenceReason {
            code: "APPROVAL_UNREACHABLE".to_owned(),
            message: "nobody can sign".to_owned(),
        };
        for refusal in 1..=MAX_ATTEMPTS {
            state = state.failed("nobody can sign", now);
            let asked_for = refused(&batch, &state, &why, true, now);
            assert!(!asked_for.moves && asked_for.batch.refused_for.is_some());
            (batch, state) = (asked_for.batch, asked_for.state);
            let settled = refused(&batch, &state, &why, false, now);
            let is_over = refusal == MAX_ATTEMPTS;
            assert_eq!(settled.moves, is_over, "{refusal}");
            assert_eq!(settled.state.open.is_none(), is_over, "{refusal}");
            assert_eq!(settled.state.parked.is_some(), is_over, "{refusal}");
            assert_eq!(settled.state.last_outcome, Some(TickOutcome::Failed));
            (batch, state) = (settled.batch, settled.state);
        }
        assert_eq!((batch.state, batch.refused_for), (BatchState::Parked, Some(why)));
        assert_eq!((batch.attempt, batch.closed_at), (1, Some(now)));
    }
}
