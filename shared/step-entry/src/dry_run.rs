//! Steps of a test run: what would have an effect ends with what stands in for it (K-46).

use countersign_plan::{PlanStep, StandIn};
use countersign_registry::Contract;
use countersign_registry::action::ActionError;
use countersign_run::StepStatus;
use countersign_wiring::Scope;
use serde_json::{Value, json};

use crate::ending::Ending;
use crate::gate::filled;
use crate::prepare::Prepared;

/// The key that marks an output that nothing was done for.
const MARK: &str = "_dry_run";

/// Arguments are shown up to so many bytes of JSON.
const MOST_SHOWN: usize = 64 * 1024;

/// How the step ends without being done; none when it only reads and is to be done.
pub(crate) fn ending(step: &PlanStep, contract: &Contract, prepared: &Prepared) -> Option<Ending> {
    if let Some(stand_in) = &step.stand_in {
        return Some(Ending::done(prepared.hash.clone(), output(step, stand_in, prepared)));
    }
    // The plan of a test has no such step; should one come from elsewhere, it is not done either.
    let acts = contract.writes || contract.irreversible || step.irreversible;
    acts.then(|| {
        let message = format!("`{}` has an effect, and this run is a test", step.action);
        Ending::failed(step, &ActionError::terminal("DRY_RUN_EFFECT", message)).stopping()
    })
}

/// A gate of a test: it says what it would ask, and whom.
pub(crate) fn unasked(step: &PlanStep, scope: &Scope) -> Ending {
    let prompt = step.gate.as_ref().map(|gate| filled(&gate.prompt, scope)).unwrap_or_default();
    let message = format!("a test asks nobody; a run would wait here: {prompt}");
    Ending::without_output(StepStatus::Skipped, "DRY_RUN", message)
}

fn output(step: &PlanStep, stand_in: &StandIn, prepared: &Prepared) -> Value {
    let mut output = stand_in.output.clone();
    let arguments = prepared.arguments();
    let size = arguments.to_string().len();
    let shown = if size > MOST_SHOWN { json!({ "too_large_to_show": size }) } else { arguments };
    let mark = json!({ "action": step.action, "output_from": stand_in.source, "would_get": shown });
    output.insert(MARK.to_owned(), mark);
    Value::Object(output)
}

#[cfg(test)]
mod tests {
    use countersign_plan::StandInSource;
    use countersign_registry::Registry;
    use serde_json::Map;

    use super::*;

    fn step(action: &str, stand_in: Option<StandIn>) -> PlanStep {
        let text = json!({"name": "s", "kind": "tool", "action": action, "function": "tool-data", "on_error": "stop", "after": []});
        PlanStep { stand_in, ..serde_json::from_value(text).unwrap() }
    }

    fn prepared(inputs: &Value) -> Prepared {
        let inputs = inputs.as_object().cloned().unwrap();
        Prepared { inputs, params: Map::new(), hash: "0".repeat(64) }
    }

    fn check(
        action: &str,
        stand_in: Option<StandIn>,
        inputs: &Value,
    ) -> Option<(StepStatus, Value)> {
        let registry = Registry::builtin();
        let contract = registry.get(action).unwrap();
        let ending = ending(&step(action, stand_in), contract, &prepared(inputs))?;
        Some((ending.status, ending.output))
    }

    #[test]
    fn k_46_an_effect_that_nothing_stands_in_for_ends_the_test() {
        for action in ["save_to_workspace", "send_notification", "write_journal_entry"] {
            assert_eq!(check(action, None, &json!({})).unwrap().0, StepStatus::Failed, "{action}");
        }
        assert_eq!(check("transform_data", None, &json!({})), None);
    }

    #[test]
    fn k_46_what_stands_in_says_so_and_shows_what_would_have_been_done() {
        let output = Map::from_iter([("rows_inserted".to_owned(), json!(0))]);
        let stand_in = StandIn { source: StandInSource::Blank, output };
        let given = json!({"data": [{"name": "Ada"}]});
        let (status, output) = check("save_to_workspace", Some(stand_in.clone()), &given).unwrap();
        assert_eq!(status, StepStatus::Done);
        assert_eq!(output["rows_inserted"], json!(0));
        assert_eq!(output[MARK]["output_from"], json!("blank"));
        assert_eq!(output[MARK]["would_get"]["inputs"], given);
        let large = json!({"data": "x".repeat(MOST_SHOWN)});
        let (_, output) = check("save_to_workspace", Some(stand_in), &large).unwrap();
        assert!(output[MARK]["would_get"]["too_large_to_show"].as_u64() > Some(64_000));
    }
}
