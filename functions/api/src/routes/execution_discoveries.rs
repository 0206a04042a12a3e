//! `/executions/{id}/discoveries` (F-349): what a run found that the graph did not have.

use axum::extract::State;
use countersign_knowledge::Discovery;
use countersign_run::RunId;
use countersign_store_knowledge::Window;
use countersign_web::{Cursor, Json, Page, PageQuery, Path, Problem, Query};
use serde_json::Value;

use super::execution::own;
use super::{Ctx, Reader};

/// What a run of the caller found, in whichever part of the graph.
#[utoipa::path(
    get, path = "/executions/{id}/discoveries", tag = "knowledge",
    params(("id" = String, Path, description = "`run_…`"), PageQuery),
    responses((status = 200, body = Page<Value>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path(id): Path<RunId>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<Discovery>>, Problem> {
    let head = own(&ctx, owner, &id).await?;
    let filters = [("execution", Some(id.as_str()))];
    let cursor = Cursor::new(ctx.cursors.get().await?, owner, "discoveries", &filters);
    let (limit, after) = (query.limit()?, query.after(&cursor)?);
    let window = Window { limit, after: after.as_deref() };
    let page = ctx.knowledge.discoveries_of(&head.owner, id.as_str(), window).await?;
    Ok(Json(cursor.page(page.items, page.next.as_deref())))
}
