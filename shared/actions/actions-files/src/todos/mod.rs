//! The actions on to-dos (F-075…F-079).

mod complete;
mod create;
mod list;
mod search;
mod update;

use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::todo_record::{TodoRecord, Todos};
use countersign_store_content::{ContentStore, FoundTodos, TodoChange};
use countersign_todo::{Change, Changed, MAX_TITLE};

pub(crate) use complete::CompleteTodo;
pub(crate) use create::CreateTodo;
pub(crate) use list::ListTodos;
pub(crate) use search::SearchTodos;
pub(crate) use update::UpdateTodo;

use crate::{failed, refused};

/// What a call found, and whether that is all.
fn output(found: FoundTodos) -> Todos {
    let left = "there are more: only the first are given";
    let warnings: Vec<String> = if found.is_complete { Vec::new() } else { vec![left.to_owned()] };
    Todos {
        count: found.todos.len() as u64,
        todos: found.todos.into_iter().map(TodoRecord::from).collect(),
        warning_count: warnings.len() as u64,
        warnings,
    }
}

/// A to-do that a call changes, once.
async fn changed(
    content: &ContentStore,
    call: &Call,
    todo: &str,
    change: &Change,
) -> Result<Changed, ActionError> {
    let asked = TodoChange {
        owner: &call.owner,
        todo,
        change,
        idempotency_key: Some(&call.idempotency_key),
        now: call.now,
    };
    content.change_todo(asked).await.map_err(failed)
}

/// A title: one line.
fn title(text: &str) -> Result<String, ActionError> {
    let title = text.trim();
    if title.chars().any(char::is_control) {
        let message = format!("`title` must be one line of at most {MAX_TITLE} characters");
        return Err(refused("TODO_ARGUMENT", message));
    }
    Ok(title.to_owned())
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn f_075_a_title_is_one_line() {
        assert_eq!(title(" Call Bo ").unwrap(), "Call Bo");
        assert_eq!(title("a\nb").unwrap_err().code, "TODO_ARGUMENT");
    }
}
