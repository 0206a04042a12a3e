//! How sure specialists say that they are of what they found. It is told, and nothing is decided by it.

use countersign_plan::{Plan, PlanStep};
use countersign_registry::Action as _;
use countersign_registry::actions::research_with_tools::{
    ASSIGNMENT, CONFIDENCE, ResearchWithTools, says_confidence,
};
use countersign_run::Confidence;

use crate::outcomes::Outcomes;

/// What each of them says, in the order of the plan; nothing of those that do not say it. An answer of a model is short enough to be
/// with its outcome.
pub(crate) fn of(plan: &Plan, outcomes: &Outcomes) -> Vec<Confidence> {
    let said = |step: &PlanStep| {
        let outcome = outcomes.all.iter().find(|outcome| outcome.step == step.name)?;
        let said = outcome.output.get(CONFIDENCE)?.as_f64();
        // In a test, a sample may hold anything.
        let confidence_score = said.filter(|said| (0.0..=1.0).contains(said))?;
        Some(Confidence { step: step.name.clone(), confidence_score })
    };
    plan.steps.iter().filter(|step| is_asked(step)).filter_map(said).collect()
}

fn is_asked(step: &PlanStep) -> bool {
    step.action == ResearchWithTools::NAME
        && step.inputs.contains_key(ASSIGNMENT)
        && step.output_schema.as_ref().is_some_and(says_confidence)
}

#[cfg(test)]
mod tests {
    use countersign_run::StepStatus;
    use countersign_store_runs::StepOutcome;
    use jiff::Timestamp;
    use serde_json::{Value, json};

    use super::*;

    fn plan(steps: &[Value]) -> Plan {
        let plan = json!({
            "version": 1, "tenant": "acme", "run": format!("run_{}", "1".repeat(32)),
            "owner": format!("user_{}", "2".repeat(32)), "profile": "prof_1", "context": "interactive",
            "playbook": { "id": "p", "version": "1.0.0", "digest": "" }, "inputs": {}, "steps": steps,
        });
        serde_json::from_value(plan).unwrap()
    }

    fn step(name: &str, action: &str, inputs: &Value) -> Value {
        let field = |name: &str, of: &str| json!({ "name": name, "type": of });
        let fields = [field("answer", "string"), field(CONFIDENCE, "number")];
        json!({
            "name": name, "kind": "tool", "action": action, "inputs": inputs, "on_error": "skip", "after": [],
            "output_schema": { "type": "object", "fields": fields },
        })
    }

    fn outcome(step: &str, score: &Value) -> StepOutcome {
        StepOutcome {
            step: step.to_owned(),
            status: StepStatus::Done,
            input_hash: String::new(),
            output: json!({ "answer": "It filed.", CONFIDENCE: score }),
            count: None,
            code: None,
            message: None,
            verdict: None,
            model: None,
            approval: None,
            attempt: 1,
            at: Timestamp::UNIX_EPOCH,
        }
    }

    #[test]
    fn r_029_it_is_told_of_specialists_that_say_how_sure_they_are() {
        let assigned = json!({ "data": 1, "assignment": { "task": "Look." } });
        let research = "research_with_tools";
        let plan = plan(&[
            step("sure", research, &assigned),
            step("silent", research, &assigned),
            step("beyond", research, &assigned),
            step("alone", research, &json!({ "data": 1 })),
            step("other", "llm_analyze", &assigned),
        ]);
        let scores = [
            ("other", json!(0.5)),
            ("alone", json!(0.5)),
            ("beyond", json!(7)),
            ("silent", Value::Null),
            ("sure", json!(0.25)),
        ];
        let all = scores.iter().map(|(step, score)| outcome(step, score)).collect();
        let told = serde_json::to_value(of(&plan, &Outcomes::small(all))).unwrap();
        assert_eq!(told, json!([{ "step": "sure", "confidence_score": 0.25 }]));
    }
}
