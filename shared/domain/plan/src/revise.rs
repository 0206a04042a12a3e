//! What is done again when somebody asks for changes at a gate.

use std::collections::BTreeSet;

use countersign_playbook::MAX_DONE_AGAIN;

use crate::{Plan, PlanStep, StepKind};

impl Plan {
    /// The steps that are carried out again when these steps of models are rewritten at a gate: they themselves, and those
    /// before the gate that use their results. None when one of them cannot simply be done again; compiling a playbook has
    /// refused that.
    #[must_use]
    pub fn done_again(&self, gate: &str, revised: &[String]) -> Option<Vec<String>> {
        let before = self.before(gate);
        let mut again: BTreeSet<&str> = revised.iter().map(String::as_str).collect();
        // Steps use results of earlier ones only, and stand behind them.
        for step in &self.steps {
            let uses = step.reads.iter().any(|read| again.contains(read.as_str()));
            if uses && before.contains(step.name.as_str()) {
                again.insert(&step.name);
            }
        }
        let is_again = |step: &&PlanStep| again.contains(step.name.as_str());
        let steps: Vec<&PlanStep> = self.steps.iter().filter(is_again).collect();
        let can_be =
            |step: &&PlanStep| before.contains(step.name.as_str()) && can_be_done_again(step);
        let all = steps.len() == again.len() && steps.iter().all(can_be);
        (all && steps.len() <= MAX_DONE_AGAIN)
            .then(|| steps.iter().map(|step| step.name.clone()).collect())
    }
}

/// Whether nothing stays of a step but its result.
fn can_be_done_again(step: &PlanStep) -> bool {
    step.kind == StepKind::Tool && !step.irreversible && step.tools.is_none()
}
