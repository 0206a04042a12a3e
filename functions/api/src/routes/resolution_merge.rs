//! `/entity-resolution/merge`: two entities that a person says are one, without having been asked.

use std::collections::BTreeSet;

use countersign_knowledge::EntityId;
use countersign_knowledge::review::merge as merged;
use countersign_web::Json;
use serde::Deserialize;
use utoipa::ToSchema;

use super::knowledge::{Graph, Part, decider};
use super::resolution_reverse::{ResolutionChange, decided};
use super::{Analyst, JsonOf};

/// What is merged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pair {
    /// The two, `ent_…`.
    #[schema(value_type = Vec<String>, min_items = 2, max_items = 2)]
    entities: [EntityId; 2],
    /// The one whose id and name stay; the one that more runs have met when left out.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    keep: Option<EntityId>,
}

/// Makes one of two entities of one kind.
#[utoipa::path(
    post, path = "/entity-resolution/merge", tag = "knowledge", request_body = Pair, params(Part),
    responses((status = 200, body = ResolutionChange), (status = 409, description = "MERGE_IMPOSSIBLE: one already, two kinds, not there, or too many"))
)]
pub(crate) async fn merge(
    graph: Graph<Analyst>,
    Json(body): Json<Pair>,
) -> JsonOf<ResolutionChange> {
    let by = decider(&graph.scope);
    let pair = [&body.entities[0], &body.entities[1]];
    let about = BTreeSet::from(body.entities.clone());
    decided(&graph, about, |decided| merged(&by, decided, pair, body.keep.as_ref())).await
}
