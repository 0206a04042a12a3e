//! A batch in the ledger of occurrences: what ran is seen there, whoever asked for it.

use countersign_identity::UserId;
use countersign_run::{
    Occurrence, OccurrenceId, OccurrenceReason, OccurrenceSource, OccurrenceState, RunId, RunStatus,
};
use jiff::Timestamp;
use serde_json::Value;

use crate::batch::{Batch, BatchState, MAX_ATTEMPTS, run_id};
use crate::new_items::TooLarge;
use crate::parked::PARKED;

/// Whose batch it is, as the ledger names it.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// The owner.
    pub owner: &'a UserId,
    /// The name of the monitor.
    pub name: &'a str,
    /// Its agent.
    pub profile: &'a str,
    /// Whether its owner asked for the look.
    pub asked_for: bool,
}

/// The code of a reason: a batch that was parked is opened again.
const RETRIED: &str = "BATCH_RETRIED";

/// The occurrence of a new batch: its run is about to start.
#[must_use]
pub fn noticed(batch: &Batch, of: Origin<'_>) -> Occurrence {
    // Ids of occurrences have whole seconds.
    let at = batch.created_at;
    let due_at = Timestamp::from_second(at.as_second()).unwrap_or(at);
    let monitor = batch.monitor_id.as_str();
    let (id, source) = (OccurrenceId::new(monitor, due_at), (OccurrenceSource::Monitor, monitor));
    Occurrence {
        name: of.name.to_owned(),
        profile_id: of.profile.to_owned(),
        asked_by: of.asked_for.then(|| of.owner.clone()),
        max_retries: MAX_ATTEMPTS - 1,
        // The runs of monitors have no time limit beside that of the deployment.
        timeout_seconds: 0,
        ..Occurrence::noticed(id, of.owner.clone(), source, (due_at, at))
    }
}

/// The occurrence of a batch whose run has been started.
#[must_use]
pub fn begun(occurrence: &Occurrence, batch: &Batch, now: Timestamp) -> Occurrence {
    let runs = (1..=batch.attempt).map(|attempt| run_id(&batch.id, attempt)).collect();
    Occurrence { runs, reason: None, ..occurrence.moved(OccurrenceState::Started, now) }
}

/// The occurrence of a batch that has changed: its run has ended, or is tried again.
#[must_use]
pub fn followed(occurrence: &Occurrence, batch: &Batch) -> Occurrence {
    let state = match batch.state {
        BatchState::Open if batch.run_status.is_none() => occurrence.state,
        BatchState::Open => OccurrenceState::Started,
        BatchState::Committed | BatchState::Parked => OccurrenceState::Finished,
    };
    let status = batch.run_status.as_deref().and_then(word).or(occurrence.status);
    let closed = batch.closed_at.unwrap_or(occurrence.noticed_at);
    let after = begun(occurrence, batch, closed).moved(state, closed);
    let version = occurrence.version + 1;
    if let (BatchState::Open, Some(why)) = (batch.state, &batch.refused_for) {
        return held_up(occurrence, &why.code, &why.message);
    }
    match batch.state {
        BatchState::Parked => match &batch.refused_for {
            None => Occurrence { status, reason: Some(parked(status)), version, ..after },
            Some(why) => {
                let state = match occurrence.state {
                    OccurrenceState::Due => OccurrenceState::Skipped,
                    _ => state,
                };
                // The run that was refused is not one of its runs.
                let runs =
                    occurrence.runs.iter().filter(|run| **run != batch.run).cloned().collect();
                let reason = Some(never_started(why));
                Occurrence { state, runs, status, reason, version, ..after }
            }
        },
        // A run that was not started is not one of its runs.
        BatchState::Open if state == OccurrenceState::Due => {
            Occurrence { runs: Vec::new(), version, ..after }
        }
        BatchState::Open | BatchState::Committed => Occurrence { status, version, ..after },
    }
}

