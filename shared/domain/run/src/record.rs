//! What a run did, in figures: written with its end, so that a list of runs and statistics read nothing else (F-316, F-398).

use serde::{Deserialize, Serialize};

use crate::{RunState, StepState, StepStatus};

/// The most calls, and the most problems, that a record names; the others are counted.
const MAX_NAMED: usize = 50;

/// The most characters of a message in a record; the step has the whole one.
const MAX_MESSAGE: usize = 300;

/// How the answer of a run is found (F-027, K-60).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// A deterministic playbook: its steps, and no model.
    Pipeline,
    /// A playbook in whose steps a model may take part.
    Playbook,
}

/// A call of a connector by one step; all pages of one call, and all items of a list, are one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectorCall {
    /// The step.
    pub step: String,
    /// The connector.
    pub connector: String,
    /// Its endpoint.
    pub endpoint: String,
    /// What became of it: `done`, `failed`, `unknown`.
    pub status: StepStatus,
    /// From the start of the step to its answer, with every page and every repetition; none when nobody measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
    /// How many records it gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results_count: Option<u64>,
    /// The stable code of its error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// What the steps found out about entities.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntityCounts {
    /// How many different entities were resolved.
    pub resolved: u64,
    /// How many of them the knowledge graph did not have before the run.
    pub discovered: u64,
    /// How many names were merged into another by themselves.
    pub merged: u64,
    /// How many pairs were left to people.
    pub ambiguous: u64,
}

/// How many results went to destinations of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DestinationCount {
    /// The kind: `document`, `chat`, …
    pub destination: String,
    /// `success`, `skipped` or `error`.
    pub status: String,
    /// How many.
    pub count: u64,
}

/// Why a step did not do what it should.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepProblem {
    /// The step.
    pub step: String,
    /// The stable code.
    pub code: String,
    /// The same for people, at most 300 characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

/// What a run did, in figures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The calls of connectors, in the order of the plan; the first 50.
    #[serde(default)]
    pub connectors_called: Vec<ConnectorCall>,
    /// How many more there were.
    #[serde(default)]
    pub connectors_left_out: u64,
    /// Entities.
    #[serde(default)]
    pub entities: EntityCounts,
    /// Where results went.
    #[serde(default)]
    pub output_destinations: Vec<DestinationCount>,
    /// The steps that failed, the first 50.
    #[serde(default)]
    pub error_details: Vec<StepProblem>,
}

impl RunRecord {
    /// The record of a run that is over. `endpoint` names the connector and the endpoint that a step calls.
    pub fn of(state: &RunState, endpoint: impl Fn(&str) -> Option<(String, String)>) -> Self {
        let calls = state.steps.iter().filter(|(_, step)| was_called(step.status));
        let mut calls: Vec<ConnectorCall> =
            calls.filter_map(|(name, step)| Some(call(name, step, endpoint(name)?))).collect();
        let left_out = calls.len().saturating_sub(MAX_NAMED);
        calls.truncate(MAX_NAMED);
        let problems = state.steps.iter().filter(|(_, step)| is_problem(step.status));
        Self {
            connectors_called: calls,
            connectors_left_out: left_out as u64,
            error_details: problems.map(problem).take(MAX_NAMED).collect(),
            ..Self::default()
        }
    }

    /// Counts a result that went, or should have gone, to a destination.
    pub fn add_destination(&mut self, destination: &str, status: &str) {
        let mut known = self.output_destinations.iter_mut();
        match known.find(|row| row.destination == destination && row.status == status) {
            Some(row) => row.count += 1,
            None => self.output_destinations.push(DestinationCount {
                destination: destination.to_owned(),
                status: status.to_owned(),
                count: 1,
            }),
        }
    }
}

/// Whether a step has got as far as its call.
fn was_called(status: StepStatus) -> bool {
    matches!(status, StepStatus::Done | StepStatus::Failed | StepStatus::Unknown)
}

fn is_problem(status: StepStatus) -> bool {
    matches!(status, StepStatus::Failed | StepStatus::Lost | StepStatus::Unknown)
}

fn call(name: &str, step: &StepState, (connector, endpoint): (String, String)) -> ConnectorCall {
    ConnectorCall {
        step: name.to_owned(),
        connector,
        endpoint,
        status: step.status,
        latency_ms: Some(step.took_ms).filter(|took| *took > 0),
        results_count: step.count,
        code: step.code.clone(),
    }
}

fn problem((name, step): &(String, StepState)) -> StepProblem {
    let message = step.message.as_deref().unwrap_or_default();
    StepProblem {
        step: name.clone(),
        code: step.code.clone().unwrap_or_else(|| "UNKNOWN".to_owned()),
        message: message.chars().take(MAX_MESSAGE).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunStatus;

    fn step(name: &str, status: StepStatus, code: Option<&str>) -> (String, StepState) {
        let state = StepState {
            status,
            code: code.map(str::to_owned),
            message: code.map(|_| "x".repeat(400)),
            count: Some(3),
            took_ms: 12,
            approval: None,
            sent: None,
        };
        (name.to_owned(), state)
    }

    #[test]
    fn f_316_a_record_names_what_was_called_and_what_failed() {
        let steps = vec![
            step("read", StepStatus::Done, None),
            step("more", StepStatus::Failed, Some("CONNECTOR_UNAVAILABLE")),
            step("never", StepStatus::NotRun, Some("RUN_STOPPED")),
            step("count", StepStatus::Done, None),
        ];
        let state = RunState { status: RunStatus::Partial, steps };
        let endpoint =
            |name: &str| (name != "count").then(|| ("filings".to_owned(), format!("{name}_all")));
        let record = RunRecord::of(&state, endpoint);
        let calls: Vec<_> = record
            .connectors_called
            .iter()
            .map(|call| (call.endpoint.as_str(), call.status, call.latency_ms, call.results_count))
            .collect();
        assert_eq!(
            calls,
            [
                ("read_all", StepStatus::Done, Some(12), Some(3)),
                ("more_all", StepStatus::Failed, Some(12), Some(3))
            ]
        );
        let [problem] = record.error_details.as_slice() else { panic!("{record:?}") };
        assert_eq!((problem.step.as_str(), problem.message.len()), ("more", MAX_MESSAGE));
    }

    #[test]
    fn f_316_a_record_keeps_within_its_bounds_and_counts_the_rest() {
        let steps =
            (0..80).map(|n| step(&format!("s{n}"), StepStatus::Failed, Some("X"))).collect();
        let state = RunState { status: RunStatus::Partial, steps };
        let record = RunRecord::of(&state, |name| Some(("c".to_owned(), name.to_owned())));
        assert_eq!((record.connectors_called.len(), record.connectors_left_out), (50, 30));
        assert_eq!(record.error_details.len(), 50);
    }

    #[test]
    fn f_398_destinations_are_counted_by_kind_and_outcome() {
        let mut record = RunRecord::default();
        for (kind, status) in [("chat", "success"), ("document", "error"), ("chat", "success")] {
            record.add_destination(kind, status);
        }
        let counts: Vec<_> = record
            .output_destinations
            .iter()
            .map(|row| (row.destination.as_str(), row.status.as_str(), row.count))
            .collect();
        assert_eq!(counts, [("chat", "success", 2), ("document", "error", 1)]);
    }
}
