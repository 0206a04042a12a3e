//! Plans of monitors: what the look before the run has found stands in for the detection steps (F-220).

use countersign_registry::detects;
use serde_json::{Map, Value};

use crate::dry_run::COMPUTING;
use crate::model::{Plan, StandIn, StandInSource};

/// Gives the detection steps of a plan what was found; it is part of what is sealed.
///
/// # Errors
/// The first detection step that nothing was found for: the playbook was changed since the look.
pub fn detected(plan: &mut Plan, found: &Map<String, Value>) -> Result<(), String> {
    for step in plan.steps.iter_mut().filter(|step| detects(&step.action)) {
        let output = found.get(&step.name).and_then(Value::as_object).cloned();
        let output = output.ok_or_else(|| step.name.clone())?;
        COMPUTING.clone_into(&mut step.function);
        step.stand_in = Some(StandIn { source: StandInSource::Detected, output });
    }
    Ok(())
}
