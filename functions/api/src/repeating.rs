//! Repeating a run: the same calls must still be told apart, so that none is made twice.

use countersign_plan::{Plan, PlanStep};
use countersign_run::{Head, RunId};
use countersign_web::{FieldError, Problem};

use crate::Context;

/// The most runs that may repeat one another.
const MAX_REPEATS: usize = 20;

/// The runs that a repetition of this one repeats.
///
/// # Errors
/// A [`Problem`] when it cannot be repeated: it goes on, it is a test, or another run repeats it already.
pub(crate) fn chain(head: &Head) -> Result<Vec<RunId>, Problem> {
    if head.finished_at.is_none() {
        let problem = Problem::conflict("RUN_NOT_FINISHED", "the run still goes on");
        return Err(problem.with_hint("wait until it has finished, or cancel it"));
    }
    if head.dry_run.is_some() {
        return Err(Problem::conflict("RUN_IS_A_TEST", "a test sends nothing, so nothing is left"));
    }
    if let Some(next) = &head.repeated_by {
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

/// Whatever an earlier run has sent must be recognised by this plan: its step is there, calls the same, and names its
/// items in the same way.
///
/// # Errors
/// A [`Problem`] with every step that is not.
pub(crate) async fn check(ctx: &Context, plan: &Plan, repeats: &[RunId]) -> Result<(), Problem> {
    let mut errors = Vec::new();
    for run in repeats {
        let Some((before, _)) = ctx.runs.plan(run).await? else { continue };
        for step in before.steps.iter().filter(|step| step.irreversible) {
            if is_same(step, plan.step(&step.name)) {
                continue;
            }
            if ctx.runs.intent(run, &step.name).await?.is_some() {
                errors.push(changed(run, &step.name));
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Problem::invalid(errors)) }
}

fn is_same(before: &PlanStep, now: Option<&PlanStep>) -> bool {
    let key = |step: &PlanStep| step.for_each.as_ref().map(|each| each.key.clone());
    now.is_some_and(|now| {
        now.action == before.action && now.params == before.params && key(now) == key(before)
    })
}

fn changed(run: &RunId, step: &str) -> FieldError {
    let message = format!(
        "`{step}` has sent something in {run}, and the playbook no longer has it, calls something else there, or names its items in another way"
    );
    FieldError::new("playbook", message).with_hint("start a new run, and leave out what was sent")
}
