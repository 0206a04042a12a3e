//! Adds a to-do to a list of the run's owner.

use countersign_todo::{Day, ListName, Priority, State, Tag};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Action, Contract};

/// The declaration.
#[derive(Debug)]
pub struct CreateTodo;

/// The state of a to-do that is new.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum OpenState {
    /// To be done some time.
    #[default]
    Todo,
    /// To be done next.
    Next,
    /// Waits for somebody or something.
    Waiting,
}

impl From<OpenState> for State {
    fn from(state: OpenState) -> Self {
        match state {
            OpenState::Todo => Self::Todo,
            OpenState::Next => Self::Next,
            OpenState::Waiting => Self::Waiting,
        }
    }
}

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// One line that says what to do.
    #[schemars(length(min = 1, max = 300))]
    pub title: String,
    /// More about it.
    #[serde(default)]
    #[schemars(length(max = 10_000))]
    pub body: String,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// How important it is.
    pub priority: Option<Priority>,
    /// Where it is in its life.
    #[serde(default)]
    pub state: OpenState,
    /// The day by which it has to be done.
    pub deadline: Option<Day>,
    /// The day on which to begin.
    pub scheduled: Option<Day>,
    /// Its tags.
    #[serde(default)]
    #[schemars(length(max = 20))]
    pub tags: Vec<Tag>,
    /// The list it is added to, such as `todos.org`.
    #[serde(default)]
    pub target_file: ListName,
}

/// What comes back.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Whether it was done; always true.
    pub success: bool,
    /// The to-do, `todo_…`.
    pub todo_id: String,
    /// The path of its list, which `read_file` reads.
    pub file_path: String,
}

impl Action for CreateTodo {
    const NAME: &'static str = "create_todo";
    const FUNCTION: &'static str = "tool-files";
    const DESCRIPTION: &'static str = "Adds a to-do to a list of the run's owner.";
    const REFUSED: [&'static str; 3] = ["TODO_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Output;

    fn describe(contract: Contract) -> Contract {
        Contract { writes: true, ..contract }
    }
}
