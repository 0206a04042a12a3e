//! The actions on to-dos (F-075…F-079).

mod complete;
mod create;
mod list;
mod search;
mod update;

use countersign_identity::UserId;
use countersign_registry::action::ActionError;
use countersign_registry::actions::todo_record::{TodoRecord, Todos};
use countersign_store_content::ContentStore;
use countersign_todo::{MAX_TITLE, Todo};

pub(crate) use complete::CompleteTodo;
pub(crate) use create::CreateTodo;
pub(crate) use list::ListTodos;
pub(crate) use search::SearchTodos;
pub(crate) use update::UpdateTodo;

use crate::{failed, refused};

/// The most to-dos that one call looks through.
const MAX_READ: usize = 5_000;
/// To-dos a page.
const PAGE: i32 = 500;

/// What a call found.
pub(crate) struct Matching {
    pub(crate) todos: Vec<Todo>,
    /// Whether there are no others.
    pub(crate) is_complete: bool,
}

/// The first to-dos of an owner that `takes` accepts, oldest first.
pub(crate) async fn matching(
    content: &ContentStore,
    owner: &UserId,
    max: usize,
    takes: impl Fn(&Todo) -> bool,
) -> Result<Matching, ActionError> {
    let (mut todos, mut next, mut read) = (Vec::new(), None, 0);
    loop {
        let page = content.todos(owner, PAGE, next.as_deref()).await.map_err(failed)?;
        read += page.items.len();
        todos.extend(page.items.into_iter().filter(|todo| takes(todo)));
        next = page.next;
        if next.is_none() || todos.len() > max || read >= MAX_READ {
            break;
        }
    }
    let is_complete = next.is_none() && todos.len() <= max;
    todos.truncate(max);
    Ok(Matching { todos, is_complete })
}

impl Matching {
    fn output(self) -> Todos {
        let left = "there are more: only the first are given";
        let warnings: Vec<String> =
            if self.is_complete { Vec::new() } else { vec![left.to_owned()] };
        Todos {
            count: self.todos.len() as u64,
            todos: self.todos.into_iter().map(TodoRecord::from).collect(),
            warning_count: warnings.len() as u64,
            warnings,
        }
    }
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
