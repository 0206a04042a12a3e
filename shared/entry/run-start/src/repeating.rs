//! Repeating a run: the same calls must still be told apart, so that none is made twice.

use countersign_plan::Plan;
use countersign_run::{Head, RunId};
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
    let problem = Problem::conflict("RUN_NOT_FINISHED", "the run still goes on");
    Err(problem.with_hint("wait until it has finished, or cancel it"))
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
