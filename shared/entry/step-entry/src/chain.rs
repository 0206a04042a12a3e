//! Steps that follow each other in one invocation: those of a plan that the same function carries out, each the only one of its stage.
//!
//! Each is a step of its own: its outcome is written before the next begins, and whoever comes after an invocation that died goes on
//! where that stood. What an invocation saves is being invoked, and looking at the run again: what a look has read stands for at most two
//! seconds for steps that change nothing; any other step looks for itself ([ADR 55](../../../../docs/adr/0055-steps-follow-in-one-invocation.md)).
//!
//! Requests to DynamoDB beside those of the actions: 2 for the first step (look, end), 1 for each that follows.

use std::time::Duration;

use countersign_failure::Failure as _;
use countersign_lambda_entry::Invocation;
use countersign_plan::{PlanError, PlanStep};
use countersign_store_runs::{StepOutcome, StepView};
use jiff::Timestamp;
use serde_json::Value;
use tokio::time::Instant;

use crate::context::Context;
use crate::error::StepError;
use crate::event::{Answer, Envelope, StepEvent};
use crate::held_back::without;
use crate::protocol::{Decided, decide, look};
use crate::rights::go_by_view;
use crate::step_end::Recorded;

/// A step begins this long after the invocation did at most; later the machine invokes anew, so that each has nearly all of the function's
/// time, and goes by what was read a moment ago.
const GOES_ON: Duration = Duration::from_secs(2);

/// The next step goes by a result of so many values and bytes of text at most; it reads a larger one, so that not all results of a chain
/// are held at once.
const MAX_VALUES: usize = 20_000;
const MAX_TEXT: usize = 1_000_000;

/// What came of one step.
struct Done {
    envelope: Envelope,
    /// Whether this invocation carried it out.
    is_new: bool,
    /// What the next step may go by.
    view: Option<StepView>,
}

/// Carries out the step of the event and those behind it.
///
/// # Errors
/// [`StepError`] when the first that is not over has no outcome to record.
pub(crate) async fn run(
    context: &Context,
    event: &StepEvent,
    invocation: &Invocation,
) -> Result<Answer, StepError> {
    let begun = Instant::now();
    let mut view = None;
    let mut is_done = false;
    let mut last = None;
    for (n, step) in std::iter::once(&event.step).chain(&event.then).enumerate() {
        if is_done && begun.elapsed() > GOES_ON {
            return Ok(Answer::more());
        }
        let then = event.then.iter().skip(n).cloned().collect();
        let own = StepEvent { step: step.clone(), then, ..event.clone() };
        match one(context, &own, view.take(), &later(invocation, begun)).await {
            Ok(done) => {
                is_done |= done.is_new;
                view = done.view;
                last = Some(done.envelope);
            }
            // The machine tries again as often as it does for a step alone.
            Err(error) if is_done => {
                tracing::warn!(run = %event.run, step, code = error.code(), "left to the next invocation");
                return Ok(Answer::more());
            }
            Err(error) => return Err(error),
        }
    }
    last.map(Answer::from).ok_or_else(|| StepError::UnknownStep(event.step.clone()))
}

/// The invocation as the step sees it that begins now.
fn later(invocation: &Invocation, begun: Instant) -> Invocation {
    Invocation {
        request_id: invocation.request_id.clone(),
        now: Timestamp::now(),
        remaining: invocation.remaining.saturating_sub(begun.elapsed()),
    }
}

async fn one(
    context: &Context,
    event: &StepEvent,
    known: Option<StepView>,
    invocation: &Invocation,
) -> Result<Done, StepError> {
    let view = match known.filter(|view| goes_by(context, view, &event.step)) {
        Some(view) => view,
        None => look(context, event).await?,
    };
    if let Some(own) = &view.own {
        let (envelope, own) = (Envelope::from(own), own.clone());
        return Ok(Done { envelope, is_new: false, view: with(view, own) });
    }
    let step = of(&view, &event.step)?;
    let ending = match decide(context, event, &view, step, invocation).await? {
        Decided::End(ending) => ending,
        Decided::Act(ready) => ready.act(context, event, &view.head, step, invocation).await?,
    };
    let ending = without(context, &view, step, ending).await?.told(&view.plan, step);
    let is_plain = ending.is_plain();
    let Recorded { outcome, is_new } =
        ending.recorded(&context.runs, event, invocation.now).await?;
    let envelope = Envelope::from(&outcome);
    let view = if is_new && is_plain { with(view, outcome) } else { None };
    Ok(Done { envelope, is_new, view })
}

/// The step, which the sealed plan has to allow here.
fn of<'v>(view: &'v StepView, name: &str) -> Result<&'v PlanStep, StepError> {
    let step = view.plan.step(name).ok_or_else(|| StepError::UnknownStep(name.to_owned()))?;
    match step.is_chained() {
        true => Ok(step),
        false => Err(StepError::Seal(PlanError::SealBroken)),
    }
}

/// Whether a step may go by what was read for the one before it.
fn goes_by(context: &Context, view: &StepView, name: &str) -> bool {
    let reads = |step: &PlanStep| {
        let contract = context.registry.get(&step.action);
        contract.is_some_and(|contract| go_by_view(step, contract) && !contract.uses_llm)
    };
    let is_open = view.others.as_ref().is_some_and(|others| others.is_open(name));
    is_open && view.head.stop.is_none() && view.plan.step(name).is_some_and(reads)
}

/// What was read, for the step that follows one with this outcome; none where it has to look for itself.
fn with(view: StepView, outcome: StepOutcome) -> Option<StepView> {
    let mut left = (MAX_VALUES, MAX_TEXT);
    fits(&outcome.output, &mut left)?;
    let others = view.others.map(|others| others.and(outcome));
    Some(StepView { own: None, intent: None, asked: None, others, ..view })
}

/// Takes a value from what is left of values and of bytes of text; none where it does not fit.
fn fits(value: &Value, left: &mut (usize, usize)) -> Option<()> {
    left.0 = left.0.checked_sub(1)?;
    match value {
        Value::String(text) => left.1 = left.1.checked_sub(text.len())?,
        Value::Array(items) => items.iter().try_for_each(|item| fits(item, left))?,
        Value::Object(fields) => {
            for (name, value) in fields {
                left.1 = left.1.checked_sub(name.len())?;
                fits(value, left)?;
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::fits;

    #[test]
    fn a_result_is_kept_for_the_next_step_up_to_its_size() {
        let value = json!({ "rows": [{ "a": "xyz" }, { "a": 1.5 }, null] });
        // The object, the list, three rows, two values; `rows`, `a` twice, and `xyz`.
        let (values, text) = (7, 9);
        assert!(fits(&value, &mut (values, text)).is_some());
        assert!(fits(&value, &mut (values - 1, text)).is_none());
        assert!(fits(&value, &mut (values, text - 1)).is_none());
    }
}
