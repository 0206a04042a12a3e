//! Finds to-dos of the run's owner by words in their title, body and tags.

use countersign_todo::State;
use schemars::JsonSchema;
use serde::Deserialize;

use super::todo_record::Todos;
use crate::Action;
use crate::explain::Problem;

/// The declaration.
#[derive(Debug)]
pub struct SearchTodos;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// Words that all have to be there, in any case of letters.
    #[schemars(length(min = 1, max = 300))]
    pub query: String,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Only these states.
    #[serde(default)]
    pub states: Vec<State>,
    /// Whether what is done is found too, when `states` does not say.
    #[serde(default)]
    pub include_done: bool,
}

impl Action for SearchTodos {
    const NAME: &'static str = "search_todos";
    const FUNCTION: &'static str = "tool-files";
    const DESCRIPTION: &'static str =
        "Finds to-dos of the run's owner by words in their title, body and tags.";
    const REFUSED: [&'static str; 3] = ["TODO_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Todos;

    fn rules(params: &Params) -> Vec<Problem> {
        let is_unused = params.include_done && !params.states.is_empty();
        let message = "`include_done` has no effect: `states` says which are found";
        is_unused.then(|| Problem::without_effect("include_done", message)).into_iter().collect()
    }
}
