//! From what a model wrote to the arguments of an action. What it wrote is never a reference.

use countersign_plan::{CALL_SECONDS, PlanStep, Tool, Tools};
use countersign_registry::action::ActionError;
use countersign_registry::actions::find_file_by_name::FindFileByName;
use countersign_registry::actions::list_todos::ListTodos;
use countersign_registry::actions::read_file::ReadFile;
use countersign_registry::actions::research_with_tools::MAX_CALLS;
use countersign_registry::actions::search_documents::SearchDocuments;
use countersign_registry::actions::search_todos::SearchTodos;
use countersign_registry::{Action as _, Contract, Reach};
use countersign_run::{Head, ToolAsk, names_stored};
use countersign_wiring::{Scope, Undefined, bind, literal};
use serde_json::{Map, Value};

/// Why a call is not made, as far as that can be said without its action.
pub(crate) fn refused(tools: &Tools, call: u32, ask: &ToolAsk) -> Option<ActionError> {
    if usize::try_from(call).is_ok_and(|call| call > MAX_CALLS) {
        let message = format!("a turn has at most {MAX_CALLS} calls");
        return Some(ActionError::terminal("TOOL_REFUSED", message));
    }
    if tools.named(&ask.tool).is_none() {
        let names: Vec<_> = tools.allowed.iter().map(Tool::name).collect();
        let message = format!("there is no such tool; there are {}", names.join(", "));
        return Some(ActionError::terminal("TOOL_REFUSED", message));
    }
    if ask.object().is_none() {
        let message = "the arguments are not a JSON object";
        return Some(ActionError::terminal("STEP_INPUT_INVALID", message));
    }
    None
}

/// The call as a step of its own: the same checks hold for it as for any other. `told` is what the model was told of the tool.
pub(crate) fn as_step(
    step: &PlanStep,
    tool: &Tool,
    told: &Contract,
    given: Map<String, Value>,
) -> PlanStep {
    let is_input = |name: &str| told.inputs.iter().any(|slot| slot.name == name);
    let literal = given.into_iter().map(|(name, value)| (name, literal(value)));
    let (inputs, mut params): (Map<_, _>, Map<_, _>) =
        literal.partition(|(name, _): &(String, Value)| is_input(name));
    if let Some(called) = &tool.endpoint {
        params.insert("connector".to_owned(), called.connector.clone().into());
        params.insert("endpoint".to_owned(), called.endpoint.clone().into());
    }
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

/// The actions that read files, lists of to-dos among them, by what a model gives them.
const OF_FILES: [&str; 5] = [
    ReadFile::NAME,
    FindFileByName::NAME,
    SearchDocuments::NAME,
    ListTodos::NAME,
    SearchTodos::NAME,
];

/// Why a member of a team may not have this call made: it would read what the owner of the agent has stored, as nobody but the owner
/// has said (K-35).
pub(crate) fn owners_alone(
    head: &Head,
    tool: &Tool,
    given: &Map<String, Value>,
) -> Option<ActionError> {
    head.member()?;
    let reads_files = match &tool.endpoint {
        Some(called) => called.reach == Reach::Files,
        None => OF_FILES.contains(&tool.action.as_str()),
    };
    let names = || given.values().any(names_stored);
    let message = "in a run of a member of a team a model reads no files of the agent's owner";
    (reads_files || names()).then(|| ActionError::terminal("TOOL_REFUSED", message))
}

/// What does not fit the arguments of an endpoint, as the model was told them. The arguments of an action are checked when they
/// are prepared.
pub(crate) fn misfits(tool: &Tool, given: &Map<String, Value>) -> Option<ActionError> {
    let called = tool.endpoint.as_ref()?;
    let literal = given.iter().map(|(name, value)| (name.clone(), literal(value.clone())));
    let (given, scope) = (literal.collect(), Scope::new());
    let problems = bind(&given, &called.inputs, &scope, Undefined::Fails).err()?;
    let said: Vec<String> = problems.iter().map(ToString::to_string).collect();
    Some(ActionError::terminal("STEP_INPUT_INVALID", said.join("; ")))
}
