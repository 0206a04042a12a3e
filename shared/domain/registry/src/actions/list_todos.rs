//! Lists to-dos of the run's owner.

use countersign_todo::{Day, ListName, Tag, Wanted};
use schemars::JsonSchema;
use serde::Deserialize;

use super::todo_record::Todos;
use crate::Action;

/// The declaration.
#[derive(Debug)]
pub struct ListTodos;

fn limit() -> u32 {
    100
}

/// Data wired from other steps.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inputs {
    /// Which states.
    #[serde(default)]
    pub state: Wanted,
}

/// Settings.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Params {
    /// Only those that have all of these tags.
    #[serde(default)]
    #[schemars(length(max = 20))]
    pub tags: Vec<Tag>,
    /// Only those with a deadline before this day.
    pub deadline_before: Option<Day>,
    /// Only those of this list, such as `todos.org`.
    pub file_id: Option<ListName>,
    /// At most so many.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 500))]
    pub limit: u32,
}

impl Action for ListTodos {
    const NAME: &'static str = "list_todos";
    const FUNCTION: &'static str = "tool-files";
    const DESCRIPTION: &'static str = "Lists to-dos of the run's owner.";
    const REFUSED: [&'static str; 3] = ["TODO_ARGUMENT"; 3];
    type Inputs = Inputs;
    type Params = Params;
    type Output = Todos;
}
