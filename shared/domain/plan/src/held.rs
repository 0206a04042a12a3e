//! What a gate holds back.

use serde_json::Value;

use crate::{Plan, PlanStep, StepKind};

impl Plan {
    /// The steps that wait for a gate, also behind further gates, which are left out; a step that asks for itself holds itself back.
    pub fn held_by<'p>(&'p self, asking: &'p PlanStep) -> impl Iterator<Item = &'p PlanStep> {
        self.steps.iter().filter(move |step| match asking.kind {
            StepKind::Gate => step.kind != StepKind::Gate && self.is_behind(step, &asking.name),
            StepKind::Tool | StepKind::GatedTool => step.name == asking.name,
        })
    }

    /// Whether a gate guards a step, or the gate that does.
    fn is_behind(&self, step: &PlanStep, gate: &str) -> bool {
        let Some(guard) = step.guard.as_deref() else { return false };
        guard == gate || self.step(guard).is_some_and(|guard| self.is_behind(guard, gate))
    }
}

impl PlanStep {
    /// Its action, or the endpoint that it calls: `gmail/reply_to_message`.
    #[must_use]
    pub fn tool_name(&self) -> String {
        let param = |name: &str| self.params.get(name).and_then(Value::as_str);
        match (param("connector"), param("endpoint")) {
            (Some(connector), Some(endpoint)) => format!("{connector}/{endpoint}"),
            _ => self.action.clone(),
        }
    }

    /// Whether the items of its list have no name of their own: their keys are their numbers.
    #[must_use]
    pub fn has_numbered_items(&self) -> bool {
        self.for_each.as_ref().is_some_and(|each| each.key.is_none())
    }
}
