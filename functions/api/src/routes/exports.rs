//! `/exports`.

use axum::extract::State;
use countersign_store_content::Export;
use countersign_web::{Cursor, Json, Page, PageQuery, Problem, Query};
use serde_json::Value;

use super::{Ctx, Reader};

/// The caller's exported files, newest first.
#[utoipa::path(get, path = "/exports", tag = "content", params(PageQuery), responses((status = 200, body = Page<Value>)))]
pub(crate) async fn list(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<Export>>, Problem> {
    let cursor = Cursor::new(ctx.cursors.get().await?, owner, "exports", &[]);
    let after = query.after(&cursor)?;
    let page = ctx.content.exports(owner, query.limit()?, after.as_deref()).await?;
    Ok(Json(cursor.page(page.items, page.next.as_deref())))
}
