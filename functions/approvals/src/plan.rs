//! The plan as the page shows it.

use countersign_approval::{Request, StepEffects};
use countersign_effect::view::{Content, EffectView};
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

/// What the signature covers: every effect as it will be sent.
pub(crate) fn effects(request: &Request) -> Vec<Effect> {
    let of_step = |effects: &StepEffects| {
        let one = |text: &String| {
            let shown = shown(text);
            Effect::new(&effects.step, &effects.action, &shown, true)
        };
        effects.texts.iter().map(one).collect::<Vec<_>>()
    };
    request.effects.iter().flat_map(of_step).collect()
}

fn shown(text: &str) -> Value {
    let Ok(effect) = countersign_effect::Effect::parse(text) else { return Value::from(text) };
    let view = EffectView::of(&effect);
    let mut all = serde_json::Map::new();
    all.insert(view.target.method.clone(), view.target.url.clone().into());
    for section in &view.sections {
        match &section.content {
            Content::Text(text) => {
                all.insert("body".to_owned(), text.as_str().into());
            }
            Content::Fields(fields) => {
                all.extend(
                    fields.iter().map(|field| (field.name.clone(), field.value.clone().into())),
                );
            }
        }
    }
    Value::Object(all)
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
