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
    // The request itself is shown whole; that the earlier one cannot be read must not keep anybody from being asked.
    let Ok(signed) = context.steps.runs.effects_of(&request).await else {
        return Ok(vec![format!("what `{gate}` showed can no longer be read")]);
    };
    let before = signed.iter().find(|effects| effects.step == asked.step.name);
    let (Some(before), Some(now)) =
        (before.and_then(view), asked.subject.effects.first().and_then(view))
    else {
        return Ok(Vec::new());
    };
    let all = changes(&before, &now);
    let mut remarks: Vec<String> =
        all.iter().take(MAX_NAMED).map(|change| sentence(gate, change)).collect();
    if all.len() > MAX_NAMED {
        remarks.push(format!("and {} more values are not as they were", all.len() - MAX_NAMED));
    }
    Ok(remarks)
}

fn view(effects: &StepEffects) -> Option<EffectView> {
    let text = effects.texts.first()?;
    Effect::parse(text).ok().map(|effect| EffectView::of(&effect))
}

/// Changed values that are named one by one.
const MAX_NAMED: usize = 20;

/// Characters of a value that a remark quotes; the request itself shows all of it.
const MAX_QUOTED: usize = 200;

fn short(value: &str) -> String {
    let left_out = value.chars().count().saturating_sub(MAX_QUOTED);
    let quoted: String = value.chars().take(MAX_QUOTED).collect();
    if left_out == 0 { quoted } else { format!("{quoted}… ({left_out} characters left out)") }
}

/// A value as a JSON string, so that nothing in it can end the quotation.
fn quoted(value: &str) -> String {
    serde_json::Value::from(short(value)).to_string()
}

fn sentence(gate: &str, change: &Change) -> String {
    let Change { name, before, after } = change;
    let name = short(name);
    match (before.as_deref().map(quoted), after.as_deref().map(quoted)) {
        (Some(before), Some(after)) => {
            format!("{name}: {before} when `{gate}` was approved, {after} now")
        }
        (None, Some(after)) => {
            format!("{name}: not there when `{gate}` was approved, {after} now")
        }
        (Some(before), None) => format!("{name}: {before} when `{gate}` was approved, gone now"),
        (None, None) => String::new(),
    }
}