/// The occurrence of a batch that was parked and is opened again: its owner asks for its run.
#[must_use]
pub fn asked_again(occurrence: &Occurrence, now: Timestamp) -> Occurrence {
    let before = occurrence.reason.as_ref().map(|reason| reason.message.as_str());
    let message = match before {
        Some(before) => format!("its owner has it processed after all; before: {before}"),
        None => "its owner has it processed after all".to_owned(),
    };
    let asked_by = Some(occurrence.owner.clone());
    let due = occurrence.moved(OccurrenceState::Due, now);
    let due = Occurrence { asked_by, runs: Vec::new(), status: None, ..due };
    let message = message.chars().take(500).collect();
    Occurrence { reason: Some(OccurrenceReason { code: RETRIED.to_owned(), message }), ..due }
}

/// Whether the end of this run has parked its batch.
#[must_use]
pub fn parked_by(occurrence: &Occurrence, run: &RunId) -> bool {
    let is_parked = occurrence.reason.as_ref().is_some_and(|reason| reason.code == PARKED);
    is_parked && occurrence.runs.last() == Some(run)
}

/// The same occurrence, and why its run is not started yet.
#[must_use]
pub fn held_up(occurrence: &Occurrence, code: &str, message: &str) -> Occurrence {
    let message = message.chars().take(500).collect();
    let reason = Some(OccurrenceReason { code: code.to_owned(), message });
    Occurrence { reason, version: occurrence.version + 1, ..occurrence.clone() }
}

fn word(status: &str) -> Option<RunStatus> {
    serde_json::from_value(Value::from(status)).ok()
}

fn parked(status: Option<RunStatus>) -> OccurrenceReason {
    let message = match status {
        Some(RunStatus::Cancelled) => "its run was cancelled: the items of the batch are parked",
        _ => "its runs failed too often: the items of the batch are parked",
    };
    OccurrenceReason { code: PARKED.to_owned(), message: message.to_owned() }
}

