//! Steps of a test run: what would have an effect ends with what stands in for it (K-46).

use countersign_plan::{OnReject, PlanStep, StandIn, StandInSource};
use countersign_registry::Contract;
use countersign_registry::action::{ActionError, Answered};
use countersign_run::{GateOutcome, StepStatus, StopReason};
use countersign_wiring::Scope;
use serde_json::{Map, Value, json};

use crate::for_each::Item;
use crate::gate_ask::filled;
use crate::prepare::Prepared;
use crate::step_end::StepEnd;

/// The key that marks an output that nothing was done for, and the code of its step.
const MARK: &str = "_dry_run";
const CODE: &str = "DRY_RUN";

/// An input is shown whole up to so many bytes of JSON, and of a longer list so many items.
const SHOWN_BYTES: usize = 16 * 1024;
const SHOWN_ITEMS: usize = 5;

/// A detection step of a monitor's run: it has what the look before the run found.
const FOUND: &str = "found by the monitor before the run began";

/// How a detection step of a monitor's run ends; none for every other step. What the look could not read is told like what any
/// other step could not read.
pub(crate) fn detected(step: &PlanStep, prepared: &Prepared) -> Option<StepEnd> {
    let found = step.stand_in.as_ref().filter(|found| found.source == StandInSource::Detected)?;
    let answered = Answered { output: Value::Object(found.output.clone()), model: None };
    let ending = StepEnd::answered(step, prepared.hash.clone(), answered);
    let message = ending.message.unwrap_or_else(|| FOUND.to_owned());
    Some(StepEnd { message: Some(message), ..ending })
}

/// How the step ends without being done; none when it only reads and is to be done. A step of a model says what would be asked.
pub(crate) fn ending(
    step: &PlanStep,
    contract: &Contract,
    prepared: &Prepared,
    asked: Option<Value>,
) -> Option<StepEnd> {
    if let Some(stand_in) = &step.stand_in {
        let message = match stand_in.source {
            StandInSource::Sample => "left out: a test answers with the sample",
            StandInSource::Blank if contract.uses_llm => "left out: a test asks no model",
            StandInSource::Blank => "left out: a test has no effect",
            StandInSource::Detected => FOUND,
        };
        let ending = StepEnd::done(prepared.hash.clone(), output(step, stand_in, prepared, asked));
        let (code, message) = (Some(CODE.to_owned()), Some(message.to_owned()));
        return Some(StepEnd { code, message, ..ending });
    }
    effect(step, contract)
}

/// The same for a step over a list: it says what its calls would get.
pub(crate) fn ending_of_items(
    step: &PlanStep,
    contract: &Contract,
    list: &[Item],
) -> Option<StepEnd> {
    let Some(stand_in) = &step.stand_in else { return effect(step, contract) };
    let gets = |item: &Item| json!({ "key": item.key, "inputs": shown(&Value::Object(item.prepared.inputs.clone())) });
    let first: Vec<Value> = list.iter().take(SHOWN_ITEMS).map(gets).collect();
    let params = list.first().map(|item| &item.prepared.params);
    let mut output = stand_in.output.clone();
    let mark = json!({
        "action": step.action,
        "output_from": stand_in.source,
        "would_get": { "calls": list.len(), "first": first, "params": params },
    });
    output.insert(MARK.to_owned(), mark);
    let message = format!("left out: a test has no effect; a run would make {} calls", list.len());
    let ending = StepEnd::done(String::new(), Value::Object(output));
    Some(StepEnd { code: Some(CODE.to_owned()), message: Some(message), ..ending })
}

/// The plan of a test has no step with an effect; should one come from elsewhere, it is not done either.
fn effect(step: &PlanStep, contract: &Contract) -> Option<StepEnd> {
    let writes = contract.writes && !contract.rehearses;
    let acts = writes || contract.irreversible || step.irreversible || contract.uses_llm;
    acts.then(|| {
        let what = if contract.uses_llm { "asks a model" } else { "has an effect" };
        let message = format!("`{}` {what}, and this run is a test", step.action);
        StepEnd::failed(step, &ActionError::terminal("DRY_RUN_EFFECT", message)).stopping()
    })
}

/// A gate of a test: it says what it would ask, and goes on as its stand-in was decided. Nothing is signed by that.
pub(crate) fn unasked(step: &PlanStep, scope: &Scope) -> StepEnd {
    let prompt = step.gate.as_ref().map(|gate| filled(&gate.prompt, scope)).unwrap_or_default();
    let verdict = verdict(step);
    let message = "a test does not ask and takes it as";
    decided(step, verdict, (message, &format!("; a run would wait here: {prompt}")))
}

/// A gate of a test that goes on by this verdict; what is said of it stands before and behind the verdict.
pub(crate) fn decided(
    step: &PlanStep,
    verdict: GateOutcome,
    (before, behind): (&str, &str),
) -> StepEnd {
    let word = serde_json::to_value(verdict).unwrap_or_default();
    let word = word.as_str().unwrap_or_default().replace('_', " ");
    let stops = step.gate.as_ref().is_some_and(|gate| gate.on_reject == OnReject::Stop);
    let reason = match verdict {
        // In the run that is replayed it asked nobody, and ended nothing.
        GateOutcome::Approved | GateOutcome::NotAsked => None,
        GateOutcome::TimedOut => Some(StopReason::TimedOut),
        GateOutcome::Denied | GateOutcome::Closed => Some(StopReason::Rejected),
    };
    let message = format!("{before} {word}{behind}");
    let ending = StepEnd::without_output(StepStatus::Skipped, CODE, message);
    StepEnd { verdict: Some(verdict), stops: reason.filter(|_| stops), ..ending }
}

