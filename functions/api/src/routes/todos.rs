//! `/todos`.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use countersign_store_content::ContentError;
use countersign_todo::{Filter, Search, Todo, Wanted, org};
use countersign_web::{Page, Problem, Query};
use http::header::CONTENT_TYPE;

use super::answers::TodoAnswer;
use super::{Ctx, Reader};
use crate::lists::{Asked, PageOf};
use crate::queries::{OrgQuery, TodoQuery};

/// The caller's to-dos, oldest first.
#[utoipa::path(get, path = "/todos", tag = "content", params(TodoQuery), responses((status = 200, body = Page<TodoAnswer>)))]
pub(crate) async fn list(asked: Asked<TodoQuery>) -> PageOf<Todo> {
    let query = &asked.query;
    let narrowed = query.narrowed();
    let filter = Filter {
        state: query.state.unwrap_or(Wanted::All),
        tags: query.tag.clone().into_iter().collect(),
        deadline_before: query.deadline_before.clone(),
        file: query.file.clone(),
    };
    let search = Search::of(query.q.as_deref().unwrap_or_default());
    let read = |window| asked.ctx.content.todos(&asked.owner, window);
    let takes = |todo: &Todo| filter.takes(todo) && search.finds(todo);
    asked.sifted("todos", &[("narrowed", Some(&narrowed))], read, takes).await
}

/// A list of the caller's to-dos as an org-mode text.
#[utoipa::path(
    get, path = "/todos/org", tag = "content", params(OrgQuery),
    responses((status = 200, body = String, content_type = "text/plain"), (status = 409, description = "TODO_LIST_TOO_LONG"))
)]
pub(crate) async fn text(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Query(query): Query<OrgQuery>,
) -> Result<Response, Problem> {
    let list = query.file.unwrap_or_default();
    let found = ctx.content.find_todos(owner, usize::MAX, |todo| todo.file == list).await?;
    if !found.is_complete {
        return Err(ContentError::TooManyTodos.into());
    }
    Ok(([(CONTENT_TYPE, "text/plain; charset=utf-8")], org(&found.todos)).into_response())
}
