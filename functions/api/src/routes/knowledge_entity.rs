//! `/knowledge/entities/{id}` (F-252), with its sources (F-268) and documents (F-256).

use countersign_knowledge::explore::EntityRecord;
use countersign_knowledge::{Document, EntityId, InDocument};
use countersign_web::{Json, Path};
use schemars::JsonSchema;
use serde::Serialize;

use super::knowledge::{Graph, Part};
use super::knowledge_sources::{SourceView, views};
use super::{JsonOf, found};
use crate::documented::documented;

/// An entity with where it was found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EntityDetail {
    #[serde(flatten)]
    record: EntityRecord,
    /// What runs asked of connectors when they found it.
    discovered_by: Vec<SourceView>,
    /// The documents that name it.
    mentioned_in: Vec<EntityInDocument>,
}

documented!(EntityDetail);

/// A document with how the entity stands in it.
#[derive(Debug, Serialize, JsonSchema)]
struct EntityInDocument {
    #[serde(flatten)]
    mention: Option<InDocument>,
    document: Document,
}

/// One entity, or the one that it was merged into, with where it was found: `discovered_by` and `mentioned_in`.
#[utoipa::path(
    get, path = "/knowledge/entities/{id}", tag = "knowledge",
    params(("id" = String, Path, description = "`ent_…`"), Part),
    responses((status = 200, body = EntityDetail), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(graph: Graph, Path(id): Path<EntityId>) -> JsonOf<EntityDetail> {
    let Graph { ctx, scope, .. } = &graph;
    let entity = found(ctx.knowledge.entity(scope, &id).await?)?;
    let (sources, documents) = ctx.knowledge.origins(scope, &entity).await?;
    let discovered_by = views(ctx, &scope.owner, sources).await?;
    let mention = |document: Document| EntityInDocument {
        mention: entity.mentioned_in.get(&document.id).cloned(),
        document,
    };
    let mentioned_in = documents.into_iter().map(mention).collect();
    Ok(Json(EntityDetail { record: entity.into(), discovered_by, mentioned_in }))
}
