//! What asked for a run without a person, and whether it is tried again after this end.

use countersign_run::{Head, Occurrence, OccurrenceSource, RunStatus};

use crate::{Context, FinishError};

/// What asked for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Occasion {
    source: OccurrenceSource,
    /// What its owner calls it.
    pub(crate) name: String,
    /// When the run is tried again, or that it is not; none of one that did not fail.
    pub(crate) again: Option<String>,
}

impl Occasion {
    fn of(of: &Occurrence, head: &Head, status: RunStatus, is_parked: bool) -> Self {
        let again = (status == RunStatus::Error).then(|| again(of, head, is_parked)).flatten();
        Self { source: of.source, name: of.name.clone(), again }
    }

    /// For the owner.
    pub(crate) fn sentence(&self) -> String {
        let mut said = format!("It was for the {} `{}`.", self.source.as_str(), self.name);
        if let Some(again) = &self.again {
            said.push_str(&format!(" Tried again: {again}."));
        }
        said
    }
}

/// What asked for a run; none of one that a person did.
pub(crate) async fn read(
    context: &Context,
    head: &Head,
    status: RunStatus,
    is_parked: bool,
) -> Result<Option<Occasion>, FinishError> {
    let Some(id) = &head.occurrence else { return Ok(None) };
    let found = context.catalog.occurrence(&head.owner, id).await?;
    Ok(found.map(|of| Occasion::of(&of, head, status, is_parked)))
}

/// When a run that failed is tried again, as things are. Of one that somebody repeated by hand nobody tries it again; what is
/// parked is told by itself.
fn again(of: &Occurrence, head: &Head, is_parked: bool) -> Option<String> {
    if of.source == OccurrenceSource::Monitor {
        return (!is_parked).then(|| "at the next check".to_owned());
    }
    let before = (0..=of.max_retries).find(|n| of.id.run(*n as usize) == head.run)?;
    let all = of.max_retries + 1;
    if before < of.max_retries {
        return Some(format!("in about a minute, as attempt {} of {all}", before + 2));
    }
    Some(match all {
        1 => "no, it has one attempt".to_owned(),
        _ => format!("no, this was attempt {all} of {all}"),
    })
}

#[cfg(test)]
mod tests {
    use countersign_identity::UserId;
    use countersign_run::{OccurrenceId, OccurrenceState, RunId};
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;

    fn occurrence(source: OccurrenceSource, max_retries: u32) -> Occurrence {
        let source_id = format!("sched_{}", "0".repeat(32));
        let at = Timestamp::UNIX_EPOCH;
        Occurrence {
            id: OccurrenceId::new(&source_id, at),
            owner: UserId::from_bytes([1; 16]),
            source,
            source_id,
            name: "Every morning".to_owned(),
            profile_id: "prof_1".to_owned(),
            due_at: at,
            noticed_at: at,
            asked_by: None,
            fired_by: None,
            chain: Vec::new(),
            state: OccurrenceState::Started,
            reason: None,
            runs: Vec::new(),
            status: None,
            finished_at: None,
            max_retries,
            timeout_seconds: 300,
            version: 1,
        }
    }

    fn head(run: &RunId) -> Head {
        let owner = UserId::from_bytes([1; 16]);
        let head = json!({
            "run": run, "owner": owner, "invoked_by": owner, "scopes": [], "profile_id": "p", "profile_name": "Payer",
            "context": "scheduled", "started_at": Timestamp::UNIX_EPOCH, "attempt": 1, "version": 1,
        });
        serde_json::from_value(head).unwrap()
    }

    fn check(of: &Occurrence, run: &RunId, status: RunStatus, expect: Option<&str>) {
        let occasion = Occasion::of(of, &head(run), status, false);
        assert_eq!(occasion.again.as_deref(), expect, "{of:?}");
        assert!(occasion.sentence().contains("`Every morning`"), "{}", occasion.sentence());
    }

    #[test]
    fn issue_14_whoever_is_told_of_a_failure_knows_whether_it_is_tried_again() {
        let of = occurrence(OccurrenceSource::Schedule, 2);
        let at = |n| of.id.run(n);
        check(&of, &at(0), RunStatus::Error, Some("in about a minute, as attempt 2 of 3"));
        check(&of, &at(1), RunStatus::Error, Some("in about a minute, as attempt 3 of 3"));
        check(&of, &at(2), RunStatus::Error, Some("no, this was attempt 3 of 3"));
        check(&of, &at(0), RunStatus::Complete, None);
        check(&of, &RunId::from_bytes([9; 16]), RunStatus::Error, None);
        let once = occurrence(OccurrenceSource::Trigger, 0);
        check(&once, &once.id.run(0), RunStatus::Error, Some("no, it has one attempt"));
        let monitor = occurrence(OccurrenceSource::Monitor, 2);
        check(&monitor, &at(0), RunStatus::Error, Some("at the next check"));
        assert_eq!(Occasion::of(&monitor, &head(&at(0)), RunStatus::Error, true).again, None);
    }
}
