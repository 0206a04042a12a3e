//! Marks a to-do of the run's owner as done.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Action, Contract};

/// The declaration.
#[derive(Debug)]
pub struct CompleteTodo;

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// The to-do, `todo_…`.
    #[schemars(length(min = 1, max = 100))]
    pub todo_id: String,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// What is noted on it.
    #[schemars(length(max = 10_000))]
    pub completion_note: Option<String>,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Whether it was done; always true.
    pub success: bool,
    /// When it was done; of what was done before, then.
    pub completed_at: String,
}

impl Action for CompleteTodo {
    const NAME: &'static str = "complete_todo";
    const FUNCTION: &'static str = "tool-files";
    const DESCRIPTION: &'static str = "Marks a to-do of the run's owner as done.";
    const REFUSED: [&'static str; 3] = ["TODO_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;

    fn describe(contract: Contract) -> Contract {
        Contract { writes: true, ..contract }
    }
}
