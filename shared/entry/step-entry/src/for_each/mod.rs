//! Steps that make one call for each item of a list.
//!
//! One invocation makes as many calls as its time allows, in waves: a transaction notes the calls of a wave and checks that
//! the run goes on, the calls are made side by side, a second transaction says what came of them. A crash therefore leaves
//! one wave of unknown outcome at most. When time runs out the machine invokes the step again, which goes on with what has
//! no record yet.
//!
//! Requests to DynamoDB beside those of the action: an invocation 7 (look, results, rights, signatures, connector, records of
//! calls, end), 6 where its plan is known, and a wave 2.

mod answers;
mod list;
mod plan;
mod summary;
mod waves;

use countersign_lambda_entry::Invocation;
use countersign_plan::{ForEach, PlanStep};
use countersign_registry::Contract;
use countersign_registry::action::ActionError;
use countersign_run::{EFFECT_UNKNOWN, Head, StepStatus};
use countersign_store_runs::{EarlierCall, StepView};
use countersign_wiring::Scope;

use crate::context::Context;
use crate::dry_run;
use crate::earlier;
use crate::error::StepError;
use crate::event::{Answer, StepEvent};
use crate::protocol::{Begun, begin};
use crate::replay;
use crate::rights::refused_now;
use crate::signature::{NoEffect, StepCalls, calls_of};
use crate::step_end::StepEnd;
use crate::warned::informed;

pub(crate) use answers::unknown_calls;
pub(crate) use list::Item;
use plan::Made;
use waves::Waves;

/// The code of a step over a list without items.
const EMPTY: &str = "FOR_EACH_EMPTY";

/// The calls of a step over a list.
pub(crate) struct Calls {
    /// Those to make, in the order of the list.
    pub(crate) left: Vec<Item>,
    /// Those that runs which this one repeats have made, or may have.
    pub(crate) before: Vec<EarlierCall>,
}

impl Calls {
    /// Resolves them.
    ///
    /// # Errors
    /// [`NoEffect`] when they cannot be made as they stand, or could not be found out now.
    pub(crate) async fn of(
        context: &Context,
        head: &Head,
        step: &PlanStep,
        each: &ForEach,
        contract: &Contract,
        scope: &Scope<'_>,
    ) -> Result<Self, NoEffect> {
        let list = list::items(step, each, contract, scope).map_err(NoEffect::Failed)?;
        let earlier = context.runs.earlier_calls(&head.repeats, &step.name).await;
        let earlier = earlier.map_err(|error| NoEffect::Step(error.into()))?;
        let split = earlier::split(context, head, step, list, earlier);
        let (left, before) = split.map_err(NoEffect::Failed)?;
        Ok(Self { left, before })
    }
}

/// Makes the calls of the step that have not been made.
pub(crate) async fn run(
    context: &Context,
    event: &StepEvent,
    view: &StepView,
    step: &PlanStep,
    each: &ForEach,
    invocation: &Invocation,
) -> Result<Answer, StepError> {
    let started = tokio::time::Instant::now();
    let made = Made::read(context, view, step).await?;
    let ready = match begin(context, view, step).await? {
        Begun::End(ending) => Err(ending),
        Begun::Go { contract, scope } => ready(context, view, step, each, contract, &scope).await?,
    };
    let Ready { contract, list, calls } = match ready {
        Ok(ready) if made.fits(&ready.list.left) => ready,
        other => {
            let ending = other.err().unwrap_or_else(|| not_the_list(step));
            let ending = summary::of_records(context, step, &made, ending).await?;
            let ending = ending.with_missing_result(&view.plan, step);
            return Ok(ending.record(&context.runs, event, invocation.now).await?.into());
        }
    };
    let (list, calls) = (&list, &calls);
    let waves =
        Waves { context, event, view, step, each, contract, list, calls, invocation, started };
    proceed(&waves, made).await
}

