//! `/entity-resolution/split` (K-72): spellings that a person says are somebody else's.

use std::collections::BTreeSet;

use countersign_knowledge::fold::squeeze;
use countersign_knowledge::review::{Cut, names_for, split as separated};
use countersign_knowledge::{EntityId, ExternalId};
use countersign_web::{Json, Problem};
use serde::Deserialize;
use utoipa::ToSchema;

use super::knowledge::{Graph, Part, decider};
use super::resolution_reverse::{ResolutionChange, decided};
use super::{Analyst, JsonOf, found};

/// The most spellings or identifiers that are taken at once.
const MAX_TAKEN: usize = 100;

/// What is taken from an entity.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Separation {
    /// The entity, `ent_…`.
    #[schema(value_type = String)]
    entity_id: EntityId,
    /// Spellings of it that are somebody else's; at most 100, not the name it goes by.
    #[schema(min_items = 1, max_items = 100)]
    names: Vec<String>,
    /// Identifiers of it that belong to these spellings.
    #[serde(default)]
    #[schema(max_items = 100)]
    external_ids: Vec<Identifier>,
}

/// An identifier that some authority gave.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Identifier {
    /// Such as `ein`.
    scheme: String,
    /// As it is written.
    value: String,
}

impl Separation {
    fn cut(&self) -> Result<Cut, Problem> {
        for (field, count) in
            [("names", self.names.len()), ("external_ids", self.external_ids.len())]
        {
            if count > MAX_TAKEN {
                return Err(Problem::field(field, format!("must have at most {MAX_TAKEN} items")));
            }
        }
        if self.names.is_empty() {
            return Err(Problem::field("names", "must have at least one item"));
        }
        let read = |(index, id): (usize, &Identifier)| {
            let path = format!("external_ids[{index}]");
            ExternalId::new(&id.scheme, &id.value)
                .ok_or_else(|| Problem::field(path, "must have a scheme and a value"))
        };
        let external_ids = self.external_ids.iter().enumerate().map(read);
        Ok(Cut {
            names: self.names.iter().map(|name| squeeze(name)).collect(),
            external_ids: external_ids.collect::<Result<_, _>>()?,
        })
    }
}

/// Makes an entity of its own of some spellings of another. What runs read under them goes with them, the pair is never asked
/// about again, and no run gives the spellings back.
#[utoipa::path(
    post, path = "/entity-resolution/split", tag = "knowledge", request_body = Separation, params(Part),
    responses((status = 200, body = ResolutionChange), (status = 404, description = "NOT_FOUND"), (status = 409, description = "SPLIT_IMPOSSIBLE: not its spelling, the name it goes by, or one that came with a merge"))
)]
pub(crate) async fn split(
    graph: Graph<Analyst>,
    Json(body): Json<Separation>,
) -> JsonOf<ResolutionChange> {
    let scope = &graph.scope;
    let (by, cut) = (decider(scope), body.cut()?);
    let entity = found(graph.ctx.knowledge.entity(scope, &body.entity_id).await?)?;
    let made = names_for(scope, &entity.entity_type, &cut.names).into_iter().map(|(_, id)| id);
    let about: BTreeSet<EntityId> = made.chain([body.entity_id.clone()]).collect();
    decided(&graph, about, |decided| separated(&by, decided, &body.entity_id, &cut)).await
}
