//! Steps that end without acting: their answer is known, or they belong to a test.

use countersign_lambda_entry::Invocation;
use countersign_plan::PlanStep;
use countersign_registry::Contract;
use countersign_registry::action::ActionError;
use countersign_run::Head;
use serde_json::Value;

use crate::call::call;
use crate::context::Context;
use crate::error::StepError;
use crate::prepare::Prepared;
use crate::step_end::StepEnd;
use crate::{dry_run, earlier, replay};

/// A step that may not have to act.
#[derive(Clone, Copy)]
pub(crate) struct Unacted<'a> {
    pub(crate) contract: &'a Contract,
    pub(crate) prepared: &'a Prepared,
    /// Whether its model is to rewrite what it wrote: then no earlier answer is taken.
    pub(crate) is_rewritten: bool,
}

/// How a step ends that need not act: an earlier run has the same answer of its model, its monitor has found its output, or a test
/// leaves it out. None when it has to act.
pub(crate) async fn known_end(
    context: &Context,
    head: &Head,
    step: &PlanStep,
    of: Unacted<'_>,
    invocation: &Invocation,
) -> Result<Option<StepEnd>, StepError> {
    let Unacted { contract, prepared, is_rewritten } = of;
    if contract.uses_llm
        && !is_rewritten
        && let Some(ending) = earlier::answer(context, head, step, prepared).await?
    {
        return Ok(Some(ending));
    }
    if head.from_monitor.is_some()
        && let Some(ending) = dry_run::detected(step, prepared)
    {
        return Ok(Some(ending));
    }
    if head.dry_run.is_none() {
        return Ok(None);
    }
    let asked = match asked(context, head, step, contract, prepared, invocation) {
        Ok(asked) => asked,
        Err(error) => return Ok(Some(StepEnd::failed(step, &error))),
    };
    let replayed = (prepared.hash.as_str(), asked.as_ref());
    let ending = replay::ending(context, head, step, contract, replayed).await?;
    Ok(ending.or_else(|| dry_run::ending(step, contract, prepared, asked)))
}

/// What a test would ask a model; none for a step without one.
fn asked(
    context: &Context,
    head: &Head,
    step: &PlanStep,
    contract: &Contract,
    prepared: &Prepared,
    invocation: &Invocation,
) -> Result<Option<Value>, ActionError> {
    let Some(action) = context.action(&step.action).filter(|_| contract.uses_llm) else {
        return Ok(None);
    };
    let tools = step.tools.as_ref().map(|tools| tools.contracts(&context.registry));
    let call = call(head, step, prepared.clone(), invocation.now, invocation.remaining);
    action.foresee(&call, tools.unwrap_or_default())
}
