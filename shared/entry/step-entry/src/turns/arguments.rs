//! From what a model wrote to the arguments of an action. What it wrote is never a reference.

use countersign_plan::{CALL_SECONDS, PlanStep, Tool, Tools};
use countersign_registry::Contract;
use countersign_registry::action::ActionError;
use countersign_registry::actions::research_with_tools::MAX_CALLS;
use countersign_run::ToolAsk;
use serde_json::{Map, Value};

/// Why a call is not made, as far as that can be said without its action.
pub(crate) fn refused(tools: &Tools, call: u32, ask: &ToolAsk) -> Option<ActionError> {
    if usize::try_from(call).is_ok_and(|call| call > MAX_CALLS) {
        let message = format!("a turn has at most {MAX_CALLS} calls");
        return Some(ActionError::terminal("TOOL_REFUSED", message));
    }
    if tools.named(&ask.tool).is_none() {
        let names: Vec<&str> = tools.allowed.iter().map(|tool| tool.action.as_str()).collect();
        let message = format!("there is no such tool; there are {}", names.join(", "));
        return Some(ActionError::terminal("TOOL_REFUSED", message));
    }
    if ask.object().is_none() {
        let message = "the arguments are not a JSON object";
        return Some(ActionError::terminal("STEP_INPUT_INVALID", message));
    }
    None
}

/// The call as a step of its own: the same checks hold for it as for any other.
pub(crate) fn as_step(
    step: &PlanStep,
    tool: &Tool,
    contract: &Contract,
    given: Map<String, Value>,
) -> PlanStep {
    let is_input = |name: &str| contract.inputs.iter().any(|slot| slot.name == name);
    let literal = given.into_iter().map(|(name, value)| (name, literal(value)));
    let (inputs, params) = literal.partition(|(name, _): &(String, Value)| is_input(name));
    PlanStep {
        action: tool.action.clone(),
        function: tool.function.clone(),
        inputs,
        params,
        timeout_seconds: step.timeout_seconds.or(Some(CALL_SECONDS)),
        output_schema: None,
        model: None,
        tools: None,
        reads: Vec::new(),
        ..step.clone()
    }
}

/// A value with its braces doubled: resolving it gives back what the model wrote, and nothing of the run.
fn literal(value: Value) -> Value {
    match value {
        Value::String(text) => text.replace('{', "{{").replace('}', "}}").into(),
        Value::Array(items) => items.into_iter().map(literal).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, literal(value))).collect()
        }
        value => value,
    }
}
