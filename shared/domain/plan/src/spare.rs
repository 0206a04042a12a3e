//! Steps that the others can do without.

use std::collections::BTreeSet;

use countersign_registry::Action as _;
use countersign_registry::actions::extract_facts::ExtractFacts;

use crate::model::PlanStep;

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
