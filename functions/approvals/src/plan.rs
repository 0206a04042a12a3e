//! The plan as the page shows it.

use countersign_approval::{Covered, Request};
use countersign_letter::{Effect, Picture, Shown, Stage, StagePlace, StepView};
use countersign_plan::{Plan, PlanStep, StepKind, stages};
use serde_json::Value;

/// The plan seen from one of its steps. Stages after it up to the next signature follow this one; the rest needs more.
pub(crate) fn picture(plan: &Plan, here: &str) -> Option<Picture> {
    let stages = stages(plan).ok()?;
    let at = stages.iter().position(|stage| stage.iter().any(|step| step.name == here))?;
    let asks = |stage: &Vec<&PlanStep>| stage.iter().any(|step| step.kind != StepKind::Tool);
    let next =
        stages.iter().skip(at + 1).position(asks).map_or(stages.len(), |after| at + 1 + after);
    let place = |i: usize| match i {
        i if i < at => StagePlace::Done,
        i if i == at => StagePlace::Here,
        i if i < next => StagePlace::Covered,
        _ => StagePlace::Later,
    };
    let view = |step: &&PlanStep| StepView {
        name: Shown::line(&step.name),
        irreversible: step.irreversible,
    };
    let draw = |(i, stage): (usize, &Vec<&PlanStep>)| Stage {
        place: place(i),
        steps: stage.iter().map(view).collect(),
    };
    Some(Picture::around(stages.iter().enumerate().map(draw).collect()))
}

/// What the signature covers. A request about one call shows exactly what that call will be given; behind a gate the
/// arguments are shown as the sealed plan states them, where `{step.field}` stands for what a step brought.
pub(crate) fn effects(request: &Request, plan: Option<&Plan>) -> Vec<Effect> {
    let effect = |call: &Covered| {
        let arguments = match (one_call(request), plan.and_then(|plan| plan.step(&call.step))) {
            (true, _) => request.preview.shown.clone(),
            (false, Some(step)) => stated(step),
            (false, None) => Value::Null,
        };
        Effect::new(&call.step, &call.action, &arguments, true)
    };
    request.covers.iter().map(effect).collect()
}

/// Whether the preview is what a single call will be given.
pub(crate) fn one_call(request: &Request) -> bool {
    request.preview.shown.is_object()
        && request.preview.source.is_none()
        && request.covers.len() == 1
}

fn stated(step: &PlanStep) -> Value {
    let both = step.inputs.iter().chain(&step.params);
    Value::Object(both.map(|(name, value)| (name.clone(), value.clone())).collect())
}

#[cfg(test)]
mod tests {
    use super::{picture, stated};
    use countersign_letter::StagePlace;
    use countersign_plan::Plan;
    use serde_json::{Value, json};

    fn step(name: &str, kind: &str, after: &[&str]) -> Value {
        json!({"name": name, "kind": kind, "on_error": "stop", "after": after, "inputs": {"rows": "{read.rows}"}, "params": {"to": "table"}})
    }

    fn plan() -> Plan {
        let steps = [
            step("read", "tool", &[]),
            step("look", "gate", &["read"]),
            step("write", "tool", &["look"]),
            step("again", "gate", &["write"]),
            step("send", "tool", &["again"]),
        ];
        serde_json::from_value(json!({
            "version": 1, "tenant": "test", "run": format!("run_{}", "0".repeat(32)), "owner": format!("user_{}", "0".repeat(32)),
            "profile": "p", "playbook": {"id": "b", "version": "1", "digest": "d"}, "context": "background", "inputs": {},
            "steps": steps,
        }))
        .unwrap()
    }

    fn check(here: &str, expect: Option<&[StagePlace]>) {
        let places =
            picture(&plan(), here).map(|p| p.stages.iter().map(|s| s.place).collect::<Vec<_>>());
        assert_eq!(places.as_deref(), expect, "{here}");
    }

    #[test]
    fn a_signature_reaches_to_the_next_gate() {
        use StagePlace::{Covered, Done, Here, Later};
        check("look", Some(&[Done, Here, Covered, Later, Later]));
        check("again", Some(&[Done, Done, Done, Here, Covered]));
        check("elsewhere", None);
    }

    #[test]
    fn arguments_are_shown_as_the_plan_states_them() {
        let plan = plan();
        assert_eq!(
            stated(plan.step("write").unwrap()),
            json!({"rows": "{read.rows}", "to": "table"})
        );
    }
}
