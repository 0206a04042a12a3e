//! One run of a step: the protocol for a single call, for each item of a list, or for a turn of a model with tools.

use countersign_lambda_entry::Invocation;

use crate::chain;
use crate::context::Context;
use crate::error::StepError;
use crate::event::{Answer, Envelope, StepEvent};
use crate::for_each;
use crate::protocol::{Decided, decide, look};
use crate::turns::{Turn, call_tools};

/// Runs a step once, whatever happened before.
///
/// # Errors
/// [`StepError`] when there is no outcome to record: the machine tries again, asks people, or calls the step lost.
pub async fn run_step(
    context: &Context,
    event: &StepEvent,
    invocation: &Invocation,
) -> Result<Answer, StepError> {
    if !event.then.is_empty() {
        return chain::run(context, event, invocation).await;
    }
    let view = look(context, event).await?;
    if let Some(own) = &view.own {
        return Ok(Envelope::from(own).into());
    }
    let step =
        view.plan.step(&event.step).ok_or_else(|| StepError::UnknownStep(event.step.clone()))?;
    if view.intent.as_ref().is_some_and(|intent| intent.is_leased(invocation.now)) {
        return Err(StepError::Busy(step.name.clone()));
    }
    if let Some(calls) = event.calls() {
        return call_tools(context, event, &calls, &view, step, invocation).await;
    }
    if let Some(each) = &step.for_each {
        return for_each::run(context, event, &view, step, each, invocation).await;
    }
    let ending = match decide(context, event, &view, step, invocation).await? {
        Decided::End(ending) => match &view.intent {
            Some(intent) => ending.unknown(step, intent),
            None => ending,
        },
        Decided::Act(ready) => {
            if let Some(tools) = &step.tools {
                let turn = Turn { context, event, view: &view, step, tools, invocation };
                return turn.run(*ready).await;
            }
            ready.act(context, event, &view.head, step, invocation).await?
        }
    };
    let ending = ending.with_missing_result(&view.plan, step);
    Ok(ending.record(&context.runs, event, invocation.now).await?.into())
}
