//! What asked for a run without a person, and whether it is tried again after this end.

use countersign_monitor::MonitorSpec;
use countersign_run::{Head, Occurrence, OccurrenceSource, RunStatus};
use countersign_store_catalog::Stored;

use crate::{Context, FinishError};

/// What asked for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Occasion {
    source: OccurrenceSource,
    /// What its owner calls it.
    pub(crate) name: String,
    /// Whether the run is tried again; none of one that did not fail.
    pub(crate) again: Option<Again>,
}

/// Whether a run that failed is tried again, as things are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Again {
    /// It is, then and as which attempt. Should nothing come of it, its owner is told by `on-clock`.
    Yes(String),
    /// It is not, and how many attempts there were.
    No(String),
}

impl Again {
    /// For people.
    pub(crate) fn words(&self) -> &str {
        match self {
            Self::Yes(words) | Self::No(words) => words,
        }
    }
}

/// What a batch of a monitor waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Watch {
    /// The next check.
    On,
    /// Somebody who lets the monitor look again.
    Paused,
    /// Nothing: the monitor is gone, or the batch is parked.
    Over,
}

impl Occasion {
    fn of(of: &Occurrence, head: &Head, status: RunStatus, watch: Watch) -> Self {
        let again = (status == RunStatus::Error).then(|| again(of, head, watch)).flatten();
        Self { source: of.source, name: of.name.clone(), again }
    }

    /// Whether the run is tried again by itself.
    pub(crate) fn is_tried_again(&self) -> bool {
        matches!(self.again, Some(Again::Yes(_)))
    }

    /// For the owner.
    pub(crate) fn sentence(&self) -> String {
        let mut said = format!("It was for the {} `{}`.", self.source.as_str(), self.name);
        if let Some(again) = &self.again {
            said.push_str(&format!(" Tried again: {}.", again.words()));
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
    let Some(found) = context.catalog.occurrence_of(head).await? else { return Ok(None) };
    let watch = match is_parked {
        true => Watch::Over,
        false if status == RunStatus::Error => watch(context, head).await?,
        false => Watch::On,
    };
    Ok(Some(Occasion::of(&found, head, status, watch)))
}

/// Whether the monitor of a run looks.
async fn watch(context: &Context, head: &Head) -> Result<Watch, FinishError> {
    let Some(from) = &head.from_monitor else { return Ok(Watch::On) };
    let monitors = context.catalog.collection::<Stored<MonitorSpec>>();
    let monitor = monitors.own(&head.owner, &from.monitor).await?;
    Ok(monitor.map_or(Watch::Over, |monitor| match monitor.spec.is_active {
        true => Watch::On,
        false => Watch::Paused,
    }))
}

/// Whether a run that failed is tried again. Of one that somebody repeated by hand nothing tries it again.
fn again(of: &Occurrence, head: &Head, watch: Watch) -> Option<Again> {
    let all = of.max_retries + 1;
    if of.source == OccurrenceSource::Monitor {
        let this = head.attempt_of_occurrence().unwrap_or(1);
        return Some(match watch {
            Watch::On => Again::Yes(format!("at the next check, as attempt {} of {all}", this + 1)),
            Watch::Paused => Again::No(format!(
                "not while the monitor is paused; this was attempt {this} of {all}"
            )),
            Watch::Over => Again::No(format!("no, this was attempt {this} of {all}")),
        });
    }
    let before = (0..=of.max_retries).find(|n| of.id.run(*n as usize) == head.run)?;
    if before < of.max_retries {
        let next = before + 2;
        return Some(Again::Yes(format!("in about a minute, as attempt {next} of {all}")));
    }
    Some(Again::No(match all {
        1 => "no, it has one attempt".to_owned(),
        _ => format!("no, this was attempt {all} of {all}"),
    }))
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
            others: Vec::new(),
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
        let occasion = Occasion::of(of, &head(run), status, Watch::On);
        assert_eq!(occasion.again.as_ref().map(Again::words), expect, "{of:?}");
        let waits = expect.is_some_and(|expect| !expect.starts_with("no"));
        assert_eq!(occasion.is_tried_again(), waits, "{of:?}");
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
        let next = "at the next check, as attempt 2 of 3";
        check(&monitor, &at(0), RunStatus::Error, Some(next));
        for (watch, said) in [
            (Watch::Over, "no, this was attempt 3 of 3"),
            (Watch::Paused, "not while the monitor is paused; this was attempt 3 of 3"),
        ] {
            let mut third = head(&at(0));
            third.repeats = vec![at(1), at(2)];
            third.occurrence = Some(monitor.id.clone());
            let occasion = Occasion::of(&monitor, &third, RunStatus::Error, watch);
            assert_eq!(occasion.again, Some(Again::No(said.to_owned())));
            assert!(!occasion.is_tried_again(), "its owner is told now");
        }
    }
}
