//! A to-do as actions give it.

use countersign_todo::{Priority, State, Todo};
use schemars::JsonSchema;
use serde::Serialize;

/// A to-do.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TodoRecord {
    /// Its id, `todo_…`.
    pub todo_id: String,
    /// Its title.
    pub title: String,
    /// More about it.
    pub body: String,
    /// Where it is in its life.
    pub state: State,
    /// How important it is.
    pub priority: Option<Priority>,
    /// The day by which it has to be done.
    pub deadline: Option<String>,
    /// The day on which to begin.
    pub scheduled: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// The list it belongs to.
    pub file_id: String,
    /// Where that list is found.
    pub file_path: String,
    /// When it was made.
    pub created_at: String,
    /// When it was changed last.
    pub updated_at: String,
    /// When it was done.
    pub completed_at: Option<String>,
}

impl From<Todo> for TodoRecord {
    fn from(todo: Todo) -> Self {
        Self {
            todo_id: todo.id.to_string(),
            title: todo.title,
            body: todo.body,
            state: todo.state,
            priority: todo.priority,
            deadline: todo.deadline.map(String::from),
            scheduled: todo.scheduled.map(String::from),
            tags: todo.tags.into_iter().map(String::from).collect(),
            file_path: todo.file.path(),
            file_id: todo.file.into(),
            created_at: todo.created_at.to_string(),
            updated_at: todo.updated_at.to_string(),
            completed_at: todo.completed_at.map(|at| at.to_string()),
        }
    }
}

/// To-dos that were found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Todos {
    /// The to-dos, oldest first.
    pub todos: Vec<TodoRecord>,
    /// How many there are here.
    pub count: u64,
    /// What was left out.
    pub warnings: Vec<String>,
    /// How many warnings there are.
    pub warning_count: u64,
}
