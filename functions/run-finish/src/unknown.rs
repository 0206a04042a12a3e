//! Steps that left the mark of acting and no result.

use countersign_run::{Head, RunState, StepState, StepStatus};

use crate::{Context, FinishError};

/// The steps of which nobody knows whether their effect happened, in the order of the plan.
pub(crate) async fn steps(
    context: &Context,
    head: &Head,
    state: &RunState,
) -> Result<Vec<String>, FinishError> {
    let mut unknown = Vec::new();
    for (name, _) in state.steps.iter().filter(|(_, step)| might_have_acted(step)) {
        if context.runs.intent(&head.run, name).await?.is_some() {
            unknown.push(name.clone());
        }
    }
    Ok(unknown)
}

/// A step that was lost, cut off by the end of the run, or asked anew in doubt and not approved. One that is done or failed
/// has said what happened; others never came to act.
fn might_have_acted(step: &StepState) -> bool {
    match step.status {
        StepStatus::Lost => true,
        StepStatus::NotRun => step.code.as_deref() == Some("RUN_STOPPED"),
        StepStatus::Rejected | StepStatus::TimedOut | StepStatus::Closed => true,
        StepStatus::Pending
        | StepStatus::Waiting
        | StepStatus::Done
        | StepStatus::Skipped
        | StepStatus::Failed
        | StepStatus::Approved => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(status: StepStatus, code: Option<&str>, expect: bool) {
        let step = StepState {
            status,
            code: code.map(str::to_owned),
            message: None,
            count: None,
            took_ms: 0,
            approval: None,
        };
        assert_eq!(might_have_acted(&step), expect, "{status:?} {code:?}");
    }

    #[test]
    fn only_steps_without_a_result_of_their_own_are_looked_up() {
        check(StepStatus::Lost, Some("STEP_LOST"), true);
        check(StepStatus::NotRun, Some("RUN_STOPPED"), true);
        check(StepStatus::NotRun, Some("GATE_DENIED"), false);
        check(StepStatus::Rejected, Some("GATE_DENIED"), true);
        check(StepStatus::TimedOut, Some("GATE_TIMED_OUT"), true);
        check(StepStatus::Done, None, false);
        check(StepStatus::Failed, Some("HTTP_STATUS"), false);
    }
}
