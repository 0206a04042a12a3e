//! The plan as the page shows it.

use countersign_approval::{Kind, Layout, Request};
use countersign_effect::Effect;
use countersign_effect::view::EffectView;
use countersign_letter::{
    About, EffectGroup, Picture, Requests, Shown, Stage, StagePlace, StepView,
};
use countersign_plan::{Plan, PlanStep, StepKind, stages};
use countersign_run::StepStatus;
use serde_json::Value;

use crate::ports::{SeenRun, StepEffects};
use crate::strikes::Told;

/// The stages of a plan, and the place among them of the one in which a step stands.
fn around<'p>(plan: &'p Plan, here: &str) -> Option<(Vec<Vec<&'p PlanStep>>, usize)> {
    let stages = stages(plan).ok()?;
    let at = stages.iter().position(|stage| stage.iter().any(|step| step.name == here))?;
    Some((stages, at))
}

/// The steps that a picture shows before or beside the one that asks.
pub(crate) fn drawn_before<'p>(plan: &'p Plan, here: &str) -> Vec<&'p str> {
    let Some((stages, at)) = around(plan, here) else { return Vec::new() };
    let drawn = stages[at.saturating_sub(Picture::BEFORE)..=at].iter().flatten();
    drawn.map(|step| step.name.as_str()).filter(|name| *name != here).collect()
}

/// The plan seen from one of its steps. Stages after it up to the next signature follow this one; the rest needs more.
pub(crate) fn picture(run: &SeenRun, here: &str) -> Option<Picture> {
    let (stages, at) = around(&run.plan, here)?;
    let asks = |stage: &Vec<&PlanStep>| stage.iter().any(|step| step.kind != StepKind::Tool);
    let next =
        stages.iter().skip(at + 1).position(asks).map_or(stages.len(), |after| at + 1 + after);
    let place = |i: usize, steps: &[StepView]| match i {
        i if i < at && steps.iter().all(|step| step.not_done.is_none()) => StagePlace::Done,
        i if i < at => StagePlace::Over,
        i if i == at => StagePlace::Here,
        i if i < next => StagePlace::Covered,
        _ => StagePlace::Later,
    };
    let draw = |(i, stage): (usize, &Vec<&PlanStep>)| {
        let word = |step: &PlanStep| match i {
            i if i < at => before(run.ended.get(&step.name).copied()),
            i if i == at => run.ended.get(&step.name).and_then(|status| not_done(*status)),
            _ => None,
        };
        let steps: Vec<StepView> = stage.iter().map(|step| view(step, word(step))).collect();
        Stage { place: place(i, &steps), steps }
    };
    Some(Picture::around(stages.iter().enumerate().map(draw).collect()))
}

fn view(step: &PlanStep, not_done: Option<&'static str>) -> StepView {
    StepView {
        name: Shown::line(if step.description.is_empty() { &step.name } else { &step.description }),
        irreversible: step.irreversible,
        condition: step.condition.as_deref().map(Shown::line),
        not_done,
    }
}

/// The same of a step before the gate, which is over or was lost.
fn before(status: Option<StepStatus>) -> Option<&'static str> {
    status.map_or(Some("no result"), not_done)
}

/// What became of a step that was not done, in a word.
fn not_done(status: StepStatus) -> Option<&'static str> {
    match status {
        StepStatus::Done | StepStatus::Approved => None,
        StepStatus::Skipped => Some("skipped"),
        StepStatus::Failed => Some("failed"),
        StepStatus::NotRun => Some("not run"),
        StepStatus::Rejected => Some("denied"),
        StepStatus::TimedOut => Some("not answered in time"),
        StepStatus::Closed => Some("closed without a decision"),
        StepStatus::Unknown => Some("outcome unknown"),
        StepStatus::Pending
        | StepStatus::Running
        | StepStatus::Waiting
        | StepStatus::Sending
        | StepStatus::Lost => Some("no result"),
    }
}

/// Who has written the prompt. What a run filled in may come from anybody.
pub(crate) fn prompt_lead(request: &Request, run: Option<&SeenRun>) -> &'static str {
    let gate = run.and_then(|run| run.plan.step(&request.position.step)?.gate.as_ref());
    match gate {
        _ if request.kind == Kind::Tool => "Asked by the system, for this step alone.",
        _ if run.is_some_and(|run| !run.has_playbook) => {
            "Written by the system. What it quotes was written by a model, or by whoever asked the agent."
        }
        Some(gate) if gate.prompt == request.prompt => "Written by the author of the playbook.",
        _ => {
            "Written by the author of the playbook, with data of the run filled in. Such data may come from outside, and nobody has checked what it says."
        }
    }
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
    use countersign_letter::StagePlace;
    use countersign_plan::Plan;
    use countersign_run::StepStatus;
    use serde_json::{Value, json};

    use super::{drawn_before, picture};
    use crate::ports::SeenRun;

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

    fn run(ended: &[(&str, StepStatus)]) -> SeenRun {
        let ended = ended.iter().map(|(step, status)| ((*step).to_owned(), *status)).collect();
        let (agent, profile_id) = (String::new(), String::new());
        SeenRun { agent, profile_id, has_playbook: true, plan: plan(), ended }
    }

    fn check(here: &str, ended: &[(&str, StepStatus)], expect: Option<&[StagePlace]>) {
        let places = picture(&run(ended), here)
            .map(|picture| picture.stages.iter().map(|stage| stage.place).collect::<Vec<_>>());
        assert_eq!(places.as_deref(), expect, "{here}");
    }

    #[test]
    fn a_signature_reaches_to_the_next_gate() {
        use StagePlace::{Covered, Done, Here, Later};
        use StepStatus::Approved;
        let all = [("read", StepStatus::Done), ("look", Approved), ("write", StepStatus::Done)];
        check("look", &all, Some(&[Done, Here, Covered, Later, Later]));
        check("again", &all, Some(&[Done, Done, Done, Here, Covered]));
        check("elsewhere", &all, None);
    }

    #[test]
    fn a_step_that_was_not_done_is_not_called_done() {
        let word = |status: Option<StepStatus>| {
            let ended: Vec<_> = status.into_iter().map(|status| ("read", status)).collect();
            let stage = picture(&run(&ended), "look").unwrap().stages.remove(0);
            (stage.place, stage.steps[0].not_done)
        };
        assert_eq!(word(Some(StepStatus::Done)), (StagePlace::Done, None));
        for (status, expect) in [
            (Some(StepStatus::Failed), "failed"),
            (Some(StepStatus::Skipped), "skipped"),
            (Some(StepStatus::NotRun), "not run"),
            (Some(StepStatus::Unknown), "outcome unknown"),
            (None, "no result"),
        ] {
            assert_eq!(word(status), (StagePlace::Over, Some(expect)), "{status:?}");
        }
    }

    #[test]
    fn what_became_of_a_step_is_asked_of_those_that_are_drawn() {
        assert_eq!(drawn_before(&plan(), "again"), ["read", "look", "write"]);
        assert_eq!(drawn_before(&plan(), "read"), [""; 0]);
        assert_eq!(drawn_before(&plan(), "elsewhere"), [""; 0]);
    }
}
