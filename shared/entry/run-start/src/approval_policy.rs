//! Whether the gates of a run ask (K-11): `require` of the playbook takes precedence over whatever starts it.

use countersign_plan::{Plan, StepKind};
use countersign_playbook::ValidPlaybook;
use countersign_run::ApprovalPolicy;
use countersign_web::FieldError;

/// What holds for a run of this playbook, as it is written now.
pub(crate) fn of_run(playbook: &ValidPlaybook, started_with: ApprovalPolicy) -> ApprovalPolicy {
    if playbook.always_asks() { ApprovalPolicy::Require } else { started_with }
}

/// That it is not what was set, where the plan has a gate.
pub(crate) fn overruled(
    plan: &Plan,
    policy: ApprovalPolicy,
    started_with: ApprovalPolicy,
) -> Option<FieldError> {
    let has_gate = plan.steps.iter().any(|step| step.kind == StepKind::Gate);
    let message = "the playbook says `require`: gates ask, although `auto_approve` is set";
    (has_gate && policy != started_with)
        .then(|| FieldError::new("playbook.approval_policy", message))
}
