//! The playbook's variables: what was given, checked and completed (F-135).

use countersign_playbook::{InputDecl, InputType, ValidPlaybook};
use countersign_wiring::{all_or_errors, coerce};
use serde_json::{Map, Value};

/// The most text one variable may carry, bytes of JSON.
const MAX_BYTES: usize = 256 * 1024;

/// Unknown names that are told.
const MAX_TOLD: usize = 20;

/// A variable that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}`: {problem}")]
pub struct InputProblem {
    /// The variable.
    pub name: String,
    /// What is wrong.
    pub problem: String,
}

/// Checks the given variables against the playbook's declarations, fills in defaults, and gives each its type.
///
/// # Errors
/// Every [`InputProblem`]: missing ones, wrong types, names the playbook does not declare, values that are too large.
pub fn inputs(
    playbook: &ValidPlaybook,
    given: &Map<String, Value>,
) -> Result<Map<String, Value>, Vec<InputProblem>> {
    let declared = |name: &str| playbook.inputs.iter().any(|decl| decl.name == name);
    let unknown = given
        .keys()
        .filter(|name| !declared(name))
        .take(MAX_TOLD)
        .map(|name| problem(name, "the playbook declares no such input"));
    let filled = |decl: &InputDecl| (decl.name.clone(), value(decl, given.get(&decl.name)));
    all_or_errors(unknown.collect(), playbook.inputs.iter().map(filled))
}

fn value(decl: &InputDecl, given: Option<&Value>) -> Result<Option<Value>, InputProblem> {
    let value = given.filter(|value| !value.is_null()).or(decl.default.as_ref());
    match value {
        Some(value) if value.to_string().len() > MAX_BYTES => {
            Err(problem(&decl.name, "the value is larger than 256 KB"))
        }
        // One text is a list of one.
        Some(text @ Value::String(_)) if decl.input_type == InputType::List => {
            Ok(Some(Value::Array(vec![text.clone()])))
        }
        Some(value) => coerce(value.clone(), &decl.input_type.data_type())
            .map(Some)
            .map_err(|error| problem(&decl.name, &error.to_string())),
        None if decl.required => Err(problem(&decl.name, "is required")),
        None => Ok(None),
    }
}

fn problem(name: &str, problem: &str) -> InputProblem {
    InputProblem { name: name.chars().take(80).collect(), problem: problem.to_owned() }
}
