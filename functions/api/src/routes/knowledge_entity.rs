//! `/knowledge/entities/{id}` (F-252).

use axum::extract::State;
use countersign_knowledge::EntityId;
use countersign_knowledge::explore::entity_record;
use countersign_web::{Json, Path, Problem, Query};
use serde_json::Value;

use super::knowledge::Part;
use super::{Ctx, Reader, found};

/// One entity, or the one that it was merged into.
#[utoipa::path(
    get, path = "/knowledge/entities/{id}", tag = "knowledge",
    params(("id" = String, Path, description = "`ent_…`"), Part),
    responses((status = 200, body = Value), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path(id): Path<EntityId>,
    Query(part): Query<Part>,
) -> Result<Json<Value>, Problem> {
    let scope = part.scope(owner);
    Ok(Json(entity_record(&found(ctx.knowledge.entity(&scope, &id).await?)?)))
}
