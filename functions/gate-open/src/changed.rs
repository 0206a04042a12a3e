//! What changed between the signature of a gate and the step behind it, for those who are asked again.

use countersign_approval::{Kind, Position, Status, StepEffects};
use countersign_effect::Effect;
use countersign_effect::view::{Change, EffectView, changes};
use countersign_step_entry::{GateAsk, StepError};

use crate::{Context, OpenGateError};

/// One sentence for each value of the request that is not as it was when its gate was approved; none when the gate did not
/// cover the step.
pub(crate) async fn changed_since(
    context: &Context,
    asked: &GateAsk,
) -> Result<Vec<String>, OpenGateError> {
    let Some(gate) = asked.step.covered_by.as_deref().filter(|_| asked.subject.kind == Kind::Tool)
    else {
        return Ok(Vec::new());
    };
    let id = Position::of_step(&asked.head.run, gate).approval_id(&context.steps.tenant);
    let request = context.approvals.request(&id).await.map_err(StepError::from)?;
    let Some(request) = request.filter(|request| request.status == Status::Approved) else {
        return Ok(Vec::new());
    };
    let signed = context.steps.runs.effects_of(&request).await.map_err(StepError::from)?;
    let before = signed.iter().find(|effects| effects.step == asked.step.name);
    let (Some(before), Some(now)) =
        (before.and_then(view), asked.subject.effects.first().and_then(view))
    else {
        return Ok(Vec::new());
    };
    Ok(changes(&before, &now).iter().map(|change| sentence(gate, change)).collect())
}

fn view(effects: &StepEffects) -> Option<EffectView> {
    let text = effects.texts.first()?;
    Effect::parse(text).ok().map(|effect| EffectView::of(&effect))
}

/// Characters of a value that a remark quotes; the request itself shows all of it.
const MAX_QUOTED: usize = 200;

fn short(value: &str) -> String {
    let left_out = value.chars().count().saturating_sub(MAX_QUOTED);
    let quoted: String = value.chars().take(MAX_QUOTED).collect();
    if left_out == 0 { quoted } else { format!("{quoted}… ({left_out} characters left out)") }
}

fn sentence(gate: &str, change: &Change) -> String {
    let Change { name, before, after } = change;
    match (before.as_deref().map(short), after.as_deref().map(short)) {
        (Some(before), Some(after)) => {
            format!("{name}: `{before}` when `{gate}` was approved, `{after}` now")
        }
        (None, Some(after)) => {
            format!("{name}: not there when `{gate}` was approved, `{after}` now")
        }
        (Some(before), None) => format!("{name}: `{before}` when `{gate}` was approved, gone now"),
        (None, None) => String::new(),
    }
}
