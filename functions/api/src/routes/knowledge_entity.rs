//! `/knowledge/entities/{id}` (F-252), with its sources (F-268) and documents (F-256).

use countersign_knowledge::explore::entity_record;
use countersign_knowledge::{Document, Entity, EntityId};
use countersign_web::{Json, Path};
use serde_json::{Value, json};

use super::knowledge::{Graph, Part};
use super::knowledge_sources::views;
use super::{JsonOf, found};

/// One entity, or the one that it was merged into, with where it was found: `discovered_by` and `mentioned_in`.
#[utoipa::path(
    get, path = "/knowledge/entities/{id}", tag = "knowledge",
    params(("id" = String, Path, description = "`ent_…`"), Part),
    responses((status = 200, body = Value), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(graph: Graph, Path(id): Path<EntityId>) -> JsonOf<Value> {
    let Graph { ctx, scope, .. } = &graph;
    let entity = found(ctx.knowledge.entity(scope, &id).await?)?;
    let (sources, documents) = ctx.knowledge.origins(scope, &entity).await?;
    let mut record = entity_record(&entity);
    record["discovered_by"] = json!(views(ctx, &scope.owner, sources).await?);
    record["mentioned_in"] = documents.iter().map(|one| mention(&entity, one)).collect();
    Ok(Json(record))
}

/// A document with how the entity stands in it.
fn mention(entity: &Entity, document: &Document) -> Value {
    let mut record = json!(entity.mentioned_in.get(&document.id));
    record["document"] = json!(document);
    record
}
