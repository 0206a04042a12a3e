//! `/workspaces/{id}/tables/{name}/rows`.

use countersign_web::{Page, PageQuery, Path};
use serde_json::{Map, Value};

use super::found;
use crate::lists::{Asked, PageOf};

/// The rows of a table of the caller, in the order they came.
#[utoipa::path(
    get, path = "/workspaces/{id}/tables/{name}/rows", tag = "content",
    params(("id" = String, Path, description = "the workspace"), ("name" = String, Path, description = "the table"), PageQuery),
    responses((status = 200, body = Page<Value>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(
    asked: Asked<PageQuery>,
    Path((workspace, table)): Path<(String, String)>,
) -> PageOf<Map<String, Value>> {
    let (content, owner) = (&asked.ctx.content, &asked.owner);
    let filters = [("workspace", Some(workspace.as_str())), ("table", Some(table.as_str()))];
    let paging = asked.paging("rows", &filters).await?;
    found(content.table(owner, &workspace, &table).await?)?;
    let rows = content.rows(owner, &workspace, &table, paging.window());
    paging.page(rows.await?)
}
