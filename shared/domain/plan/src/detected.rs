//! Plans of monitors: what the look before the run has found stands in for the detection steps (F-220).

use countersign_registry::detects;
use serde_json::{Map, Value};

use crate::dry_run::COMPUTING;
use crate::model::{Plan, PlanStep, StandIn, StandInSource};

/// Why what a look has found is not what the plan's detection steps would find: the playbook was changed since.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DetectionMismatch {
    /// Nothing was found for this detection step.
    #[error("the monitor has found nothing for the step `{0}`")]
    Missing(String),
    /// Something was found for this, which is not a step that always looks: its items would count as processed.
    #[error(
        "the monitor has found something for `{0}`, which is not a detection step without a condition any more"
    )]
    Unused(String),
}

/// Gives the detection steps of a plan what was found; it is part of what is sealed.
///
/// # Errors
/// [`DetectionMismatch`] when a detection step has no finding, or a finding no such step.
pub fn detected(plan: &mut Plan, found: &Map<String, Value>) -> Result<(), DetectionMismatch> {
    let looks = |step: &PlanStep| {
        detects(&step.action) && step.condition.is_none() && step.for_each.is_none()
    };
    let is_used = |name: &String| plan.step(name).is_some_and(looks);
    if let Some(unused) = found.keys().find(|name| !is_used(name)) {
        return Err(DetectionMismatch::Unused(unused.clone()));
    }
    for step in plan.steps.iter_mut().filter(|step| detects(&step.action)) {
        let output = found.get(&step.name).and_then(Value::as_object).cloned();
        let output = output.ok_or_else(|| DetectionMismatch::Missing(step.name.clone()))?;
        COMPUTING.clone_into(&mut step.function);
        step.stand_in = Some(StandIn { source: StandInSource::Detected, output });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(found: &Value, condition: Option<&str>, expect: &Result<(), DetectionMismatch>) {
        let step = |name: &str, action: &str, condition: Option<&str>| {
            json!({
                "name": name, "kind": "tool", "action": action, "on_error": "stop", "after": [], "condition": condition,
            })
        };
        let mut plan: Plan = serde_json::from_value(json!({
            "version": 1, "tenant": "acme", "run": format!("run_{}", "1".repeat(32)),
            "owner": format!("user_{}", "2".repeat(32)), "profile": "prof_1", "context": "monitor",
            "playbook": { "id": "p", "version": "1.0.0", "digest": "" }, "inputs": {},
            "steps": [step("look", "detect_new_files", condition), step("keep", "save_to_workspace", None)],
        }))
        .unwrap();
        let given = detected(&mut plan, found.as_object().unwrap());
        assert_eq!(given, *expect, "{found}");
        let has = plan.step("look").unwrap().stand_in.is_some();
        assert_eq!(has, expect.is_ok(), "{found}");
    }

    #[test]
    fn f_220_each_finding_has_its_step_and_each_detection_step_its_finding() {
        let unused = |name: &str| Err(DetectionMismatch::Unused(name.to_owned()));
        check(&json!({"look": {}}), None, &Ok(()));
        check(&json!({}), None, &Err(DetectionMismatch::Missing("look".to_owned())));
        check(&json!({"look": {}, "gone": {}}), None, &unused("gone"));
        check(&json!({"look": {}, "keep": {}}), None, &unused("keep"));
        check(&json!({"look": {}}), Some("{a} == 1"), &unused("look"));
    }
}
