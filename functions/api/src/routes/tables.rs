//! `/workspaces/{id}/tables`.

use super::answers::TableAnswer;
use crate::lists::{Asked, PageOf};
use countersign_store_content::TableInfo;
use countersign_web::{Page, PageQuery, Path};

/// The tables of a workspace of the caller.
#[utoipa::path(
    get, path = "/workspaces/{id}/tables", tag = "content", params(("id" = String, Path, description = "the workspace"), PageQuery),
    responses((status = 200, body = Page<TableAnswer>))
)]
pub(crate) async fn list(
    asked: Asked<PageQuery>,
    Path(workspace): Path<String>,
) -> PageOf<TableInfo> {
    let (owner, workspace) = (&asked.owner, Some(workspace.as_str()));
    let read = |window| asked.ctx.content.tables(owner, workspace, window);
    asked.listed("tables", &[("workspace", workspace)], read).await
}
