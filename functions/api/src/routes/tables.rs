//! `/workspaces/{id}/tables`.

use axum::extract::State;
use countersign_store_content::TableInfo;
use countersign_web::{Cursor, Json, Page, PageQuery, Path, Problem, Query};
use serde_json::Value;

use super::{Ctx, Reader};

/// The tables of a workspace of the caller.
#[utoipa::path(
    get, path = "/workspaces/{id}/tables", tag = "content", params(("id" = String, Path, description = "the workspace"), PageQuery),
    responses((status = 200, body = Page<Value>))
)]
pub(crate) async fn list(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path(workspace): Path<String>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<TableInfo>>, Problem> {
    let cursor =
        Cursor::new(ctx.cursors.get().await?, owner, "tables", &[("workspace", Some(&workspace))]);
    let after = query.after(&cursor)?;
    let page =
        ctx.content.tables(owner, Some(&workspace), query.limit()?, after.as_deref()).await?;
    Ok(Json(cursor.page(page.items, page.next.as_deref())))
}
