//! What the gates of a run do (K-11): `require` of the playbook takes precedence over gates that would open by themselves. It
//! does not hold against whoever wants nobody to be asked: then nothing behind a gate happens.

use countersign_plan::{Plan, StepKind};
use countersign_playbook::ValidPlaybook;
use countersign_run::GatePolicy;
use countersign_web::FieldError;

/// What holds for a run of this playbook, as it is written now.
pub(crate) fn of_run(playbook: &ValidPlaybook, started_with: GatePolicy) -> GatePolicy {
    match started_with {
        GatePolicy::AutoApprove if playbook.always_asks() => GatePolicy::Require,
        other => other,
    }
}

/// That it is not what was set, where the plan has a gate.
pub(crate) fn overruled(
    plan: &Plan,
    policy: GatePolicy,
    started_with: GatePolicy,
) -> Option<FieldError> {
    let has_gate = plan.steps.iter().any(|step| step.kind == StepKind::Gate);
    let message = "the playbook says `require`: gates ask, although `auto_approve` is set";
    (has_gate && policy != started_with)
        .then(|| FieldError::new("playbook.approval_policy", message))
}
