//! A run that skips its gates (R-067, K-18): what would be asked is prepared as ever, and then nobody is asked.

use countersign_plan::{OnReject, PlanStep, StepKind};
use countersign_registry::Contract;
use countersign_run::{GATE_NOT_ASKED, GateOutcome, GatePolicy, StepStatus};
use countersign_store_runs::StepView;

use crate::context::Context;
use crate::error::StepError;
use crate::gate_ask::{GateAsk, guarding};
use crate::step_end::StepEnd;

/// Whether nobody is asked here. Of what may have been sent before, people are always asked what came of it.
pub(crate) fn holds(view: &StepView) -> bool {
    view.head.approval_policy == GatePolicy::Skip && view.intent.is_none()
}

/// How a gate, or a step that asks for itself, ends without having asked.
pub(crate) fn ending(ask: &GateAsk) -> StepEnd {
    let calls: usize = ask.subject.effects.iter().map(|effects| effects.texts.len()).sum();
    let what = match calls {
        0 => String::new(),
        1 => " Not sent: 1 request.".to_owned(),
        many => format!(" Not sent: {many} requests."),
    };
    let message = format!("Nobody was asked to sign, because this run skips its gates.{what}");
    let ending = StepEnd::without_output(StepStatus::Closed, GATE_NOT_ASKED, message);
    StepEnd { verdict: Some(GateOutcome::NotAsked), ..ending }
}

/// How a step ends that writes something, where a refusal before it would have ended the run: it may say that something was done
/// which was not. None of a step that only reads or computes: those go on, so that there is an answer.
pub(crate) async fn withheld(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    contract: &Contract,
) -> Result<Option<StepEnd>, StepError> {
    let writes = contract.writes || contract.irreversible || step.irreversible;
    if view.head.approval_policy != GatePolicy::Skip || !writes {
        return Ok(None);
    }
    let asking: Vec<&str> = ending_the_run(view, step).map(|step| step.name.as_str()).collect();
    let outcomes = context.runs.outcomes(&view.head.run, &asking, &[], None).await?;
    let skipped = asking.into_iter().find(|name| {
        outcomes.get(*name).is_some_and(|of| of.verdict == Some(GateOutcome::NotAsked))
    });
    Ok(skipped.map(|name| {
        let message = format!("`{name}` before it asked nobody: this run skips its gates");
        StepEnd::not_run(GATE_NOT_ASKED, message)
    }))
}

/// The steps in stages before this one that may ask people, and that end the run when these refuse.
fn ending_the_run<'v>(
    view: &'v StepView,
    step: &'v PlanStep,
) -> impl Iterator<Item = &'v PlanStep> {
    let before = view.plan.before(&step.name);
    let before = view.plan.steps.iter().filter(move |other| before.contains(other.name.as_str()));
    before.filter(|other| {
        let asks = other.kind != StepKind::Tool || other.irreversible;
        let own = other.gate.clone().or_else(|| guarding(view, other));
        asks && own.is_none_or(|gate| gate.on_reject == OnReject::Stop)
    })
}
