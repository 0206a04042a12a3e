//! `/workspaces/{id}/tables/{name}/rows`.

use axum::extract::State;
use countersign_web::{Cursor, Json, Page, PageQuery, Path, Problem, Query};
use serde_json::{Map, Value};

use super::{Ctx, Reader, found};

/// The rows of a table of the caller, in the order they came.
#[utoipa::path(
    get, path = "/workspaces/{id}/tables/{name}/rows", tag = "content",
    params(("id" = String, Path, description = "the workspace"), ("name" = String, Path, description = "the table"), PageQuery),
    responses((status = 200, body = Page<Value>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path((workspace, table)): Path<(String, String)>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<Map<String, Value>>>, Problem> {
    let cursor = Cursor::new(
        ctx.cursors.get().await?,
        owner,
        "rows",
        &[("workspace", Some(&workspace)), ("table", Some(&table))],
    );
    let after = query.after(&cursor)?;
    found(ctx.content.table(owner, &workspace, &table).await?)?;
    let page =
        ctx.content.rows(owner, &workspace, &table, query.limit()?, after.as_deref()).await?;
    Ok(Json(cursor.page(page.items, page.next.as_deref())))
}
