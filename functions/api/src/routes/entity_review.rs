//! `/entity-reviews/{id}`: a merge that people are asked about, with what is known of both sides (F-248).

use std::collections::BTreeSet;

use countersign_knowledge::explore::{Explore as _, entity_record};
use countersign_knowledge::graph::Scope;
use countersign_knowledge::{Document, EntityId, ReviewId, ReviewRow};
use countersign_web::{Json, Path, Problem};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::knowledge::{Graph, Part};
use super::{JsonOf, found};
use crate::Context;

/// A review with what is known of both sides.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Reviewed {
    /// The review.
    #[schema(value_type = Object)]
    #[serde(flatten)]
    review: ReviewRow,
    /// The one entity as it is now; null when it is gone.
    #[schema(value_type = Object)]
    source: Value,
    /// The other; the same when they are one now.
    #[schema(value_type = Object)]
    candidate: Value,
    /// The runs that both were read in.
    #[schema(value_type = Vec<String>)]
    shared_executions: BTreeSet<String>,
    /// The documents that name the one entity: `id`, `reference`, `title`, `doc_type`, `created_at`.
    #[schema(value_type = Vec<Object>)]
    source_documents: Vec<Document>,
    /// Those of them that name the other as well.
    #[schema(value_type = Vec<Object>)]
    shared_documents: Vec<Document>,
}

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
    let record = |entity: Option<_>| entity.as_ref().map_or(Value::Null, entity_record);
    let (source, candidate) = (record(source), record(candidate));
    Ok(Reviewed {
        review,
        source,
        candidate,
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
) -> Result<Value, Problem> {
    let found = ctx.knowledge.by_ids(scope, ids).await.map_err(|error| Problem::of(&*error))?;
    Ok(json!(found.iter().map(entity_record).collect::<Vec<Value>>()))
}
