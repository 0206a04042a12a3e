//! That a run failed, was to be tried again, and is not.

use countersign_letter::mail::SourceAlert;
use countersign_run::{Occurrence, OccurrenceSource, OccurrenceState, RunStatus};
use countersign_store_catalog::CatalogError;
use jiff::SignedDuration;

use crate::found::Found;
use crate::{Abandoned, Context};

/// What there is to tell of an occurrence whose run failed and is not tried again.
pub(crate) async fn read(context: &Context, of: &Abandoned) -> Result<Option<Found>, CatalogError> {
    let known = context.catalog.occurrence(&of.owner, &of.occurrence).await?;
    Ok(known.and_then(|known| untried(known, of)))
}

/// What is told of an occurrence that is given up; none of one whose run was begun anew meanwhile, or did not fail.
fn untried(known: Occurrence, of: &Abandoned) -> Option<Found> {
    // A batch of a monitor that is paused waits; it is not at its end.
    let waits = known.source == OccurrenceSource::Monitor && !known.state.is_final();
    let is_over = known.state == OccurrenceState::Finished && known.reason.is_some();
    let attempts = known.runs.len();
    if attempts == 0 || known.status != Some(RunStatus::Error) || !(waits || is_over) {
        return None;
    }
    let trouble = SourceAlert::Abandoned { attempts };
    let said = known.reason.filter(|reason| reason.code == of.code);
    let message =
        said.map_or_else(|| why(&of.code), |reason| format!("{}: {}", reason.code, reason.message));
    Some(Found {
        owner: of.owner.clone(),
        source: known.source_id,
        name: known.name,
        trouble,
        untold: trouble,
        since: known.due_at,
        // Each is something else that is given up, and each attempt a reason to tell of it.
        worked_at: known
            .due_at
            .checked_add(SignedDuration::from_micros(i64::try_from(attempts).unwrap_or(0)))
            .unwrap_or(known.due_at),
        at: of.at,
        code: of.code.clone(),
        message: format!("{}.", message.trim_end_matches('.')),
        occurrence: Some(of.occurrence.clone()),
    })
}

/// What is not written with the occurrence of a monitor.
fn why(code: &str) -> String {
    match code {
        "MONITOR_PAUSED" => {
            format!("{code}: the monitor is paused; once it is resumed, the run is tried again")
        }
        "MONITOR_REMOVED" => format!("{code}: the monitor was removed"),
        _ => code.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use countersign_identity::UserId;
    use jiff::Timestamp;

    use super::*;
    use crate::found::tests::occurrence;

    #[test]
    fn issue_14_what_is_given_up_is_told_each_time_and_what_goes_on_is_not() {
        let of = |code: &str| Abandoned {
            at: Timestamp::from_second(9_000).unwrap(),
            owner: UserId::from_bytes([1; 16]),
            occurrence: occurrence(2, OccurrenceState::Finished).id,
            code: code.to_owned(),
        };
        let failed = Occurrence {
            status: Some(RunStatus::Error),
            ..occurrence(2, OccurrenceState::Finished)
        };
        let off = failed.ended(
            OccurrenceState::Finished,
            "SCHEDULE_DISABLED",
            "it is off",
            failed.due_at,
        );
        let told = untried(off.clone(), &of("SCHEDULE_DISABLED")).unwrap();
        assert_eq!(told.trouble, SourceAlert::Abandoned { attempts: 1 });
        assert_eq!(told.message, "SCHEDULE_DISABLED: it is off.");
        assert!(told.is_to_be_told(Some(told.at)), "no other mail says so");
        assert_eq!(untried(failed.clone(), &of("X")), None, "the mail of its last run has told it");
        let again = Occurrence { state: OccurrenceState::Started, ..off };
        assert_eq!(untried(again, &of("SCHEDULE_DISABLED")), None);
        let source = OccurrenceSource::Monitor;
        let waits = Occurrence { source, state: OccurrenceState::Started, ..failed };
        let paused = untried(waits.clone(), &of("MONITOR_PAUSED")).unwrap();
        assert!(paused.message.contains("once it is resumed"), "{}", paused.message);
        let well = Occurrence { status: Some(RunStatus::Complete), ..waits };
        assert_eq!(untried(well, &of("MONITOR_PAUSED")), None);
    }
}
