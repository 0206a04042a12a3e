//! What a step's warnings mean for what comes after it.

use countersign_approval::ports::Signed;
use countersign_plan::PlanStep;
use countersign_run::StepWarnings;
use countersign_store_runs::StepView;

use crate::signature::newest;

/// How many sentences a request for approval shows in all.
pub(crate) const SHOWN: usize = 50;

/// How many sentences say why a step ended the run.
pub(crate) const TOLD: usize = 5;

/// These signatures, when the newest was given knowing every warning that the step's signers have to know; else none: an
/// older one does not come back to life.
pub(crate) fn informed(view: &StepView, step: &PlanStep, found: Vec<Signed>) -> Vec<Signed> {
    let knows = newest(&found).is_none_or(|signature| is_known(view, step, signature));
    if knows { found } else { Vec::new() }
}

fn is_known(view: &StepView, step: &PlanStep, signature: &Signed) -> bool {
    let before = view.plan.before(&step.name);
    let due = |known: &&StepWarnings| known.asks && before.contains(known.step.as_str());
    view.head.warnings.iter().filter(due).all(|known| signature.warned.contains(&known.hash))
}

#[cfg(test)]
mod tests;
