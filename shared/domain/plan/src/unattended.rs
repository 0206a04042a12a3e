//! Gates that open by themselves (K-11).

use countersign_run::{GatePolicy, RunContext};

use crate::{Plan, PlanStep, StepKind};

impl Plan {
    /// Whether a gate of this plan opens by itself: in the run of a clock, by `auto_approve`, unless the playbook says `require`, and
    /// only when nothing behind it is irreversible.
    #[must_use]
    pub fn opens_by_itself(
        &self,
        gate: &PlanStep,
        context: RunContext,
        policy: GatePolicy,
    ) -> bool {
        matches!(context, RunContext::Scheduled | RunContext::Monitor)
            && policy == GatePolicy::AutoApprove
            && !self.always_asks
            && gate.kind == StepKind::Gate
            && !self.guards_irreversible(gate)
    }

    fn guards_irreversible(&self, gate: &PlanStep) -> bool {
        let behind = |other: &PlanStep| {
            other.irreversible
                && (other.guard.as_deref() == Some(gate.name.as_str())
                    || other.covered_by.as_deref() == Some(gate.name.as_str()))
        };
        let covers = gate.gate.as_ref().is_some_and(|gate| !gate.covers.is_empty());
        covers || self.steps.iter().any(behind)
    }
}
