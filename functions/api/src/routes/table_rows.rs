//! `/workspaces/{id}/tables/{name}/rows`.

use countersign_web::{Page, PageQuery, Path};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::found;
use crate::documented::documented;
use crate::lists::{Asked, PageOf};

/// The values of a row by the names of its columns, which each table chooses.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct TableRow(Map<String, Value>);

documented!(TableRow);

/// The rows of a table of the caller, in the order they came.
#[utoipa::path(
    get, path = "/workspaces/{id}/tables/{name}/rows", tag = "content",
    params(("id" = String, Path, description = "the workspace"), ("name" = String, Path, description = "the table"), PageQuery),
    responses((status = 200, body = Page<TableRow>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(
    asked: Asked<PageQuery>,
    Path((workspace, table)): Path<(String, String)>,
) -> PageOf<TableRow> {
    let (content, owner) = (&asked.ctx.content, &asked.owner);
    let filters = [("workspace", Some(workspace.as_str())), ("table", Some(table.as_str()))];
    let paging = asked.paging("rows", &filters).await?;
    found(content.table(owner, &workspace, &table).await?)?;
    let rows = content.rows(owner, &workspace, &table, paging.window());
    paging.page(rows.await?.map(TableRow))
}
