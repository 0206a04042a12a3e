//! From a resolution to what is written: entities, edges, where they come from, log, reviews and discoveries.
//!
//! Every id here is derived from content, and entities and edges are joined, never replaced, so that writing the same
//! [`Changes`] twice, or two of them in either order, leaves one result.

mod answer;
mod common_ground;
mod given_up;
mod graph;
mod origin;
mod trail;

use std::collections::{BTreeMap, BTreeSet};

use countersign_identity::UserId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use self::answer::{answer, entities_of};
pub use self::given_up::given_up;
use self::origin::Origins;
pub use self::origin::{MAX_CALL_DOCUMENTS, MAX_CALL_SOURCES};
use crate::extract::Extracted;
use crate::fold::{fold, squeeze};
use crate::model::{
    DataSource, Document, Edge, Entity, EntityId, EntityType, ExternalId, Namespace, derived_id,
};
use crate::resolve::{Ambiguity, Candidate, Cluster, Mention, Resolution};
use crate::review::review_id;
use crate::rows::{Discovery, ResolutionLogRow, ReviewId, ReviewRow};
use crate::scope::Scope;

/// Whose graph is written, by which run, when.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// The owner.
    pub owner: UserId,
    /// The part of the owner's graph.
    pub namespace: Namespace,
    /// The run.
    pub run: String,
    /// The step's key: the same for every attempt.
    pub idempotency_key: String,
    /// The clock of the attempt that planned the writes.
    pub now: Timestamp,
}

impl Origin {
    /// Of a step of a run, with this key, that writes to a part of a graph.
    #[must_use]
    pub fn new(scope: &Scope, run: &str, key: &str, now: Timestamp) -> Self {
        let Scope { owner, namespace } = scope.clone();
        Self { owner, namespace, run: run.to_owned(), idempotency_key: key.to_owned(), now }
    }

    /// The part of the graph that is written.
    #[must_use]
    pub fn scope(&self) -> Scope {
        Scope { owner: self.owner.clone(), namespace: self.namespace.clone() }
    }
}

/// All writes of one call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Changes {
    /// New entities, and what is new about known ones.
    pub entities: Vec<Entity>,
    /// Relationships.
    pub edges: Vec<Edge>,
    /// Where they were found (F-254).
    #[serde(default)]
    pub sources: Vec<DataSource>,
    /// The documents that name them (F-253).
    #[serde(default)]
    pub documents: Vec<Document>,
    /// What was decided.
    pub log: Vec<ResolutionLogRow>,
    /// What a person is asked.
    pub reviews: Vec<ReviewRow>,
    /// What is new.
    pub discoveries: Vec<Discovery>,
}

/// The mentions of a call: the entities it was given, then the far ends of their relationships that are not among them.
#[must_use]
pub fn mentions(entities: &[Extracted]) -> Vec<Mention> {
    let mut all: Vec<Mention> = entities.iter().map(mention).collect();
    let mut named: BTreeSet<(EntityType, String)> =
        all.iter().map(|m| (m.entity_type.clone(), squeeze(&m.name))).collect();
    for entity in entities {
        let Some(end) = &entity.related_to else { continue };
        if named.insert((end.entity_type.clone(), squeeze(&end.name))) {
            all.push(Mention {
                name: end.name.clone(),
                entity_type: end.entity_type.clone(),
                external_ids: BTreeSet::new(),
                context: BTreeSet::new(),
                places: BTreeSet::new(),
                confidence: entity.confidence,
            });
        }
    }
    all
}

fn mention(entity: &Extracted) -> Mention {
    Mention {
        name: entity.name.clone(),
        entity_type: entity.entity_type.clone(),
        external_ids: entity
            .external_ids
            .iter()
            .filter_map(|(scheme, value)| ExternalId::new(scheme, value))
            .collect(),
        context: entity.context.clone(),
        places: entity.place.iter().cloned().collect(),
        confidence: if entity.confidence.is_finite() {
            entity.confidence.clamp(0.0, 1.0)
        } else {
            0.0
        },
    }
}

