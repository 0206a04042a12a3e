//! `/executions/{id}/discoveries` (F-349): what a run found that the graph did not have.

use countersign_knowledge::Discovery;
use countersign_run::RunId;
use countersign_web::{Page, PageQuery, Path};

use super::answers::DiscoveryAnswer;
use super::execution::own;
use crate::lists::{Asked, PageOf};

/// What a run of the caller found, in whichever part of the graph.
#[utoipa::path(
    get, path = "/executions/{id}/discoveries", tag = "knowledge",
    params(("id" = String, Path, description = "`run_…`"), PageQuery),
    responses((status = 200, body = Page<DiscoveryAnswer>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(asked: Asked<PageQuery>, Path(id): Path<RunId>) -> PageOf<Discovery> {
    let head = own(&asked.ctx, &asked.owner, &id).await?;
    let read = |window| asked.ctx.knowledge.discoveries_of(&head.owner, id.as_str(), window);
    asked.listed("discoveries", &[("execution", Some(id.as_str()))], read).await
}
