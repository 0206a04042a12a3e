//! Steps that make one call for each item of a list.
//!
//! One invocation makes as many calls as its time allows, in waves: a transaction notes the calls of a wave and checks that
//! the run goes on, the calls are made side by side, a second transaction says what came of them. A crash therefore leaves
//! one wave of unknown outcome at most. When time runs out the machine invokes the step again, which goes on with what has
//! no record yet.
//!
//! Requests to DynamoDB beside those of the action: an invocation 7 (look, results, rights, signatures, connector, records
//! of calls, end), a wave 2.

mod answers;
mod list;
mod plan;
mod summary;
mod waves;

use std::collections::BTreeSet;

use countersign_lambda_entry::Invocation;
use countersign_plan::{ForEach, PlanStep};
use countersign_registry::Contract;
use countersign_registry::action::ActionError;
use countersign_run::{EFFECT_UNKNOWN, Head, StepStatus};
use countersign_store_runs::StepView;
use countersign_wiring::Scope;

use crate::context::Context;
use crate::dry_run;
use crate::earlier::{self, Before};
use crate::ending::Ending;
use crate::error::StepError;
use crate::event::{Answer, StepEvent};
use crate::protocol::{Begun, begin, refused};
use crate::signature::{NoEffect, StepCalls, calls_of};

pub(crate) use answers::unknown_calls;
pub(crate) use list::Item;
use plan::Made;
pub(crate) use summary::Summary;
use waves::Waves;

/// The code of a step over a list without items.
const EMPTY: &str = "FOR_EACH_EMPTY";

/// The calls of a step over a list.
pub(crate) struct Calls {
    /// Those to make, in the order of the list.
    pub(crate) left: Vec<Item>,
    /// Those that runs which this one repeats have made, or may have.
    pub(crate) before: Vec<Before>,
}

impl Calls {
    /// Resolves them. The inner error is for the step: its calls cannot be made as they stand.
    pub(crate) async fn of(
        context: &Context,
        head: &Head,
        step: &PlanStep,
        each: &ForEach,
        contract: &Contract,
        scope: &Scope,
    ) -> Result<Result<Self, ActionError>, StepError> {
        let list = match list::items(step, each, contract, scope) {
            Ok(list) => list,
            Err(error) => return Ok(Err(error)),
        };
        let before = earlier::calls(&context.runs, head, step).await?;
        let (left, before) = earlier::split(list, before);
        Ok(Ok(Self { left, before }))
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
    let mut made = Made::read(context, view, step).await?;
    let ready = match begin(context, view, step).await? {
        Begun::End(ending) => Err(ending),
        Begun::Go { contract, scope } => ready(context, view, step, each, contract, &scope).await?,
    };
    let Ready { contract, list, calls } = match ready {
        Ok(ready) => ready,
        Err(ending) => {
            let ending = Summary::of(&made).ending(context, step, Some(ending)).await?;
            return Ok(ending.record(&context.runs, event, invocation.now).await?.into());
        }
    };
    let signatures = context.signatures.as_ref();
    let signatures = signatures.ok_or_else(|| StepError::NoHandler(step.action.clone()))?;
    let settled =
        answers::settle(context, signatures.as_ref(), &event.run, step, &calls, &mut made).await?;
    if !settled.changed.is_empty() {
        let summary = Summary::of_list(&made, &list, &BTreeSet::new());
        let ending = summary.ending(context, step, Some(changed(&settled.changed))).await?;
        return Ok(ending.record(&context.runs, event, invocation.now).await?.into());
    }
    let found = signatures.signed(&event.run, &step.name).await?;
    let Some(mut allowed) = plan::allowed(&calls, &made, &found) else {
        return Err(StepError::NeedsSignature(step.name.clone()));
    };
    allowed.now.extend(settled.again);
    let waves = Waves {
        context,
        event,
        view,
        step,
        each,
        contract,
        list: &list,
        calls: &calls,
        invocation,
        started,
    };
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
    scope: &Scope,
) -> Result<Result<Ready<'a>, Ending>, StepError> {
    let failed = |error: &ActionError| Ok(Err(Ending::failed(step, error)));
    let list = match Calls::of(context, &view.head, step, each, contract, scope).await? {
        Ok(list) => list,
        Err(error) => return failed(&error),
    };
    if list.left.is_empty() {
        return Ok(Err(nothing_to_do(step, &list.before)));
    }
    if let Some(error) = refused(context, &view.head, step, contract).await? {
        return Ok(Err(Ending::failed(step, &error).stopping()));
    }
    if view.head.dry_run.is_some()
        && let Some(ending) = dry_run::ending_of_items(step, contract, &list.left)
    {
        return Ok(Err(ending));
    }
    match calls_of(context, &view.head, step, &list.left).await {
        Ok(calls) => Ok(Ok(Ready { contract, list, calls })),
        Err(NoEffect::Step(error)) => Err(error),
        Err(NoEffect::Failed(error)) => failed(&error),
    }
}

/// How a step ends whose list is empty, or has nothing left to do.
pub(crate) fn nothing_to_do(step: &PlanStep, before: &[Before]) -> Ending {
    if before.is_empty() {
        let list = step.for_each.as_ref().map_or("", |each| each.list.as_str());
        let message = format!("`{{{list}}}` has no items");
        return Ending::without_output(StepStatus::Skipped, EMPTY, message);
    }
    Summary::of_before(before).of_nothing(step)
}

/// Calls were to be made again, and would be others now.
fn changed(items: &[String]) -> Ending {
    let message = format!(
        "items {} were to be sent again; nothing was, because the step would send something else now",
        items.join(", ")
    );
    Ending::not_run(EFFECT_UNKNOWN, message)
}

/// The effects of the calls that have no record: what people sign when the step asks for itself.
pub(crate) async fn unrecorded(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    calls: StepCalls,
) -> Result<StepCalls, StepError> {
    let made = Made::read(context, view, step).await?;
    let rest: Vec<u32> =
        (0..).take(calls.signed.texts.len()).filter(|n| !made.calls.contains_key(n)).collect();
    Ok(StepCalls { signed: plan::left(&calls, &rest), ..calls })
}

/// How a step over a list ends that is not run any further: what was sent is told, whatever ended it.
pub(crate) async fn closed(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    ending: Ending,
) -> Result<Ending, StepError> {
    let made = Made::read(context, view, step).await?;
    Summary::of(&made).ending(context, step, Some(ending)).await
}

#[cfg(test)]
mod tests;
