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
use crate::rows::{
    Discovery, DiscoveryType, ResolutionAction, ResolutionLogRow, ReviewId, ReviewRow,
};
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

impl Changes {
    /// How many items it is.
    #[must_use]
    pub fn count(&self) -> usize {
        let origins = self.sources.len() + self.documents.len();
        let rows = self.log.len() + self.reviews.len() + self.discoveries.len();
        self.entities.len() + self.edges.len() + origins + rows
    }

    /// The same in parts of at most so many items of one kind, in the order in which they are to be written: what is shown of a
    /// run comes last.
    pub fn parts(&self, most: usize) -> impl Iterator<Item = Self> + Send + '_ {
        let most = most.max(1);
        let sources = chunks(&self.sources, most, |sources| Self { sources, ..Self::default() });
        let documents =
            chunks(&self.documents, most, |documents| Self { documents, ..Self::default() });
        let entities =
            chunks(&self.entities, most, |entities| Self { entities, ..Self::default() });
        let edges = chunks(&self.edges, most, |edges| Self { edges, ..Self::default() });
        let log = chunks(&self.log, most, |log| Self { log, ..Self::default() });
        let discoveries =
            chunks(&self.discoveries, most, |discoveries| Self { discoveries, ..Self::default() });
        let reviews = chunks(&self.reviews, most, |reviews| Self { reviews, ..Self::default() });
        let graph = sources.chain(documents).chain(entities).chain(edges);
        graph.chain(log).chain(discoveries).chain(reviews)
    }

    /// What a plan that is made once these entities are in the graph would not say of them: that they are new, and which of their
    /// identifiers are.
    #[must_use]
    pub fn news_of(&self, entities: &BTreeSet<&EntityId>) -> Self {
        let log = self.log.iter().filter(|row| {
            row.action == ResolutionAction::CreateNew && entities.contains(&row.target_entity_id)
        });
        let discoveries = self.discoveries.iter().filter(|found| {
            let kind = found.discovery_type;
            matches!(kind, DiscoveryType::NewEntity | DiscoveryType::NewExternalId)
                && entities.contains(&found.entity_id)
        });
        Self {
            log: log.cloned().collect(),
            discoveries: discoveries.cloned().collect(),
            ..Self::default()
        }
    }
}

fn chunks<'a, T: Clone + Sync>(
    all: &'a [T],
    most: usize,
    part: impl Fn(Vec<T>) -> Changes + Send + 'a,
) -> impl Iterator<Item = Changes> + Send + 'a {
    all.chunks(most).map(move |chunk| part(chunk.to_vec()))
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
    let of = Resolved { entities, mentions, resolution, known };
    changes_while(origin, &of, &|| true).unwrap_or_default()
}

/// What a plan is drawn from.
#[derive(Debug, Clone, Copy)]
pub struct Resolved<'a> {
    /// What the call was given.
    pub entities: &'a [Extracted],
    /// Their [`mentions`].
    pub mentions: &'a [Mention],
    /// What became of these.
    pub resolution: &'a Resolution,
    /// What they were compared with.
    pub known: &'a [Entity],
}

/// The same, as long as `goes_on` says so, which is asked for every entity and every doubt; none when it took longer (F-250).
#[must_use]
pub fn changes_while(
    origin: &Origin,
    of: &Resolved<'_>,
    goes_on: &dyn Fn() -> bool,
) -> Option<Changes> {
    let Resolved { entities, mentions, resolution, known } = *of;
    let ids = ids(origin, resolution);
    let planner = Planner {
        origin,
        entities,
        mentions,
        resolution,
        known: known.iter().map(|entity| (&entity.id, entity)).collect(),
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
        goes_on().then_some(())?;
        planner.log_cluster(cluster, id, &mut changes);
    }
    for (n, edge) in changes.edges.iter().enumerate() {
        changes.discoveries.extend(planner.found_edge(n, edge));
    }
    for ambiguity in &resolution.ambiguous {
        goes_on().then_some(())?;
        planner.doubt(ambiguity, &mut changes);
    }
    Some(changes)
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
    known: BTreeMap<&'a EntityId, &'a Entity>,
    ids: Vec<EntityId>,
    place: BTreeMap<EntityId, usize>,
    cluster_of: BTreeMap<usize, usize>,
    origins: Origins,
}

#[cfg(test)]
mod tests;