/// Takes the answers of people into the records, and makes what is allowed.
async fn proceed(waves: &Waves<'_>, mut made: Made) -> Result<Answer, StepError> {
    let Waves { context, event, view, step, calls, .. } = *waves;
    let signatures = context.signatures.as_ref();
    let signatures = signatures.ok_or_else(|| StepError::NoHandler(step.action.clone()))?.as_ref();
    let settled = answers::settle(context, signatures, &event.run, step, calls, &mut made).await?;
    let found = informed(view, step, signatures.signed(&event.run, &step.name).await?);
    let mut allowed = plan::allowed(calls, &made, &found);
    if !settled.changed.is_empty() {
        return waves.end(&made, &allowed.struck, Some(changed(&settled.changed))).await;
    }
    allowed.now.extend(settled.again);
    if allowed.now.is_empty() && allowed.is_unsigned && !waves.failed(&made) {
        return Err(StepError::NeedsSignature(step.name.clone()));
    }
    waves.make(made, &allowed).await
}

/// Calls that may be made once they are signed.
struct Ready<'a> {
    contract: &'a Contract,
    list: Calls,
    calls: StepCalls,
}

/// What is decided before anything is signed or sent; an ending means that nothing is.
async fn ready<'a>(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    each: &ForEach,
    contract: &'a Contract,
    scope: &Scope<'_>,
) -> Result<Result<Ready<'a>, StepEnd>, StepError> {
    let list = match Calls::of(context, &view.head, step, each, contract, scope).await {
        Ok(list) => list,
        Err(error) => return not_ready(step, error),
    };
    if list.left.is_empty() {
        return Ok(Err(nothing_to_do(context, step, &list.before).await?));
    }
    if let Some(error) = refused_now(context, &view.head, step, contract).await? {
        return Ok(Err(StepEnd::failed(step, &error).stopping()));
    }
    if let Some(ending) = replay::ending(context, &view.head, step, contract, ("", None)).await? {
        return Ok(Err(ending));
    }
    if view.head.dry_run.is_some()
        && let Some(ending) = dry_run::ending_of_items(step, contract, &list.left)
    {
        return Ok(Err(ending));
    }
    match calls_of(context, &view.head, step, &list.left).await {
        Ok(calls) => Ok(Ok(Ready { contract, list, calls })),
        Err(error) => not_ready(step, error),
    }
}

fn not_ready<T>(step: &PlanStep, error: NoEffect) -> Result<Result<T, StepEnd>, StepError> {
    match error {
        NoEffect::Step(error) => Err(error),
        NoEffect::Failed(error) => Ok(Err(StepEnd::failed(step, &error))),
    }
}

/// How a step ends whose list is empty, or has nothing left to do.
///
/// # Errors
/// [`StepError`] when what the earlier calls answered cannot be read now.
pub(crate) async fn nothing_to_do(
    context: &Context,
    step: &PlanStep,
    before: &[EarlierCall],
) -> Result<StepEnd, StepError> {
    if before.is_empty() {
        Ok(empty(step))
    } else {
        summary::of_earlier(context, step, before).await
    }
}

/// How a step ends whose list is empty.
fn empty(step: &PlanStep) -> StepEnd {
    let list = step.for_each.as_ref().map_or("", |each| each.list.as_str());
    let message = format!("`{{{list}}}` has no items");
    StepEnd::without_output(StepStatus::Skipped, EMPTY, message)
}

/// Calls were to be made again, and would be others now.
fn changed(items: &[String]) -> StepEnd {
    let message = format!(
        "items {} were to be sent again; nothing was, because the step would send something else now",
        items.join(", ")
    );
    StepEnd::not_run(EFFECT_UNKNOWN, message)
}

/// The records are of other items than those of the list.
fn not_the_list(step: &PlanStep) -> StepEnd {
    let message = "the list is not the one whose calls were begun; nothing more is sent";
    StepEnd::failed(step, &ActionError::terminal("FOR_EACH_CHANGED", message)).stopping()
}

/// The effects of the calls that are neither begun nor struck out: what people sign when the step asks for itself.
pub(crate) async fn unrecorded(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    calls: StepCalls,
) -> Result<StepCalls, StepError> {
    let made = Made::read(context, view, step).await?;
    let rest = made.rest(calls.signed.texts.len());
    Ok(StepCalls { signed: plan::left(&calls, &rest), ..calls })
}

/// How a step over a list ends that is not run any further: what was sent is told, whatever ended it.
pub(crate) async fn closed(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    ending: StepEnd,
) -> Result<StepEnd, StepError> {
    let made = Made::read(context, view, step).await?;
    summary::of_records(context, step, &made, ending).await
}

#[cfg(test)]
mod tests;
