//! Repeating a run: the same calls must still be told apart, so that none is made twice.

use countersign_plan::Plan;
use countersign_run::{Head, RunId, Stop, StopReason};
use countersign_web::{FieldError, Problem};

use crate::Starter;

/// The most runs that may repeat one another.
const MAX_REPEATS: usize = 20;

/// The runs that a repetition of this one repeats.
///
/// # Errors
/// A [`Problem`] when it cannot be repeated: it goes on, it is a test, or another run than `own` repeats it already.
pub fn chain(head: &Head, own: &RunId) -> Result<Vec<RunId>, Problem> {
    is_over(head)?;
    if head.dry_run.is_some() {
        return Err(Problem::conflict("RUN_IS_A_TEST", "a test sends nothing, so nothing is left"));
    }
    if let Some(next) = head.repeated_by.as_ref().filter(|next| *next != own) {
        let message = format!("the run was repeated already, as {next}");
        return Err(Problem::conflict("RUN_REPEATED", message).with_hint("repeat that one"));
    }
    let chain: Vec<RunId> = head.repeats.iter().cloned().chain([head.run.clone()]).collect();
    if chain.len() > MAX_REPEATS {
        let message = format!("the run is the last of {MAX_REPEATS} repetitions");
        return Err(Problem::conflict("RUN_REPEATED_TOO_OFTEN", message));
    }
    Ok(chain)
}

/// That a run has finished.
///
/// # Errors
/// `RUN_NOT_FINISHED`.
pub(crate) fn is_over(head: &Head) -> Result<(), Problem> {
    if head.finished_at.is_some() {
        return Ok(());
    }
    let not_finished = |detail: &str| Problem::conflict("RUN_NOT_FINISHED", detail);
    Err(match &head.stop {
        Some(Stop { reason: StopReason::Cancelled, .. }) => not_finished(
            "the run was cancelled, and ends when the steps that it is doing have finished",
        )
        .with_hint(
            "wait until it has finished; a model that is writing its answer may take minutes",
        ),
        Some(_) => {
            not_finished("the run is ending, and the steps that it is doing have not finished yet")
                .with_hint("wait until it has finished")
        }
        None => not_finished("the run still goes on")
            .with_hint("wait until it has finished, or cancel it"),
    })
}

/// Whatever an earlier run has sent must be recognised by this plan: its step is there, calls the same, and names its
/// items in the same way. The function that makes the plan of the run asks the same.
///
/// # Errors
/// A [`Problem`] with every step that is not.
pub async fn check(ctx: Starter<'_>, plan: &Plan, repeats: &[RunId]) -> Result<(), Problem> {
    let unrecognised = ctx.runs.unrecognised(plan, repeats).await?;
    if unrecognised.is_empty() {
        return Ok(());
    }
    let errors = unrecognised.iter().map(|step| {
        FieldError::new("playbook", step.to_string())
            .with_hint("start a new run, and leave out what was sent")
    });
    Err(Problem::invalid(errors.collect()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(rest: &Value, expect: Option<&str>) {
        let user = format!("user_{}", "2".repeat(32));
        let mut head = json!({
            "run": format!("run_{}", "1".repeat(32)), "owner": user, "invoked_by": user, "scopes": [], "profile_id": "prof",
            "profile_name": "Payer", "context": "background", "started_at": "2026-01-01T00:00:00Z", "attempt": 1, "version": 1,
        });
        head.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        let problem = is_over(&serde_json::from_value(head).unwrap()).err();
        let hint = problem.as_ref().and_then(|problem| problem.hint.as_deref());
        assert_eq!(hint.is_some(), expect.is_some(), "{hint:?}");
        let said = problem.as_ref().map(|problem| problem.detail.clone()).unwrap_or_default();
        assert!(said.contains(expect.unwrap_or_default()), "{said}");
        let cancels = hint.is_some_and(|hint| hint.contains("cancel it"));
        assert_eq!(cancels, expect.is_some() && rest.get("stop").is_none(), "{hint:?}");
    }

    #[test]
    fn nobody_is_told_to_cancel_a_run_that_was_cancelled() {
        let stop = |reason: &str| json!({ "stop": { "reason": reason, "message": "", "at": "2026-01-01T00:00:01Z" } });
        check(&json!({}), Some("still goes on"));
        check(&stop("cancelled"), Some("was cancelled"));
        check(&stop("step_failed"), Some("is ending"));
        check(&json!({ "finished_at": "2026-01-01T00:00:02Z" }), None);
    }
}