fn never_started(why: &OccurrenceReason) -> OccurrenceReason {
    let began = match why.code.as_str() {
        "WARNINGS_FOUND" | TooLarge::CODE => "no run of it can be started",
        _ => "its run was refused too often",
    };
    let said = format!("{began}: the items of the batch are parked; {}", why.message);
    OccurrenceReason { code: why.code.clone(), message: said.chars().take(500).collect() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use countersign_run::MonitorId;

    use super::*;
    use crate::batch::batch_id;

    fn batch(state: BatchState, attempt: u32, status: Option<RunStatus>) -> Batch {
        let monitor = MonitorId::from_bytes([1; 16]);
        let at: Timestamp = "2026-11-24T06:00:00.5Z".parse().unwrap();
        let id = batch_id(&monitor, 1, at);
        let is_closed = state != BatchState::Open;
        Batch {
            run: run_id(&id, attempt),
            id,
            number: 1,
            monitor_id: monitor,
            state,
            attempt,
            count: 1,
            previous: BTreeMap::new(),
            has_moved: is_closed,
            run_status: status.map(|status| status.as_str().to_owned()),
            refusals: 0,
            refused_for: None,
            created_at: at,
            closed_at: is_closed.then_some(at),
            reopened_at: None,
            is_untold: false,
            version: 1,
        }
    }

    fn new(batch: &Batch) -> Occurrence {
        let owner = UserId::from_bytes([2; 16]);
        noticed(batch, Origin { owner: &owner, name: "Notices", profile: "prof", asked_for: false })
    }

    fn check(after: &Batch, state: OccurrenceState, runs: usize, reason: Option<&str>) {
        let first = batch(BatchState::Open, 1, None);
        let started = begun(&new(&first), &first, first.created_at);
        let seen = followed(&started, after);
        assert_eq!((seen.state, seen.runs.len()), (state, runs), "{after:?}");
        assert_eq!(seen.reason.as_ref().map(|reason| reason.code.as_str()), reason, "{after:?}");
        assert_eq!(seen.finished_at.is_some(), state.is_final(), "{after:?}");
        assert_eq!(seen.version, started.version + 1);
    }

    #[test]
    fn f_214_an_occurrence_follows_its_batch() {
        use OccurrenceState::{Finished, Started};
        use RunStatus::{Cancelled, Complete, Error};
        let of = |state, attempt, status| batch(state, attempt, Some(status));
        check(&of(BatchState::Committed, 1, Complete), Finished, 1, None);
        check(&of(BatchState::Open, 1, Error), Started, 1, None);
        check(&of(BatchState::Open, 2, Error), Started, 2, None);
        check(&of(BatchState::Committed, 2, Complete), Finished, 2, None);
        check(&of(BatchState::Parked, 3, Error), Finished, 3, Some("BATCH_PARKED"));
        check(&of(BatchState::Parked, 1, Cancelled), Finished, 1, Some("BATCH_PARKED"));
        let first = batch(BatchState::Open, 1, None);
        let parked = of(BatchState::Parked, 3, Error);
        let seen = followed(&new(&first), &parked);
        assert!(parked_by(&seen, &parked.run) && !parked_by(&seen, &first.run));
        assert!(!parked_by(&new(&first), &first.run));
    }

    #[test]
    fn f_218_what_is_parked_because_it_was_refused_says_why_and_has_no_other_runs() {
        let why = OccurrenceReason { code: "X".to_owned(), message: "nobody signs".to_owned() };
        let parked = |attempt, status| {
            let parked = batch(BatchState::Parked, attempt, status);
            Batch { refused_for: Some(why.clone()), ..parked }
        };
        let first = batch(BatchState::Open, 1, None);
        let never = followed(&new(&first), &parked(1, None));
        assert_eq!((never.state, never.runs.len()), (OccurrenceState::Skipped, 0));
        let reason = never.reason.unwrap();
        assert!(reason.code == "X" && reason.message.ends_with("nobody signs"), "{reason:?}");

        let started = begun(&new(&first), &first, first.created_at);
        let failed = Some(RunStatus::Error);
        let again = followed(&started, &batch(BatchState::Open, 2, failed));
        let seen = followed(&again, &parked(2, failed));
        assert_eq!((seen.state, seen.runs), (OccurrenceState::Finished, started.runs));
    }

    #[test]
    fn f_218_a_batch_that_is_opened_again_is_due_and_its_owner_has_asked_for_it() {
        let why = OccurrenceReason { code: "X".to_owned(), message: "nobody signs".to_owned() };
        let first = batch(BatchState::Open, 1, None);
        let refused = Batch { refused_for: Some(why), ..batch(BatchState::Parked, 1, None) };
        let parked = followed(&new(&first), &refused);
        assert_eq!(parked.asked_by, None);
        let due = asked_again(&parked, first.created_at);
        assert_eq!((due.state, due.finished_at, due.runs.len()), (OccurrenceState::Due, None, 0));
        assert_eq!((&due.asked_by, due.version), (&Some(due.owner.clone()), parked.version + 1));
        let reason = due.reason.clone().unwrap();
        assert!(reason.code == RETRIED && reason.message.ends_with("nobody signs"), "{reason:?}");
        let started = begun(&due, &first, first.created_at);
        assert_eq!((started.state, &started.reason), (OccurrenceState::Started, &None));
        let again = followed(&due, &refused);
        assert_eq!(
            (again.state, again.reason.unwrap().code.as_str()),
            (OccurrenceState::Skipped, "X")
        );
    }

    #[test]
    fn p_003_what_was_not_started_has_no_run_and_says_why() {
        let first = batch(BatchState::Open, 1, None);
        let due = new(&first);
        assert_eq!(due.id.place(), "20261124T060000Z");
        let held = held_up(&due, "QUOTA_EXCEEDED", "no more today");
        assert_eq!((held.state, held.version, held.runs.len()), (OccurrenceState::Due, 2, 0));
        let same = followed(&held, &first);
        assert_eq!((same.state, same.runs.len()), (OccurrenceState::Due, 0));
        let failed = batch(BatchState::Open, 1, Some(RunStatus::Error));
        let seen = followed(&due, &failed);
        assert_eq!((seen.state, seen.runs.len()), (OccurrenceState::Started, 1), "nobody noted it");
    }
}
