//! Steps without an outcome: a run that is over leaves none open.

use countersign_run::{Event, EventKind, Head, RunState, StepStatus};
use countersign_store_runs::Outcome;
use jiff::Timestamp;
use serde_json::Value;

use crate::{Context, FinishError};

/// Gives every step that has none an outcome: not run if the run was stopped, lost otherwise. How many there were.
pub(crate) async fn write_down(
    context: &Context,
    head: &Head,
    state: &RunState,
    attempt: u32,
    now: Timestamp,
) -> Result<usize, FinishError> {
    let open = |status: StepStatus| !status.is_final() || status == StepStatus::Approved;
    let missing: Vec<&String> =
        state.steps.iter().filter(|(_, step)| open(step.status)).map(|(name, _)| name).collect();
    let mut written = 0;
    for name in missing {
        if context.runs.outcome(&head.run, name).await?.is_some() {
            continue;
        }
        let outcome = outcome(name, head, attempt, now);
        let kind = EventKind::StepEnded {
            status: outcome.status,
            count: None,
            code: outcome.code.clone(),
            message: outcome.message.clone(),
            took_ms: 0,
        };
        let event = Event { step: name.clone(), attempt, n: 8, at: now, kind };
        context.runs.end_step(&head.run, &outcome, &event, None).await?;
        written += 1;
    }
    Ok(written)
}

fn outcome(step: &str, head: &Head, attempt: u32, now: Timestamp) -> Outcome {
    let (status, code, message) = match &head.stop {
        Some(stop) => {
            (StepStatus::NotRun, "RUN_STOPPED", format!("the run is ending: {}", stop.message))
        }
        None => {
            (StepStatus::Lost, "STEP_LOST", "it was started and no result ever came".to_owned())
        }
    };
    Outcome {
        step: step.to_owned(),
        status,
        input_hash: String::new(),
        output: Value::Null,
        count: None,
        code: Some(code.to_owned()),
        message: Some(message),
        verdict: None,
        approval: None,
        attempt,
        at: now,
    }
}
