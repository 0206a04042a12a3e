//! What an irreversible step is about to do, as people see and sign it.

use countersign_approval::{Digest, Effect, Tenant};
use countersign_plan::PlanStep;

use crate::error::StepError;
use crate::prepare::Prepared;

/// What a step is about to do.
pub(crate) fn effect(step: &PlanStep, prepared: &Prepared) -> Effect {
    Effect { step: step.name.clone(), action: step.action.clone(), arguments: prepared.arguments() }
}

/// The digest a signature must cover before the step may act.
pub(crate) fn effect_digest(
    step: &PlanStep,
    prepared: &Prepared,
    tenant: &Tenant,
) -> Result<Digest, StepError> {
    effect(step, prepared).digest(tenant).map_err(|error| StepError::Unsignable {
        step: step.name.clone(),
        reason: error.to_string(),
    })
}
