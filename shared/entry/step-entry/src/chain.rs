//! Steps that follow each other in one invocation: those of a plan that the same function carries out, each the only one of its stage.
//!
//! Each is a step of its own: its outcome is written before the next begins, and whoever comes after an invocation that died goes on
//! where that stood. What an invocation saves is being invoked, and looking at the run again: what a look has read stands for at most two
//! seconds for steps that change nothing; any other step looks for itself ([ADR 55](../../../../docs/adr/0055-steps-follow-in-one-invocation.md)).
//!
//! Requests to DynamoDB beside those of the actions: 2 for the first step (look, end), 1 for each that follows and changes nothing. One that
//! writes makes 3, and one that follows a large result, a failure or a warning looks too.

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
use crate::protocol::{Decided, decide, look};
use crate::rights::may_go_by;
use crate::step_end::Recorded;

/// A step begins this long after the invocation did at most; later the machine invokes anew, so that each has nearly all of the function's
/// time, and goes by what was read a moment ago.
const GOES_ON: Duration = Duration::from_secs(2);

/// Results that steps behind read are held up to so many values and bytes of text; beyond that a step reads what it needs.
const MAX_HELD: (usize, usize) = (20_000, 1_000_000);

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
    let mut chain = Chain { context, held: Held::default(), was_tried: false, has_written: false };
    let mut last = None;
    let steps = std::iter::once(&event.step).chain(&event.then).enumerate();
    for (n, step) in steps.skip(event.done) {
        if chain.was_tried && begun.elapsed() > GOES_ON {
            return Ok(Answer::more(n));
        }
        let then = event.then.iter().skip(n).cloned().collect();
        let own = StepEvent { step: step.clone(), then, done: 0, ..event.clone() };
        match chain.one(&own, &later(invocation, begun)).await {
            Ok(envelope) => last = Some(envelope),
            Err(error) if chain.has_written => {
                let code = error.code();
                tracing::warn!(run = %event.run, step, code, "left to the next invocation");
                return Ok(Answer::more(n));
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

/// One invocation.
struct Chain<'c> {
    context: &'c Context,
    held: Held,
    /// Whether a step was tried, so that what was read grows old.
    was_tried: bool,
    /// Whether this invocation has written an outcome: then another that begins with what is left comes further.
    has_written: bool,
}

impl Chain<'_> {
    async fn one(
        &mut self,
        event: &StepEvent,
        invocation: &Invocation,
    ) -> Result<Envelope, StepError> {
        let context = self.context;
        if let Some(over) = self.held.over(&event.step) {
            return Ok(over);
        }
        let view = match self.held.view(context, &event.step) {
            Some(view) => view,
            None => look(context, event).await?,
        };
        if let Some(own) = view.own.clone() {
            let envelope = Envelope::from(&own);
            self.held.keep(view, own, &event.then);
            return Ok(envelope);
        }
        self.was_tried = true;
        let step = of(&view, &event.step)?;
        let ending = match decide(context, event, &view, step, invocation).await? {
            Decided::End(ending) => ending,
            Decided::Act(ready) => ready.act(context, event, &view.head, step, invocation).await?,
        };
        let ending = ending.with_missing_result(&view.plan, step);
        let is_plain = ending.is_plain();
        let recorded = ending.recorded(&context.runs, event, invocation.now).await?;
        let Recorded { outcome, is_new } = recorded;
        self.has_written |= is_new;
        let envelope = Envelope::from(&outcome);
        if is_new && is_plain {
            self.held.keep(view, outcome, &event.then);
        }
        Ok(envelope)
    }
}

/// The step, which the sealed plan has to allow here.
fn of<'v>(view: &'v StepView, name: &str) -> Result<&'v PlanStep, StepError> {
    let step = view.plan.step(name).ok_or_else(|| StepError::UnknownStep(name.to_owned()))?;
    match step.is_chained() {
        true => Ok(step),
        false => Err(StepError::Seal(PlanError::SealBroken)),
    }
}

/// What the next step may go by.
#[derive(Default)]
struct Held {
    view: Option<StepView>,
    values: usize,
    text: usize,
}

impl Held {
    /// What came of a step, where the last look found it over.
    fn over(&self, step: &str) -> Option<Envelope> {
        let (status, count) = self.view.as_ref()?.others.as_ref()?.over(step)?;
        Some(Envelope { status, count })
    }

    /// Takes what was read, if the step may go by it; else it is dropped, and the step looks for itself.
    fn view(&mut self, context: &Context, name: &str) -> Option<StepView> {
        let view = self.view.take()?;
        let is_open = view.others.as_ref().is_some_and(|others| others.is_open(name));
        let step = view.plan.step(name).filter(|_| is_open && view.head.stop.is_none());
        let goes = step.is_some_and(|step| may_go_by(context, step));
        if !goes {
            *self = Self::default();
        }
        goes.then_some(view)
    }

    /// Keeps what was read with an outcome; its result only where one of the steps behind reads it. Where that is too large nothing is kept.
    fn keep(&mut self, view: StepView, mut outcome: StepOutcome, behind: &[String]) {
        let behind = behind.iter().filter_map(|name| view.plan.step(name));
        if !behind.flat_map(|step| &step.reads).any(|read| *read == outcome.step) {
            outcome.output = Value::Null;
        }
        let mut left =
            (MAX_HELD.0.saturating_sub(self.values), MAX_HELD.1.saturating_sub(self.text));
        if fits(&outcome.output, &mut left).is_none() {
            *self = Self::default();
            return;
        }
        (self.values, self.text) = (MAX_HELD.0 - left.0, MAX_HELD.1 - left.1);
        let others = view.others.map(|others| others.and(outcome));
        self.view = Some(StepView { own: None, intent: None, asked: None, others, ..view });
    }
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
