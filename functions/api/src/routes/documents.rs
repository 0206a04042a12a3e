//! `/documents`.
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use axum::extract::State;
use countersign_store_content::Document;
use countersign_web::{Cursor, Json, Page, PageQuery, Problem, Query};
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;

use super::{Ctx, Reader};

/// What to list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentQuery {
    /// At most so many items, 1 to 100; 50 when left out.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// Only one folder.
    folder: Option<String>,
}

/// The caller's documents: those of a folder newest first, or all of them by id.
#[utoipa::path(get, path = "/documents", tag = "content", params(DocumentQuery), responses((status = 200, body = Page<Value>)))]
pub(crate) async fn list(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Query(query): Query<DocumentQuery>,
) -> Result<Json<Page<Document>>, Problem> {
    let cursor = Cursor::new(
        ctx.cursors.get().await?,
        owner,
        "documents",
        &[("folder", query.folder.as_deref())],
    );
    let paging = PageQuery { limit: query.limit, cursor: query.cursor };
    let after = paging.after(&cursor)?;
    let page = ctx
        .content
        .documents(owner, query.folder.as_deref(), paging.limit()?, after.as_deref())
        .await?;
    Ok(Json(cursor.page(page.items, page.next.as_deref())))
}
