//! `/entity-resolution/reverse/{id}` (F-356).

use std::collections::BTreeSet;

use countersign_knowledge::decided::Decided;
use countersign_knowledge::explore::EntityRecord;
use countersign_knowledge::graph::Scope;
use countersign_knowledge::review::{Decision, concerned, reverse as reversal};
use countersign_knowledge::{EntityId, KnowledgeError, LogId, ResolutionLogRow};
use countersign_web::{Json, Path, Problem};
use schemars::JsonSchema;
use serde::Serialize;

use super::entity_review::entities;
use super::knowledge::{Graph, Part, decider};
use super::{Analyst, JsonOf, found};
use crate::Context;
use crate::documented::documented;

/// What a decision did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ResolutionChange {
    /// The row of the log that it has; none where it only reverses one.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<ResolutionLogRow>,
    /// The row that it has reversed.
    #[serde(skip_serializing_if = "Option::is_none")]
    reversed: Option<ResolutionLogRow>,
    /// The entities that it is about, as they are now.
    entities: Vec<EntityRecord>,
}

documented!(ResolutionChange);

/// Takes back a merge or a split: a person's merge leaves both as if it had not been, and its review is open again; a spelling
/// that a run merged becomes an entity of its own.
#[utoipa::path(
    post, path = "/entity-resolution/reverse/{id}", tag = "knowledge",
    params(("id" = String, Path, description = "`rlog_…`, a row of the log"), Part),
    responses((status = 200, body = ResolutionChange), (status = 404, description = "NOT_FOUND"), (status = 409, description = "NOT_REVERSIBLE: reversed already, of a kind that cannot be, or no longer so; SPLIT_IMPOSSIBLE"))
)]
pub(crate) async fn reverse(
    graph: Graph<Analyst>,
    Path(id): Path<LogId>,
) -> JsonOf<ResolutionChange> {
    let Graph { ctx, scope, .. } = &graph;
    let row = found(ctx.knowledge.log_row(scope, &id).await?)?;
    let review = match &row.review_id {
        Some(review) => ctx.knowledge.review(scope, review).await?,
        None => None,
    };
    let by = decider(scope);
    let judge = |decided: &Decided| reversal(&by, decided, &row, review.as_ref());
    decided(&graph, concerned(scope, &row), judge).await
}

/// Decides about these entities, and says what became of them.
pub(super) async fn decided(
    graph: &Graph<Analyst>,
    about: BTreeSet<EntityId>,
    judge: impl Fn(&Decided) -> Result<Decision, KnowledgeError> + Send + Sync,
) -> JsonOf<ResolutionChange> {
    let decision = graph.ctx.knowledge.decide(&graph.scope, about, &judge).await??;
    Ok(Json(outcome(&graph.ctx, &graph.scope, decision).await?))
}

/// A decision as it is shown.
pub(crate) async fn outcome(
    ctx: &Context,
    scope: &Scope,
    decision: Decision,
) -> Result<ResolutionChange, Problem> {
    let ids = decision.entities.into_iter().map(|entity| entity.id).collect();
    let entities = entities(ctx, scope, ids).await?;
    Ok(ResolutionChange { log: decision.log, reversed: decision.reversed, entities })
}
