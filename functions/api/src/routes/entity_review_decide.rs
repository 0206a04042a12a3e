//! `/entity-reviews/{id}/approve`, `/reject`, `/skip` (F-353, F-354, K-72).

use std::collections::BTreeSet;

use countersign_knowledge::decided::Decided;
use countersign_knowledge::review::{Decider, Decision, answer_review, approve as merged};
use countersign_knowledge::{EntityId, KnowledgeError, ReviewId, ReviewRow, ReviewStatus};
use countersign_web::{Json, Path};
use serde::Deserialize;
use utoipa::ToSchema;

use super::entity_review::{Reviewed, shown};
use super::knowledge::{Graph, Part, decider};
use super::{Analyst, JsonOf, found};

/// How they are merged.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Merge {
    /// The one of the two whose id and name stay, `ent_…`; the one that more runs have met when left out.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    keep: Option<EntityId>,
}

/// Makes one of the two. What runs read of either is read of both from now on; `POST /entity-resolution/reverse/{id}` with
/// `log_id` takes it back. Approving twice is approving once.
#[utoipa::path(
    post, path = "/entity-reviews/{id}/approve", tag = "knowledge", request_body = Option<Merge>,
    params(("id" = String, Path, description = "`review_…`"), Part),
    responses((status = 200, body = Reviewed), (status = 404, description = "NOT_FOUND"), (status = 409, description = "REVIEW_CLOSED, or MERGE_IMPOSSIBLE: two kinds, gone, or too many"))
)]
pub(crate) async fn approve(
    graph: Graph<Analyst>,
    Path(id): Path<ReviewId>,
    body: Option<Json<Merge>>,
) -> JsonOf<Reviewed> {
    let Json(body) = body.unwrap_or_default();
    let judge = |by: &Decider, decided: &Decided, review: &ReviewRow| {
        merged(by, decided, review, body.keep.as_ref())
    };
    decide(&graph, &id, judge).await
}

/// Keeps the two apart: they are not asked about again, and no run merges them. Rejecting twice is rejecting once.
#[utoipa::path(
    post, path = "/entity-reviews/{id}/reject", tag = "knowledge",
    params(("id" = String, Path, description = "`review_…`"), Part),
    responses((status = 200, body = Reviewed), (status = 404, description = "NOT_FOUND"), (status = 409, description = "REVIEW_CLOSED"))
)]
pub(crate) async fn reject(graph: Graph<Analyst>, Path(id): Path<ReviewId>) -> JsonOf<Reviewed> {
    answer(&graph, &id, ReviewStatus::Rejected).await
}

/// Puts the question aside; it can still be decided.
#[utoipa::path(
    post, path = "/entity-reviews/{id}/skip", tag = "knowledge",
    params(("id" = String, Path, description = "`review_…`"), Part),
    responses((status = 200, body = Reviewed), (status = 404, description = "NOT_FOUND"), (status = 409, description = "REVIEW_CLOSED"))
)]
pub(crate) async fn skip(graph: Graph<Analyst>, Path(id): Path<ReviewId>) -> JsonOf<Reviewed> {
    answer(&graph, &id, ReviewStatus::Skipped).await
}

async fn answer(graph: &Graph<Analyst>, id: &ReviewId, status: ReviewStatus) -> JsonOf<Reviewed> {
    decide(graph, id, |by, _, review| answer_review(by, review, status)).await
}

async fn decide(
    graph: &Graph<Analyst>,
    id: &ReviewId,
    judge: impl Fn(&Decider, &Decided, &ReviewRow) -> Result<Decision, KnowledgeError> + Send + Sync,
) -> JsonOf<Reviewed> {
    let Graph { ctx, scope, .. } = graph;
    let review = found(ctx.knowledge.review(scope, id).await?)?;
    let by = decider(scope);
    let about =
        BTreeSet::from([review.source_entity_id.clone(), review.candidate_entity_id.clone()]);
    let judged = |decided: &Decided| judge(&by, decided, &review);
    let mut decision = ctx.knowledge.decide(scope, about, &judged).await??;
    let after = decision.reviews.pop().map_or(review, |(_, after)| after);
    Ok(Json(shown(ctx, scope, after).await?))
}
