//! Sections that are left out with the step that they show.

use countersign_run::{CONDITION_FALSE, StepState};
use countersign_wiring::Reference;
use serde_json::Value;

use super::{Results, members, status};

impl Results<'_> {
    /// Whether the condition of the step that a reference leads to does not hold, or of each of several.
    pub(super) fn is_left_out(&self, reference: &str) -> bool {
        let Ok(reference) = Reference::parse(reference) else { return false };
        match self.plan.composed.get(reference.root()) {
            Some(composed) => members(composed).iter().all(|step| self.was_left_out(step)),
            None => self.was_left_out(reference.root()),
        }
    }

    /// A step whose condition could not be decided is not left out: it has a warning as its output.
    fn was_left_out(&self, step: &str) -> bool {
        let is_false = |state: &StepState| state.code.as_deref() == Some(CONDITION_FALSE);
        status(self.state, step).is_some_and(is_false)
            && self.output(step).is_none_or(Value::is_null)
    }
}
