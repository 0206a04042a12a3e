//! What a step is going to send, as far as it is known before it runs.

use countersign_plan::{ForEach, PlanStep};
use countersign_registry::Contract;
use countersign_registry::action::ActionError;
use countersign_store_runs::{EarlierCall, StepView};
use countersign_wiring::Scope;

use crate::context::Context;
use crate::earlier;
use crate::error::StepError;
use crate::for_each;
use crate::prepare::prepare;
use crate::sent_before;
use crate::signature::{NoEffect, StepCalls, calls_of, one_call};
use crate::step_end::StepEnd;

/// What a step is going to send.
pub(crate) struct Known {
    /// As it will itself compute it; none when there is nothing to send.
    pub(crate) calls: Option<StepCalls>,
    /// How the step ends when its one call was made before.
    pub(crate) ending: Option<StepEnd>,
    /// The calls of its list that were made before.
    pub(crate) before: Vec<EarlierCall>,
    /// What those who sign are told of it.
    pub(crate) remarks: Vec<String>,
}

pub(crate) async fn known_calls(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    scope: &Scope<'_>,
) -> Result<Known, NoEffect> {
    let contract = context.registry.get(&step.action);
    let contract =
        contract.ok_or_else(|| NoEffect::Step(StepError::NoHandler(step.action.clone())))?;
    if let Some(each) = &step.for_each {
        return known_list(context, view, step, each, contract, scope).await;
    }
    let prepared = prepare(step, contract, scope).map_err(|problems| {
        NoEffect::Failed(ActionError::terminal("STEP_INPUT_INVALID", problems.join("; ")))
    })?;
    let head = &view.head;
    let ending = earlier::ending(context, head, step, &prepared).await.map_err(NoEffect::Step)?;
    if let Some(ending) = ending {
        let message = ending.message.as_deref().unwrap_or_default();
        let remarks = vec![format!("`{}`: {message}", step.name)];
        return Ok(Known { calls: None, ending: Some(ending), before: Vec::new(), remarks });
    }
    let calls = one_call(context, head, step, &prepared).await?;
    let key = calls.keys.first().map(String::as_str);
    let remarks = sent_before::one_call(context, head, step, key).await;
    let remarks = remarks.map_err(NoEffect::Step)?;
    Ok(Known { calls: Some(calls), ending: None, before: Vec::new(), remarks })
}

async fn known_list(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    each: &ForEach,
    contract: &Contract,
    scope: &Scope<'_>,
) -> Result<Known, NoEffect> {
    let head = &view.head;
    let list = for_each::Calls::of(context, head, step, each, contract, scope).await?;
    let remarks = earlier::remarks(&context.runs, head, step, &list.before).await;
    let mut remarks = remarks.map_err(NoEffect::Step)?;
    if list.left.is_empty() {
        return Ok(Known { calls: None, ending: None, before: list.before, remarks });
    }
    let calls = calls_of(context, head, step, &list.left).await?;
    let failed = context.runs.earlier_failures(&head.repeats, &step.name).await;
    let failed = failed.map_err(|error| NoEffect::Step(error.into()))?;
    let again = list.left.iter().zip(&calls.keys);
    let again = again.filter_map(|(item, key)| Some((failed.get(&item.key)?, key)));
    remarks.extend(sent_before::of_list(&step.name, again));
    let calls = for_each::unrecorded(context, view, step, calls).await.map_err(NoEffect::Step)?;
    Ok(Known { calls: Some(calls), ending: None, before: list.before, remarks })
}
