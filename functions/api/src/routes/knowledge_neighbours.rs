//! `/knowledge/entities/{id}/neighbours` (F-278): what is around an entity.
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use std::collections::BTreeSet;

use countersign_knowledge::explore::{
    EntityRecord, Expansion, MAX_HOPS, RelationshipRecord, expand,
};
use countersign_knowledge::{EntityId, EntityType, Namespace, Relationship};
use countersign_web::{Json, Path, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::knowledge::scope;
use super::{JsonOf, found};
use crate::documented::documented;
use crate::lists::Asked;

/// How far, and along what.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct NeighbourQuery {
    /// The part of the caller's graph; `default` when left out.
    #[param(value_type = Option<String>)]
    namespace: Option<Namespace>,
    /// How many steps, 1 to 4; 2 when left out.
    #[param(minimum = 1, maximum = 4)]
    max_hops: Option<u8>,
    /// Only along these, with commas between them: `OFFICER_OF,FUNDS`.
    relationship_types: Option<String>,
    /// Only to these kinds, with commas between them: `PERSON,ORG`.
    entity_types: Option<String>,
}

impl NeighbourQuery {
    fn expansion(&self) -> Result<Expansion, Problem> {
        let max_hops = self.max_hops.unwrap_or(2);
        if !(1..=MAX_HOPS).contains(&max_hops) {
            return Err(Problem::field("max_hops", format!("must be from 1 to {MAX_HOPS}")));
        }
        let relationship = |text: &str| {
            Relationship::parse(text).ok_or_else(|| {
                let text: String = text.chars().take(40).collect();
                Problem::field("relationship_types", format!("`{text}` is not a relationship"))
            })
        };
        let relationships = words(self.relationship_types.as_deref()).map(relationship);
        Ok(Expansion {
            max_hops,
            relationships: relationships.collect::<Result<BTreeSet<Relationship>, _>>()?,
            types: words(self.entity_types.as_deref()).map(EntityType::from).collect(),
        })
    }
}

fn words(text: Option<&str>) -> impl Iterator<Item = &str> {
    text.unwrap_or_default().split(',').map(str::trim).filter(|word| !word.is_empty())
}

/// A part of the graph.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Neighbourhood {
    /// The entity first, then the others, the nearest first.
    entities: Vec<EntityRecord>,
    /// Who, what, with whom, and where it was read.
    relationships: Vec<RelationshipRecord>,
    /// Whether there is more than one answer holds: 500 entities, 2,000 relationships.
    is_cut: bool,
}

documented!(Neighbourhood);

/// An entity, what it is connected with, and what that is connected with.
#[utoipa::path(
    get, path = "/knowledge/entities/{id}/neighbours", tag = "knowledge",
    params(("id" = String, Path, description = "`ent_…`"), NeighbourQuery),
    responses((status = 200, body = Neighbourhood), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(
    asked: Asked<NeighbourQuery>,
    Path(id): Path<EntityId>,
) -> JsonOf<Neighbourhood> {
    let Asked { ctx, owner, query } = asked;
    let expansion = query.expansion()?;
    let scope = scope(&owner, query.namespace);
    let entity = found(ctx.knowledge.entity(&scope, &id).await?)?;
    let around = expand(&ctx.knowledge, &scope, vec![entity], &expansion).await;
    let around = around.map_err(|error| Problem::of(&*error))?;
    Ok(Json(Neighbourhood {
        relationships: around.relationship_records(),
        entities: around.entities.into_iter().map(EntityRecord::from).collect(),
        is_cut: around.is_cut,
    }))
}
