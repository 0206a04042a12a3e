//! Steps without an outcome: a run that is over leaves none open.

use countersign_plan::Plan;
use countersign_run::{Event, EventKind, Head, RUN_STOPPED, RunState, StepStatus};
use countersign_store_runs::{Consequence, StepOutcome, warnings_of};
use jiff::Timestamp;
use serde_json::Value;

use crate::{Context, FinishError};

/// Gives every step that has none an outcome: unknown if it may have sent something, not run if the run was stopped, lost
/// otherwise. How many there were.
pub(crate) async fn write_down(
    context: &Context,
    head: &Head,
    plan: Option<&Plan>,
    state: &RunState,
    attempt: u32,
    now: Timestamp,
) -> Result<usize, FinishError> {
    let missing = without_outcome(context, head, state).await?;
    for name in &missing {
        let sent = state.step(name).and_then(|step| step.sent.as_ref());
        let outcome = match sent {
            Some(sent) if sent.what.items > 0 => list(context, head, name, attempt, now).await?,
            Some(sent) => StepOutcome::unknown(name, sent, attempt, now),
            None => outcome(name, head, before(plan, name, &missing), attempt, now),
        };
        let kind = EventKind::StepEnded {
            status: outcome.status,
            count: None,
            code: outcome.code.clone(),
            message: outcome.message.clone(),
            took_ms: 0,
            model: None,
        };
        let event = Event { step: name.clone(), attempt, n: 8, at: now, kind };
        let step = plan.and_then(|plan| plan.step(name));
        let warnings = step.and_then(|step| warnings_of(step, &outcome.output, None));
        let consequence = Consequence { warnings: warnings.as_ref(), ..Consequence::default() };
        context.runs.end_step(&head.run, &outcome, &event, consequence).await?;
    }
    Ok(missing.len())
}

/// How a step over a list ends that was lost on the way.
async fn list(
    context: &Context,
    head: &Head,
    step: &str,
    attempt: u32,
    now: Timestamp,
) -> Result<StepOutcome, FinishError> {
    let intent = context.runs.intent(&head.run, step).await?;
    let early = Some("it was lost on the way");
    match intent {
        Some(intent) => Ok(context.runs.list_outcome(&head.run, &intent, early, now).await?),
        // An event without its mark: they are written together.
        None => Ok(outcome(step, head, None, attempt, now)),
    }
}

async fn without_outcome(
    context: &Context,
    head: &Head,
    state: &RunState,
) -> Result<Vec<String>, FinishError> {
    let open = |status: StepStatus| !status.is_final() || status == StepStatus::Approved;
    let mut missing = Vec::new();
    for (name, _) in state.steps.iter().filter(|(_, step)| open(step.status)) {
        if context.runs.outcome(&head.run, name).await?.is_none() {
            missing.push(name.clone());
        }
    }
    Ok(missing)
}

/// A step without a result that this one waits for.
fn before<'a>(plan: Option<&'a Plan>, step: &str, missing: &[String]) -> Option<&'a str> {
    let waits = plan?.step(step)?.after.iter();
    waits.map(String::as_str).find(|name| missing.iter().any(|lost| *lost == **name))
}

/// What became of a step without a result: not run if the run is ending or one before it has no result either, lost
/// otherwise.
fn outcome(
    step: &str,
    head: &Head,
    lost_before: Option<&str>,
    attempt: u32,
    now: Timestamp,
) -> StepOutcome {
    let (status, code, message) = match (&head.stop, lost_before) {
        (Some(stop), _) => (StepStatus::NotRun, RUN_STOPPED, stop.after()),
        (None, Some(before)) => {
            (StepStatus::NotRun, "UPSTREAM_LOST", format!("`{before}` before it has no result"))
        }
        (None, None) => {
            (StepStatus::Lost, "STEP_LOST", "it was started and no result ever came".to_owned())
        }
    };
    StepOutcome {
        step: step.to_owned(),
        status,
        input_hash: String::new(),
        output: Value::Null,
        count: None,
        code: Some(code.to_owned()),
        message: Some(message),
        verdict: None,
        model: None,
        approval: None,
        attempt,
        at: now,
    }
}

#[cfg(test)]
mod tests {
    use countersign_run::RunId;
    use serde_json::json;

    use super::*;

    fn head() -> Head {
        let owner = format!("user_{}", "01".repeat(16));
        let head = json!({
            "run": RunId::from_bytes([1; 16]), "owner": owner, "invoked_by": owner, "scopes": [], "profile_id": "p",
            "profile_name": "P", "context": "background", "started_at": Timestamp::UNIX_EPOCH, "attempt": 1, "version": 1,
        });
        serde_json::from_value(head).unwrap()
    }

    fn check(head: &Head, lost_before: Option<&str>, expect: (StepStatus, &str)) {
        let outcome = outcome("keep", head, lost_before, 1, Timestamp::UNIX_EPOCH);
        assert_eq!((outcome.status, outcome.code.as_deref()), (expect.0, Some(expect.1)));
    }

    #[test]
    fn a_step_behind_a_lost_one_was_not_run_and_says_behind_which() {
        check(&head(), None, (StepStatus::Lost, "STEP_LOST"));
        check(&head(), Some("large"), (StepStatus::NotRun, "UPSTREAM_LOST"));
        let message = outcome("keep", &head(), Some("large"), 1, Timestamp::UNIX_EPOCH).message;
        assert_eq!(message.as_deref(), Some("`large` before it has no result"));
    }
}
