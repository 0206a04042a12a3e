//! `/entity-reviews/{id}`: a merge that people are asked about, with what is known of both sides (F-248).

use std::collections::BTreeSet;

use countersign_knowledge::explore::{EntityRecord, Explore as _};
use countersign_knowledge::graph::Scope;
use countersign_knowledge::{Document, EntityId, ReviewId, ReviewRow};
use countersign_web::{Json, Path, Problem};
use schemars::JsonSchema;
use serde::Serialize;

use super::knowledge::{Graph, Part};
use super::{JsonOf, found};
use crate::Context;
use crate::documented::documented;

/// A review with what is known of both sides.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "EntityReviewDetail")]
pub(crate) struct Reviewed {
    /// The review.
    #[serde(flatten)]
    review: ReviewRow,
    /// The one entity as it is now; null when it is gone.
    source: Option<EntityRecord>,
    /// The other; the same when they are one now.
    candidate: Option<EntityRecord>,
    /// The runs that both were read in.
    shared_executions: BTreeSet<String>,
    /// The documents that name the one entity: `id`, `reference`, `title`, `doc_type`, `created_at`.
    source_documents: Vec<Document>,
    /// Those of them that name the other as well.
    shared_documents: Vec<Document>,
}

documented!(Reviewed);

/// One review.
#[utoipa::path(
    get, path = "/entity-reviews/{id}", tag = "knowledge",
    params(("id" = String, Path, description = "`review_…`"), Part),
    responses((status = 200, body = Reviewed), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(graph: Graph, Path(id): Path<ReviewId>) -> JsonOf<Reviewed> {
    let Graph { ctx, scope, .. } = &graph;
    let review = found(ctx.knowledge.review(scope, &id).await?)?;
    Ok(Json(shown(ctx, scope, review).await?))
}

/// A review as it is shown.
pub(crate) async fn shown(
    ctx: &Context,
    scope: &Scope,
    review: ReviewRow,
) -> Result<Reviewed, Problem> {
    let source = ctx.knowledge.entity(scope, &review.source_entity_id).await?;
    let candidate = ctx.knowledge.entity(scope, &review.candidate_entity_id).await?;
    let shared_executions = match (&source, &candidate) {
        (Some(one), Some(other)) => one.sources.intersection(&other.sources).cloned().collect(),
        _ => BTreeSet::new(),
    };
    let source_documents = match &source {
        Some(entity) => ctx.knowledge.origins(scope, entity).await?.1,
        None => Vec::new(),
    };
    let names_both = |document: &&Document| {
        candidate.as_ref().is_some_and(|other| other.mentioned_in.contains_key(&document.id))
    };
    let shared_documents = source_documents.iter().filter(names_both).cloned().collect();
    Ok(Reviewed {
        review,
        source: source.map(EntityRecord::from),
        candidate: candidate.map(EntityRecord::from),
        shared_executions,
        source_documents,
        shared_documents,
    })
}

/// Entities as they are now, by id.
pub(crate) async fn entities(
    ctx: &Context,
    scope: &Scope,
    ids: BTreeSet<EntityId>,
) -> Result<Vec<EntityRecord>, Problem> {
    let found = ctx.knowledge.by_ids(scope, ids).await.map_err(|error| Problem::of(&*error))?;
    Ok(found.into_iter().map(EntityRecord::from).collect())
}