/// A gate without a stand-in was not planned for a test.
fn verdict(step: &PlanStep) -> GateOutcome {
    let decision = step.stand_in.as_ref().and_then(|stand_in| stand_in.output.get("decision"));
    match decision.and_then(Value::as_str) {
        Some("approved") => GateOutcome::Approved,
        Some("timed_out") => GateOutcome::TimedOut,
        Some("denied") => GateOutcome::Denied,
        _ => GateOutcome::Closed,
    }
}

fn output(step: &PlanStep, stand_in: &StandIn, prepared: &Prepared, asked: Option<Value>) -> Value {
    let mut output = stand_in.output.clone();
    let inputs: Map<String, Value> =
        prepared.inputs.iter().map(|(name, value)| (name.clone(), shown(value))).collect();
    let mut mark = json!({
        "action": step.action,
        "output_from": stand_in.source,
        "would_get": { "inputs": inputs, "params": prepared.params },
    });
    if let Some(asked) = asked {
        mark["would_ask"] = shown(&asked);
    }
    output.insert(MARK.to_owned(), mark);
    Value::Object(output)
}

/// A value as it is, or what can be told of a large one.
fn shown(value: &Value) -> Value {
    let bytes = value.to_string().len();
    if bytes <= SHOWN_BYTES {
        return value.clone();
    }
    match value {
        Value::Array(items) => {
            let first: Vec<Value> = items.iter().take(SHOWN_ITEMS).map(small).collect();
            json!({ "first": first, "of": items.len() })
        }
        Value::Object(fields) if fields.len() <= SHOWN_ITEMS * 10 => {
            fields.iter().map(|(name, value)| (name.clone(), part(value))).collect()
        }
        _ => json!({ "too_large_to_show": bytes }),
    }
}

/// A part of a large object.
fn part(value: &Value) -> Value {
    match value {
        Value::Array(items) if value.to_string().len() > SHOWN_BYTES / 10 => {
            json!({ "first": items.iter().take(1).map(small).collect::<Vec<_>>(), "of": items.len() })
        }
        value => small(value),
    }
}

fn small(value: &Value) -> Value {
    let bytes = value.to_string().len();
    if bytes <= SHOWN_BYTES / 10 { value.clone() } else { json!({ "too_large_to_show": bytes }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_registry::Registry;

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
        let ending = ending(&step(action, stand_in), contract, &prepared(inputs), None)?;
        Some((ending.status, ending.output))
    }

    #[test]
    fn k_46_an_effect_that_nothing_stands_in_for_ends_the_test() {
        for action in
            ["save_to_workspace", "send_notification", "write_journal_entry", "llm_analyze"]
        {
            assert_eq!(check(action, None, &json!({})).unwrap().0, StepStatus::Failed, "{action}");
        }
        assert_eq!(check("transform_data", None, &json!({})), None);
    }

    #[test]
    fn k_46_a_gate_goes_on_as_its_stand_in_was_decided() {
        let ending = |decision: Option<&str>, on_reject: &str| {
            let output =
                decision.map(|word| Map::from_iter([("decision".to_owned(), json!(word))]));
            let stand_in = output.map(|output| StandIn { source: StandInSource::Sample, output });
            let gate =
                json!({"prompt": "Pay?", "preview_limit": 1, "on_reject": on_reject, "quorum": 1});
            let gate = Some(serde_json::from_value(gate).unwrap());
            let step = PlanStep { gate, ..step("", stand_in) };
            let ending = unasked(&step, &Scope::default());
            (ending.verdict.unwrap(), ending.stops)
        };
        assert_eq!(ending(Some("approved"), "stop"), (GateOutcome::Approved, None));
        assert_eq!(
            ending(Some("denied"), "stop"),
            (GateOutcome::Denied, Some(StopReason::Rejected))
        );
        assert_eq!(ending(Some("denied"), "skip"), (GateOutcome::Denied, None));
        assert_eq!(
            ending(Some("timed_out"), "stop"),
            (GateOutcome::TimedOut, Some(StopReason::TimedOut))
        );
        assert_eq!(ending(None, "stop"), (GateOutcome::Closed, Some(StopReason::Rejected)));
        let gate = json!({"prompt": "Pay?", "preview_limit": 1, "on_reject": "stop", "quorum": 1});
        let gate = PlanStep { gate: Some(serde_json::from_value(gate).unwrap()), ..step("", None) };
        let replayed = |verdict| decided(&gate, verdict, ("", "")).stops;
        assert_eq!(replayed(GateOutcome::NotAsked), None);
        assert_eq!(replayed(GateOutcome::Denied), Some(StopReason::Rejected));
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
        let rows = vec![json!({"name": "Ada Lovelace"}); 5_000];
        let large = json!({"data": rows, "text": "x".repeat(SHOWN_BYTES), "set": {"rows": rows}});
        let (_, output) = check("save_to_workspace", Some(stand_in), &large).unwrap();
        let shown = &output[MARK]["would_get"]["inputs"];
        assert_eq!(
            (&shown["data"]["of"], &shown["set"]["rows"]["of"]),
            (&json!(5_000), &json!(5_000))
        );
        assert_eq!(shown["data"]["first"].as_array().unwrap().len(), SHOWN_ITEMS);
        assert!(shown["text"]["too_large_to_show"].is_u64(), "{shown}");
        assert!(output.to_string().len() < 4 * SHOWN_BYTES);
    }
}
