//! What an irreversible step is about to do, as people see and sign it.

use countersign_approval::StepEffects;
use countersign_approval::ports::Signed;
use countersign_effect::{Effect, KeyOf, idempotency_key};
use countersign_failure::{Class, Failure};
use countersign_plan::PlanStep;
use countersign_registry::action::{ActionError, CallOf, EffectsOf};
use countersign_run::Head;

use crate::context::Context;
use crate::error::StepError;
use crate::for_each::Item;
use crate::prepare::Prepared;

/// The calls of an irreversible step: one, or one for each item of its list.
#[derive(Debug, Clone)]
pub(crate) struct StepCalls {
    /// What each sends.
    pub(crate) effects: Vec<Effect>,
    /// The idempotency key of each.
    pub(crate) keys: Vec<String>,
    /// What a signature has to cover.
    pub(crate) signed: StepEffects,
}

/// Why there are none.
pub(crate) enum NoEffect {
    /// The calls cannot be made as they stand.
    Failed(ActionError),
    /// It could not be found out now.
    Step(StepError),
}

impl StepCalls {
    /// The newest of these signatures, if it covers exactly these calls but for what people struck out. An older one does not
    /// come back to life: whoever signed later may have struck something out.
    pub(crate) fn covered_by<'s>(&self, found: &'s [Signed]) -> Option<&'s Signed> {
        newest(found).filter(|signature| signature.covered.is_of(&self.signed))
    }
}

/// The newest signature of a step.
pub(crate) fn newest(found: &[Signed]) -> Option<&Signed> {
    found.iter().max_by_key(|signature| signature.at)
}

/// What a step that makes one call is about to send. Gate and step both ask here.
pub(crate) async fn one_call(
    context: &Context,
    head: &Head,
    step: &PlanStep,
    prepared: &Prepared,
) -> Result<StepCalls, NoEffect> {
    describe(context, head, step, &[("", prepared)]).await
}

/// What a step over a list is about to send, in the list's order.
pub(crate) async fn calls_of(
    context: &Context,
    head: &Head,
    step: &PlanStep,
    items: &[Item],
) -> Result<StepCalls, NoEffect> {
    let calls: Vec<(&str, &Prepared)> =
        items.iter().map(|item| (item.key.as_str(), &item.prepared)).collect();
    describe(context, head, step, &calls).await
}

async fn describe(
    context: &Context,
    head: &Head,
    step: &PlanStep,
    calls: &[(&str, &Prepared)],
) -> Result<StepCalls, NoEffect> {
    let describer = context.describer.as_ref();
    let describer =
        describer.ok_or_else(|| NoEffect::Step(StepError::NoHandler(step.action.clone())))?;
    let mut keys = Vec::with_capacity(calls.len());
    for (item, prepared) in calls {
        keys.push(call_key(context, head, step, item, prepared).map_err(NoEffect::Failed)?);
    }
    let inputs: Vec<CallOf<'_>> = calls
        .iter()
        .zip(&keys)
        .map(|((_, prepared), key)| CallOf { inputs: &prepared.inputs, key })
        .collect();
    let nothing = serde_json::Map::new();
    let of = EffectsOf {
        owner: &head.owner,
        profile_id: &head.profile_id,
        action: &step.action,
        params: calls.first().map_or(&nothing, |(_, prepared)| &prepared.params),
        calls: &inputs,
        ahead: step.ahead.as_ref(),
    };
    let effects = describer.describe(&of).await.map_err(undescribed)?;
    let signed = StepEffects::of(&step.name, &step.action, &effects);
    let signed = signed.map_err(|error| unsignable(&error))?;
    Ok(StepCalls { effects, keys, signed })
}

/// The key of a call. A run that repeats another uses that one's keys.
///
/// # Errors
/// A terminal error when the arguments cannot be signed.
pub(crate) fn call_key(
    context: &Context,
    head: &Head,
    step: &PlanStep,
    item: &str,
    prepared: &Prepared,
) -> Result<String, ActionError> {
    let key = idempotency_key(&KeyOf {
        tenant: context.tenant.as_str(),
        origin_run: head.origin().as_str(),
        step: &step.name,
        item,
        arguments: &prepared.arguments(),
    });
    key.map_err(|error| ActionError::from_failure(&error))
}

fn unsignable(error: &dyn Failure) -> NoEffect {
    NoEffect::Failed(ActionError::from_failure(error))
}

fn undescribed(error: ActionError) -> NoEffect {
    match error.class {
        Class::Terminal => NoEffect::Failed(error),
        Class::Retryable => NoEffect::Step(StepError::Describing(error)),
    }
}
