//! What a model is told when somebody who was to sign what it wrote asked for changes.

use countersign_plan::PlanStep;
use countersign_registry::action::{Change, Rewrite};
use countersign_run::Head;
use countersign_store_runs::AskedChange;
use serde_json::Value;

use crate::context::Context;
use crate::error::StepError;

/// Every change that was asked for of this step, with what it wrote last; none in a first round.
pub(crate) async fn rewrite(
    context: &Context,
    head: &Head,
    step: &PlanStep,
) -> Result<Option<Box<Rewrite>>, StepError> {
    if !head.is_done_again(&step.name) {
        return Ok(None);
    }
    let mut asked = context.runs.revisions(&head.run).await?;
    asked.retain(|change| change.steps.contains(&step.name));
    if asked.is_empty() {
        return Ok(None);
    }
    let before = written_last(context, head, step, &asked).await?;
    let change = |asked: AskedChange| Change {
        is_instead: asked.is_instead,
        instructions: asked.instructions,
    };
    Ok(Some(Box::new(Rewrite { before, changes: asked.into_iter().map(change).collect() })))
}

/// What it wrote the last time that it wrote something.
async fn written_last(
    context: &Context,
    head: &Head,
    step: &PlanStep,
    asked: &[AskedChange],
) -> Result<Value, StepError> {
    for change in asked.iter().rev() {
        let before = context.runs.replaced(&head.run, &step.name, change.attempt).await?;
        if !before.is_null() {
            return Ok(before);
        }
    }
    Ok(Value::Null)
}
