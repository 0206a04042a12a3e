//! To-dos of a person.

use countersign_identity::UserId;
use countersign_store_kit::{Expr, Key, Page, Query, StoreError, Window, Write};
use countersign_todo::{Change, Changed, Todo, TodoId};
use jiff::Timestamp;
use serde::Serialize;

use crate::against_others::against_others;
use crate::keys;
use crate::tables::CALL_KEPT;
use crate::{Answer, ContentError, ContentStore, Result, derived};

/// The most to-dos that one search looks through.
const MAX_READ: usize = 5_000;
/// The most bytes of texts that one search gives.
const MAX_GIVEN: usize = 4 * 1024 * 1024;
/// To-dos a page.
const PAGE: i32 = 500;

/// To-dos that were looked for, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundTodos {
    /// The first of them.
    pub todos: Vec<Todo>,
    /// Whether there are no others.
    pub is_complete: bool,
}

/// A change on its way to a to-do.
#[derive(Debug, Clone)]
pub struct TodoChange<'a> {
    /// Whose to-do.
    pub owner: &'a UserId,
    /// The to-do, `todo_…`.
    pub todo: &'a str,
    /// What is to be different.
    pub change: &'a Change,
    /// The same for every attempt of one call; none when doing it twice does no harm.
    pub idempotency_key: Option<&'a str>,
    /// When.
    pub now: Timestamp,
}

impl ContentStore {
    /// Writes a to-do unless one with its id exists; answers with the one that stands.
    pub fn create_todo<'a>(&'a self, todo: &'a Todo) -> Answer<'a, Todo> {
        Box::pin(async move { self.table.put_once(put(todo)?, todo).await })
    }

    /// A to-do of this owner.
    pub fn todo(&self, owner: &UserId, id: &TodoId) -> Answer<'_, Option<Todo>> {
        self.table.read(keys::todo(owner, id))
    }

    /// The to-dos of an owner, oldest first.
    pub fn todos(&self, owner: &UserId, window: Window) -> Answer<'_, Page<Todo>> {
        self.table.page(Query::index(&keys::todos(owner)).within(window))
    }

    /// The first to-dos of an owner that `takes` accepts, `max` at most.
    pub fn find_todos<'a>(
        &'a self,
        owner: &'a UserId,
        max: usize,
        takes: impl Fn(&Todo) -> bool + Send + Sync + 'a,
    ) -> Answer<'a, FoundTodos> {
        Box::pin(async move {
            let (mut todos, mut bytes, mut read, mut next) = (Vec::new(), 0, 0, None);
            loop {
                let page = self.todos(owner, Window { limit: PAGE, after: next }).await?;
                read += page.items.len();
                for todo in page.items.into_iter().filter(|todo| takes(todo)) {
                    bytes += todo.bytes();
                    if todos.len() == max || bytes > MAX_GIVEN {
                        return Ok(FoundTodos { todos, is_complete: false });
                    }
                    todos.push(todo);
                }
                next = page.next;
                if next.is_none() || read >= MAX_READ {
                    return Ok(FoundTodos { todos, is_complete: next.is_none() });
                }
            }
        })
    }

    /// Changes a to-do. A repeated call changes nothing and answers as the first.
    ///
    /// # Errors
    /// [`ContentError::NoTodo`], [`ContentError::TooManyTags`] and [`ContentError::Store`].
    pub async fn change_todo(&self, change: TodoChange<'_>) -> Result<Changed> {
        against_others(|| self.try_change(&change)).await
    }

    async fn try_change(&self, asked: &TodoChange<'_>) -> Result<Changed> {
        let missing = || ContentError::NoTodo(asked.todo.chars().take(80).collect());
        let id = TodoId::parse(asked.todo).map_err(|_| missing())?;
        let mark = asked.idempotency_key.map(|key| call(asked.owner, &id, key));
        if let Some(mark) = &mark
            && let Some(done) = self.table.get::<Changed>(mark).await?
        {
            return Ok(done);
        }
        let todo: Option<Todo> = self.table.get(&keys::todo(asked.owner, &id)).await?;
        let todo = todo.ok_or_else(missing)?;
        let changed = todo.changed(asked.change, asked.now).ok_or(ContentError::TooManyTags)?;
        let mut writes = Vec::new();
        if !changed.updated_fields.is_empty() {
            let is_same = Expr::new("#version = :before").bind("before", &todo.version)?;
            writes.push(update(&changed.todo)?.when(is_same));
        }
        if let Some(mark) = &mark {
            let done = Write::put(mark, &changed)?;
            writes.push(done.expires_at(asked.now.as_second() + CALL_KEPT).if_absent());
        }
        match writes.pop() {
            Some(only) if writes.is_empty() => self.table.write(only).await?,
            Some(last) => self.table.transact(writes.into_iter().chain([last]).collect()).await?,
            None => {}
        }
        Ok(changed)
    }
}

fn put(todo: &Todo) -> std::result::Result<Write, StoreError> {
    let put = Write::put(&keys::todo(&todo.owner, &todo.id), todo)?;
    Ok(put.indexed(&keys::todos(&todo.owner), &keys::at(todo.created_at, &todo.id)))
}

/// The write of what a change may make different, and of nothing else: the API's role may set these attributes only.
fn update(todo: &Todo) -> std::result::Result<Write, StoreError> {
    let write = Write::update(&keys::todo(&todo.owner, &todo.id))
        .set("state", &todo.state)?
        .set("tags", &todo.tags)?
        .set("notes", &todo.notes)?
        .set("updated_at", &todo.updated_at)?
        .set("version", &todo.version)?;
    let write = or_none(write, "priority", todo.priority.as_ref())?;
    let write = or_none(write, "deadline", todo.deadline.as_ref())?;
    let write = or_none(write, "scheduled", todo.scheduled.as_ref())?;
    or_none(write, "completed_at", todo.completed_at.as_ref())
}

fn or_none<T: Serialize>(
    write: Write,
    name: &str,
    value: Option<&T>,
) -> std::result::Result<Write, StoreError> {
    match value {
        Some(value) => write.set(name, value),
        None => Ok(write.remove(name)),
    }
}

fn call(owner: &UserId, id: &TodoId, key: &str) -> Key {
    keys::todo_call(owner, id, &hex::encode(derived(&["todo", key])))
}
