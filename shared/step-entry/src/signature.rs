//! What an irreversible step is about to do, as people see and sign it.

use countersign_approval::StepEffects;
use countersign_effect::{Effect, KeyOf, idempotency_key};
use countersign_failure::{Class, Failure};
use countersign_plan::PlanStep;
use countersign_registry::action::{ActionError, EffectOf};
use countersign_run::Head;

use crate::context::Context;
use crate::error::StepError;
use crate::prepare::Prepared;

/// The one call of an irreversible step.
#[derive(Debug, Clone)]
pub(crate) struct StepEffect {
    /// What it sends.
    pub(crate) effect: Effect,
    /// The key it carries.
    pub(crate) key: String,
    /// What a signature has to cover.
    pub(crate) signed: StepEffects,
}

/// Why there is none.
pub(crate) enum NoEffect {
    /// The call cannot be made as it stands.
    Failed(ActionError),
    /// It could not be found out now.
    Step(StepError),
}

/// What a step is about to send. Gate and step both ask here.
pub(crate) async fn step_effect(
    context: &Context,
    head: &Head,
    step: &PlanStep,
    prepared: &Prepared,
) -> Result<StepEffect, NoEffect> {
    let unsignable = |error: &dyn Failure| NoEffect::Failed(ActionError::from_failure(error));
    let describer = context.describer.as_ref();
    let describer =
        describer.ok_or_else(|| NoEffect::Step(StepError::NoHandler(step.action.clone())))?;
    let arguments = prepared.arguments();
    let key = idempotency_key(&KeyOf {
        tenant: context.tenant.as_str(),
        origin_run: head.run.as_str(),
        step: &step.name,
        item: "",
        arguments: &arguments,
    })
    .map_err(|error| unsignable(&error))?;
    let of = EffectOf {
        owner: &head.owner,
        profile_id: &head.profile_id,
        action: &step.action,
        inputs: &prepared.inputs,
        params: &prepared.params,
        key: &key,
        ahead: step.ahead.as_ref(),
    };
    let effect = describer.describe(&of).await.map_err(undescribed)?;
    let signed = StepEffects::one(&step.name, &step.action, &effect);
    let signed = signed.map_err(|error| unsignable(&error))?;
    Ok(StepEffect { effect, key, signed })
}

fn undescribed(error: ActionError) -> NoEffect {
    match error.class {
        Class::Terminal => NoEffect::Failed(error),
        Class::Retryable => NoEffect::Step(StepError::Describing(error)),
    }
}
