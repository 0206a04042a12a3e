//! Gates that open by themselves (K-11).

use countersign_run::{GatePolicy, RunContext};

use crate::{Plan, PlanStep, StepKind, confirm};

impl Plan {
    /// Whether a gate of this plan opens by itself: in the run of a clock, by `auto_approve`, unless the playbook says `require`, and
    /// only when nothing behind it is irreversible and nobody wrote that people confirm what is written behind it.
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
            && !self.guards_confirmed(gate)
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

    /// Whether a step behind the gate writes only what people confirm: its author asked for a person, and no clock is one (K-62).
    fn guards_confirmed(&self, gate: &PlanStep) -> bool {
        let mut behind =
            self.steps.iter().filter(|step| step.guard.as_deref() == Some(gate.name.as_str()));
        behind.any(|step| confirm::asks(step, &self.inputs))
    }
}
