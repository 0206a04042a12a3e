//! The question what became of calls whose outcome nobody knows.

use countersign_approval::{Kind, Subject, UnknownCall};
use countersign_plan::PlanStep;
use countersign_store_runs::{Intent, StepView};
use countersign_wiring::Scope;
use serde_json::Value;

use crate::context::Context;
use crate::error::StepError;
use crate::for_each;
use crate::gate_ask::{GateAsk, guarding, picture};
use crate::known_calls::known_calls;
use crate::signature::NoEffect;

/// The calls of a step whose outcome is unknown, as people are asked about them; none when its mark does not say what was
/// sent.
pub(crate) async fn unknown_calls(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    intent: &Intent,
    scope: &Scope<'_>,
) -> Result<Vec<UnknownCall>, StepError> {
    if step.for_each.is_some() {
        return for_each::unknown_calls(context, view, step).await;
    }
    Ok(unknown_call(context, view, step, intent, scope).await?.into_iter().collect())
}

async fn unknown_call(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    intent: &Intent,
    scope: &Scope<'_>,
) -> Result<Option<UnknownCall>, StepError> {
    let leaf = match intent.leaf {
        Some(leaf) => Some(leaf),
        None => match known_calls(context, view, step, scope).await {
            Ok(known) => known.calls.and_then(|calls| calls.signed.leaves().first().copied()),
            Err(NoEffect::Failed(_)) => None,
            Err(NoEffect::Step(error)) => return Err(error),
        },
    };
    let approval = intent.sending.approval.as_deref().and_then(|id| id.parse().ok());
    let (Some(leaf), Some(approval)) = (leaf, approval) else { return Ok(None) };
    Ok(Some(UnknownCall {
        n: 0,
        leaf,
        call: intent.sending.call,
        approval,
        receipt: intent.sending.receipt.clone(),
        sent_at: intent.at,
        target: intent.sending.target.clone(),
        key: intent.sending.key.clone(),
        // What the connector says of it is found out when the request is opened.
        key_hours: None,
    }))
}

/// What is asked about these calls of a step. The requests that were sent, and who decides, are those of the request that
/// allowed sending: whoever opens this one adds them.
pub(crate) fn what_happened(
    context: &Context,
    view: &StepView,
    step: &PlanStep,
    calls: Vec<UnknownCall>,
) -> GateAsk {
    let subject = Subject {
        plan_seal: view.head.seal.clone().unwrap_or_default(),
        outcome: calls,
        ..Subject::of(Kind::Outcome)
    };
    GateAsk {
        head: view.head.clone(),
        round: subject.outcome.iter().map(|call| call.call).max().unwrap_or_default(),
        prompt: String::new(),
        preview: Value::Null,
        irreversible: true,
        requirement: view.plan.requirement_to_sign(step, &context.registry),
        remarks: Vec::new(),
        subject,
        stages: picture(view),
        gate: guarding(view, step),
        step: step.clone(),
    }
}
