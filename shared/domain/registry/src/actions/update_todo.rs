//! Changes a to-do of the run's owner.

use countersign_todo::{Day, Priority, State, Tag};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Action, Contract};

/// The declaration.
#[derive(Debug)]
pub struct UpdateTodo;

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
    /// Where it is in its life.
    pub state: Option<State>,
    /// How important it is.
    pub priority: Option<Priority>,
    /// The day by which it has to be done.
    pub deadline: Option<Day>,
    /// The day on which to begin.
    pub scheduled: Option<Day>,
    /// Tags that it gets.
    #[serde(default)]
    #[schemars(length(max = 20))]
    pub add_tags: Vec<Tag>,
    /// Tags that it loses.
    #[serde(default)]
    #[schemars(length(max = 20))]
    pub remove_tags: Vec<Tag>,
    /// What is noted on it.
    #[schemars(length(max = 10_000))]
    pub add_note: Option<String>,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Whether it was done; always true.
    pub success: bool,
    /// Which of its fields are not as they were.
    pub updated_fields: Vec<String>,
}

impl Action for UpdateTodo {
    const NAME: &'static str = "update_todo";
    const FUNCTION: &'static str = "tool-files";
    const DESCRIPTION: &'static str = "Changes a to-do of the run's owner.";
    const REFUSED: [&'static str; 3] = ["TODO_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;

    fn describe(contract: Contract) -> Contract {
        Contract { writes: true, ..contract }
    }
}
