//! The record of a run that is over, from what became of its steps.

use crate::record::{ConnectorCall, MAX_MESSAGE, MAX_NAMED, RunRecord, StepProblem};
use crate::{RunState, StepState, StepStatus, ToolCall};

impl RunRecord {
    /// The record of a run that is over. `called` are the calls of connectors that a step has made.
    pub fn of(state: &RunState, called: impl Fn(&str, &StepState) -> Vec<ConnectorCall>) -> Self {
        let ended = state.steps.iter().filter(|(_, step)| is_over(step.status));
        let mut calls: Vec<ConnectorCall> =
            ended.flat_map(|(name, step)| called(name, step)).collect();
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

impl ConnectorCall {
    /// The call that a step is.
    #[must_use]
    pub fn of_step(name: &str, step: &StepState, called: (String, String)) -> Self {
        let made = Self::made(name, called, (step.status, step.took_ms), step.code.as_ref());
        Self { results_count: step.count, ..made }
    }

    /// A call that the model of a step has asked for.
    #[must_use]
    pub fn of_tool(step: &str, call: &ToolCall, called: (String, String)) -> Self {
        Self::made(step, called, (call.status, call.took_ms), call.code.as_ref())
    }

    /// A call of which nobody knows how many results it had.
    fn made(
        step: &str,
        (connector, endpoint): (String, String),
        (status, took_ms): (StepStatus, u64),
        code: Option<&String>,
    ) -> Self {
        Self {
            step: step.to_owned(),
            connector,
            endpoint,
            status,
            latency_ms: Some(took_ms).filter(|took| *took > 0),
            results_count: None,
            code: code.cloned(),
        }
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
        let called = |name: &str, step: &StepState| {
            let of = || ("filings".to_owned(), format!("{name}_all"));
            (name != "count")
                .then(|| ConnectorCall::of_step(name, step, of()))
                .into_iter()
                .collect()
        };
        let record = RunRecord::of(&state, called);
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
        let record = RunRecord::of(&state, |name, step| {
            vec![ConnectorCall::of_step(name, step, ("c".to_owned(), name.to_owned()))]
        });
        assert_eq!((record.connectors_called.len(), record.connectors_left_out), (50, 30));
        assert_eq!((record.error_details.len(), record.errors_left_out), (50, 30));
    }
}
