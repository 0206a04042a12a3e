//! A batch whose run could only end in an error.

use std::collections::BTreeSet;

use countersign_monitor::{Content, Detection, TooLarge, detections};
use countersign_run::{OccurrenceReason, warning_count, warning_sentences};
use countersign_web::Problem;
use serde_json::{Map, Value};

use crate::Context;
use crate::ready::Ready;

/// Why no run can have what a batch holds, or would end at its warnings, as the playbook is now.
pub(crate) fn of_batch(
    ctx: &Context,
    ready: &Ready,
    content: &Content,
) -> Option<OccurrenceReason> {
    let steps = detections(&ready.playbook.playbook, &ctx.registry).unwrap_or_default();
    of_found(&steps, content.too_large.as_ref(), &content.outputs)
}

/// The same of what these steps have found.
pub(crate) fn of_found(
    steps: &[Detection<'_>],
    too_large: Option<&TooLarge>,
    outputs: &Map<String, Value>,
) -> Option<OccurrenceReason> {
    too_large.map(TooLarge::reason).or_else(|| at_warnings(steps, outputs))
}

/// Why the playbook cannot have what a batch holds: its detection steps are others by now.
pub(crate) fn other_steps(ctx: &Context, ready: &Ready, content: &Content) -> Option<Problem> {
    let steps = detections(&ready.playbook.playbook, &ctx.registry).unwrap_or_default();
    let now: BTreeSet<&str> = steps.iter().map(|step| step.step).collect();
    let then: BTreeSet<&str> = content.outputs.keys().map(String::as_str).collect();
    (now != then).then(|| {
        let named = |steps: &BTreeSet<&str>| {
            steps.iter().map(|step| format!("`{step}`")).collect::<Vec<_>>().join(", ")
        };
        let said = format!(
            "the batch was found by the steps {}, and the playbook looks with {}",
            named(&then),
            named(&now)
        );
        Problem::conflict("BATCH_STEPS_CHANGED", said)
    })
}

/// Why the run of what these steps have found would end at their warnings: one stops at them, and has some. It stops there however
/// often it is tried.
fn at_warnings(steps: &[Detection<'_>], outputs: &Map<String, Value>) -> Option<OccurrenceReason> {
    let stopping = steps.iter().filter(|step| step.stops_at_warnings).map(|step| step.step);
    stopping.filter_map(|step| reason(step, outputs.get(step)?)).next()
}

fn reason(step: &str, output: &Value) -> Option<OccurrenceReason> {
    let count = warning_count(output);
    if count == 0 {
        return None;
    }
    let noun = if count == 1 { "warning" } else { "warnings" };
    let first = warning_sentences(output, 5).join("; ");
    let message = format!("the step `{step}` stops at warnings and has {count} {noun}: {first}");
    let message = message.chars().take(400).collect();
    Some(OccurrenceReason { code: "WARNINGS_FOUND".to_owned(), message })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn f_218_what_could_not_be_read_is_said_with_its_step() {
        assert_eq!(reason("look", &json!({ "results": [] })), None);
        let output = json!({ "results": [], "warnings": ["record 3: `amount` is missing"] });
        let why = reason("look", &output).unwrap();
        assert_eq!(why.code, "WARNINGS_FOUND");
        assert!(why.message.starts_with("the step `look` stops at warnings and has 1 warning: "));
    }
}
