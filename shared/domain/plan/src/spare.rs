//! Steps that the others can do without.

use std::collections::BTreeSet;

use countersign_playbook::OutputDecl;
use countersign_registry::Action as _;
use countersign_registry::actions::extract_facts::ExtractFacts;

use countersign_wiring::references;

use crate::model::{Plan, PlanStep};

impl Plan {
    /// Whether a step only looks for facts about whoever asks, and neither another step nor the output shows what it finds: nothing
    /// that the run gives back is based on it.
    #[must_use]
    pub fn is_beside_the_answer(&self, step: &PlanStep) -> bool {
        let is_read = self.steps.iter().any(|other| other.reads.contains(&step.name));
        step.action == ExtractFacts::NAME && !is_read && !self.may_give_back(&step.name)
    }

    /// Whether the output shows the result of a step. An output that names none gives back that of the last step.
    fn may_give_back(&self, step: &str) -> bool {
        let named = self.output.as_ref().map(OutputDecl::references).unwrap_or_default();
        named.is_empty()
            || named.iter().any(|reference| {
                let name = reference.root();
                let composed = self.composed.get(name).map(references).unwrap_or_default();
                name == step || composed.iter().any(|of| of.root() == step)
            })
    }
}

/// No step fails because facts about whoever asks could not be looked for: a step that does not read them does not need them.
pub(crate) fn spare(steps: &mut [PlanStep]) {
    let read: BTreeSet<String> = steps.iter().flat_map(|step| step.reads.clone()).collect();
    let looks = |step: &&PlanStep| step.action == ExtractFacts::NAME && !read.contains(&step.name);
    let spared: Vec<String> = steps.iter().filter(looks).map(|step| step.name.clone()).collect();
    for step in steps.iter_mut() {
        let (spared, needed): (Vec<_>, Vec<_>) =
            step.after.drain(..).partition(|name| spared.contains(name));
        step.after = if needed.is_empty() { spared } else { needed };
    }
}
