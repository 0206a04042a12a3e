//! What a step's warnings mean for what comes after it.

use countersign_approval::ports::Signed;
use countersign_effect::canonical;
use countersign_plan::{OnWarning, PlanStep};
use countersign_run::{StepWarnings, left_out, warned, warning_count};
use countersign_store_runs::StepView;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// How many sentences a request for approval shows in all.
pub(crate) const SHOWN: usize = 50;

/// How many sentences say why a step ended the run.
pub(crate) const TOLD: usize = 5;

/// The warnings in this output of a step; none when there are none.
pub(crate) fn warnings_of(step: &PlanStep, output: &Value) -> Option<StepWarnings> {
    let count = warning_count(output);
    (count > 0).then(|| StepWarnings {
        step: step.name.clone(),
        count,
        first: Vec::new(),
        hash: hash(&step.name, count, output),
        asks: step.on_warning == OnWarning::Gate,
    })
}

fn hash(step: &str, count: u64, output: &Value) -> String {
    let all = json!([step, count, left_out(output), warned(output)]);
    // Numbers that canonical JSON cannot write exactly are written all the same: this hash compares, it proves nothing.
    let text = canonical(&all).unwrap_or_else(|_| all.to_string());
    hex::encode(Sha256::digest(text))
}

/// Whether this signature was given knowing every warning that the step's signers have to know.
pub(crate) fn is_known(view: &StepView, step: &PlanStep, signature: &Signed) -> bool {
    let before = view.plan.before(&step.name);
    let due = |known: &&StepWarnings| known.asks && before.contains(known.step.as_str());
    view.head.warnings.iter().filter(due).all(|known| signature.warned.contains(&known.hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(on_warning: &str) -> PlanStep {
        serde_json::from_value(json!({
            "name": "read", "kind": "tool", "on_error": "stop", "on_warning": on_warning, "after": [],
        }))
        .unwrap()
    }

    #[test]
    fn f_311_other_warnings_have_another_hash() {
        let of = |text: &str| warnings_of(&step("gate"), &json!({"warnings": [text]})).unwrap();
        assert_eq!(of("a").hash, of("a").hash);
        assert_ne!(of("a").hash, of("b").hash);
        assert_eq!(warnings_of(&step("gate"), &json!({"warnings": []})), None);
    }

    #[test]
    fn f_311_only_gate_asks_again() {
        let output = json!({"warnings": ["a"]});
        assert!(warnings_of(&step("gate"), &output).unwrap().asks);
        assert!(!warnings_of(&step("continue"), &output).unwrap().asks);
    }
}
