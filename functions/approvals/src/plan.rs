//! The plan as the page shows it.

use countersign_approval::{Layout, Request};
use countersign_effect::Effect;
use countersign_effect::view::EffectView;
use countersign_letter::{
    About, EffectGroup, Picture, Requests, Shown, Stage, StagePlace, StepView,
};
use countersign_plan::{Plan, PlanStep, StepKind, stages};
use serde_json::Value;

use crate::ports::StepEffects;
use crate::strikes::Told;

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
        name: Shown::line(if step.description.is_empty() { &step.name } else { &step.description }),
        irreversible: step.irreversible,
        condition: step.condition.as_deref().map(Shown::line),
    };
    let draw = |(i, stage): (usize, &Vec<&PlanStep>)| Stage {
        place: place(i),
        steps: stage.iter().map(view).collect(),
    };
    Some(Picture::around(stages.iter().enumerate().map(draw).collect()))
}

/// What will be done, in the words of the playbook's author: of the one step that is signed, else of the gate.
pub(crate) fn what(request: &Request, plan: &Plan) -> String {
    let step = match &request.covers[..] {
        [only] => &only.step,
        _ => &request.position.step,
    };
    plan.step(step).map(|step| step.description.clone()).unwrap_or_default()
}

/// What the signature covers: the requests themselves. A request of an earlier version kept none; signing it permits
/// nothing to be sent, and its step asks again.
pub(crate) fn requests(
    request: &Request,
    plan: Option<&Plan>,
    kept: &[StepEffects],
    layout: &Layout,
    page_url: &str,
    strikes: &Told,
) -> Requests {
    let mut requests = Requests::default();
    for call in request.covers.iter().filter(|_| request.v >= 2) {
        let step = plan.and_then(|plan| plan.step(&call.step));
        let about = about(&call.step, &call.action, step);
        if let Some(kept) = kept.iter().find(|kept| kept.step == call.step) {
            let views: Vec<EffectView> = kept.effects.iter().map(EffectView::of).collect();
            let strikes = strikes.of_step(request, &call.step);
            requests.push_struck(about, &views, kept.total, layout, Some(page_url), &strikes);
            continue;
        }
        requests.state(EffectGroup::stated(about, &Value::Null, layout));
    }
    requests
}

/// All of one request.
pub(crate) fn whole(
    request: &Request,
    plan: Option<&Plan>,
    step: &str,
    effect: &Effect,
    layout: &Layout,
) -> EffectGroup {
    let action =
        request.covers.iter().find(|call| call.step == step).map(|call| call.action.as_str());
    let about = about(step, action.unwrap_or_default(), plan.and_then(|plan| plan.step(step)));
    EffectGroup::whole(about, &EffectView::of(effect), layout)
}

fn about<'a>(name: &'a str, action: &'a str, step: Option<&'a PlanStep>) -> About<'a> {
    let description = step.map_or("", |step| step.description.as_str());
    About { step: name, description, action, irreversible: true }
}

#[cfg(test)]
mod tests {
    use super::picture;
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
}
