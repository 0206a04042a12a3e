//! Steps that make one call for each item of a list.
//!
//! One invocation makes as many calls as its time allows, in waves: a transaction notes the calls of a wave and checks that
//! the run goes on, the calls are made side by side, a second transaction says what came of them. A crash therefore leaves
//! one wave of unknown outcome at most. When time runs out the machine invokes the step again, which goes on with what has
//! no record yet.
//!
//! Requests to DynamoDB beside those of the action: an invocation 7 (look, results, rights, signatures, connector, records
//! of calls, end), a wave 2.

mod list;
mod plan;
mod summary;
mod waves;

use countersign_lambda_entry::Invocation;
use countersign_plan::{ForEach, PlanStep};
use countersign_registry::Contract;
use countersign_run::StepStatus;
use countersign_store_runs::StepView;
use countersign_wiring::Scope;

use crate::context::Context;
use crate::dry_run;
use crate::ending::Ending;
use crate::error::StepError;
use crate::event::{Answer, StepEvent};
use crate::protocol::{Begun, begin, refused};
use crate::signature::{NoEffect, calls_of};

pub(crate) use list::{Item, items};
use plan::Made;
pub(crate) use summary::Summary;
use waves::Waves;

/// The code of a step over a list without items.
const EMPTY: &str = "FOR_EACH_EMPTY";

/// Makes the calls of the step that have not been made.
pub(crate) async fn run(
    context: &Context,
    event: &StepEvent,
    view: &StepView,
    step: &PlanStep,
    each: &ForEach,
    invocation: &Invocation,
) -> Result<Answer, StepError> {
    let made = Made::read(context, view, step).await?;
    let started = tokio::time::Instant::now();
    let ending = match begin(context, view, step).await? {
        Begun::End(ending) => Err(ending),
        Begun::Go { contract, scope } => {
            prepare(context, view, step, each, contract, &scope).await?.map(|list| (contract, list))
        }
    };
    let (contract, list) = match ending {
        Ok(ready) => ready,
        Err(ending) => {
            let ending = Summary::of(&made).ending(context, step, Some(ending)).await?;
            return Ok(ending.record(&context.runs, event, invocation.now).await?.into());
        }
    };
    let calls = match calls_of(context, &view.head, step, &list).await {
        Ok(calls) => calls,
        Err(NoEffect::Step(error)) => return Err(error),
        Err(NoEffect::Failed(error)) => {
            let failed = Some(Ending::failed(step, &error));
            let ending = Summary::of(&made).ending(context, step, failed).await?;
            return Ok(ending.record(&context.runs, event, invocation.now).await?.into());
        }
    };
    let signatures = context.signatures.as_ref();
    let signatures = signatures.ok_or_else(|| StepError::NoHandler(step.action.clone()))?;
    let found = signatures.signed(&event.run, &step.name).await?;
    if made.in_doubt() {
        return Err(StepError::InDoubt(step.name.clone()));
    }
    let Some(allowed) = plan::allowed(&calls, &made, &found) else {
        return Err(StepError::NeedsSignature(step.name.clone()));
    };
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

/// What is decided before anything is signed or sent; an ending means that nothing is.
async fn prepare(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    each: &ForEach,
    contract: &Contract,
    scope: &Scope,
) -> Result<Result<Vec<Item>, Ending>, StepError> {
    let list = match items(step, each, contract, scope) {
        Ok(list) => list,
        Err(error) => return Ok(Err(Ending::failed(step, &error))),
    };
    if list.is_empty() {
        return Ok(Err(nothing_to_do(step)));
    }
    if let Some(error) = refused(context, &view.head, step, contract).await? {
        return Ok(Err(Ending::failed(step, &error).stopping()));
    }
    if view.head.dry_run.is_some()
        && let Some(ending) = dry_run::ending_of_items(step, contract, &list)
    {
        return Ok(Err(ending));
    }
    Ok(Ok(list))
}

/// How a step over an empty list ends.
pub(crate) fn nothing_to_do(step: &PlanStep) -> Ending {
    let list = step.for_each.as_ref().map_or("", |each| each.list.as_str());
    let message = format!("`{{{list}}}` has no items");
    Ending::without_output(StepStatus::Skipped, EMPTY, message)
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
