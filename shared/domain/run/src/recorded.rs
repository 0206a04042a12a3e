//! The record of a run that is over, from what became of its steps.

use crate::record::{ConnectorCall, MAX_MESSAGE, MAX_NAMED, RunRecord, StepProblem};
use crate::{RunState, StepState, StepStatus};

impl RunRecord {
    /// The record of a run that is over. `endpoint` names the connector and the endpoint that a step has called, if it has.
    pub fn of(
        state: &RunState,
        endpoint: impl Fn(&str, &StepState) -> Option<(String, String)>,
    ) -> Self {
        let ended = state.steps.iter().filter(|(_, step)| is_over(step.status));
        let called =
            |(name, step): &(String, StepState)| Some(call(name, step, endpoint(name, step)?));
        let mut calls: Vec<ConnectorCall> = ended.filter_map(called).collect();
        let left_out = calls.len().saturating_sub(MAX_NAMED);
        calls.truncate(MAX_NAMED);
        let problems = state.steps.iter().filter(|(_, step)| is_problem(step.status));
        let mut problems: Vec<StepProblem> = problems.map(problem).collect();
        let unnamed = problems.len().saturating_sub(MAX_NAMED);
        problems.truncate(MAX_NAMED);
        Self {
            connectors_called: calls,
            connectors_left_out: left_out as u64,
            error_details: problems,
            errors_left_out: unnamed as u64,
            ..Self::default()
        }
    }
}

/// Whether a step may have got as far as its call.
fn is_over(status: StepStatus) -> bool {
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
            model: None,
            tool_calls: Vec::new(),
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
        let endpoint = |name: &str, _: &StepState| {
            (name != "count").then(|| ("filings".to_owned(), format!("{name}_all")))
        };
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
        let record = RunRecord::of(&state, |name, _| Some(("c".to_owned(), name.to_owned())));
        assert_eq!((record.connectors_called.len(), record.connectors_left_out), (50, 30));
        assert_eq!((record.error_details.len(), record.errors_left_out), (50, 30));
    }
}