/// The id an entity of this name has in this graph.
#[must_use]
pub fn entity_id(
    owner: &UserId,
    namespace: &Namespace,
    kind: &EntityType,
    canonical_name: &str,
) -> EntityId {
    EntityId::from_bytes(derived_id(&[
        "entity",
        owner.as_str(),
        namespace.as_str(),
        kind.as_str(),
        &fold(canonical_name),
    ]))
}

/// Plans the writes. `resolution` must be that of [`mentions`] of the same `entities`, against the same `known`.
#[must_use]
pub fn changes(
    origin: &Origin,
    entities: &[Extracted],
    mentions: &[Mention],
    resolution: &Resolution,
    known: &[Entity],
) -> Changes {
    let ids = ids(origin, resolution);
    let planner = Planner {
        origin,
        entities,
        mentions,
        resolution,
        known,
        place: ids.iter().cloned().enumerate().map(|(place, id)| (id, place)).collect(),
        ids,
        cluster_of: cluster_of(resolution),
        origins: Origins::of(origin, entities),
    };
    let mut changes = Changes {
        entities: resolution
            .clusters
            .iter()
            .zip(&planner.ids)
            .map(|(cluster, id)| planner.entity(cluster, id))
            .collect(),
        edges: planner.edges(),
        sources: planner.origins.sources.values().cloned().collect(),
        documents: planner.origins.documents.values().cloned().collect(),
        ..Changes::default()
    };
    for (cluster, id) in resolution.clusters.iter().zip(&planner.ids) {
        planner.log_cluster(cluster, id, &mut changes);
    }
    for (n, edge) in changes.edges.iter().enumerate() {
        changes.discoveries.extend(planner.found_edge(n, edge));
    }
    for ambiguity in &resolution.ambiguous {
        planner.doubt(ambiguity, &mut changes);
    }
    changes
}

fn ids(origin: &Origin, resolution: &Resolution) -> Vec<EntityId> {
    let id = |cluster: &Cluster| {
        let made = || {
            entity_id(
                &origin.owner,
                &origin.namespace,
                &cluster.entity_type,
                &cluster.canonical_name,
            )
        };
        cluster.known.clone().unwrap_or_else(made)
    };
    resolution.clusters.iter().map(id).collect()
}

/// The review that each doubt has or would have.
#[must_use]
pub fn review_ids(origin: &Origin, resolution: &Resolution) -> Vec<ReviewId> {
    let (scope, ids) = (origin.scope(), ids(origin, resolution));
    let of = |doubt: &Ambiguity| match &doubt.candidate {
        Candidate::Cluster(index) => review_id(&scope, &ids[doubt.cluster], &ids[*index]),
        Candidate::Known(id, _) => review_id(&scope, &ids[doubt.cluster], id),
    };
    resolution.ambiguous.iter().map(of).collect()
}

/// Leaves out the doubts about which a person has said that the two are two. `reviews` are the [`review_ids`].
pub fn forget_rejected(
    resolution: &mut Resolution,
    reviews: &[ReviewId],
    rejected: &BTreeSet<ReviewId>,
) {
    let mut reviews = reviews.iter();
    resolution.ambiguous.retain(|_| reviews.next().is_none_or(|id| !rejected.contains(id)));
}

fn cluster_of(resolution: &Resolution) -> BTreeMap<usize, usize> {
    let clusters = resolution.clusters.iter().enumerate();
    clusters
        .flat_map(|(index, cluster)| cluster.members.iter().map(move |member| (*member, index)))
        .collect()
}

/// What the parts of a plan are drawn from: the call, and the id of every cluster in it.
struct Planner<'a> {
    origin: &'a Origin,
    entities: &'a [Extracted],
    mentions: &'a [Mention],
    resolution: &'a Resolution,
    known: &'a [Entity],
    ids: Vec<EntityId>,
    place: BTreeMap<EntityId, usize>,
    cluster_of: BTreeMap<usize, usize>,
    origins: Origins,
}

#[cfg(test)]
mod tests;
