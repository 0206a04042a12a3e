//! From a resolution to what is written: entities, edges, log, reviews and discoveries.
//!
//! Every id here is derived from content, and entities and edges are joined, never replaced, so that writing the same
//! [`Changes`] twice, or two of them in either order, leaves one result.

use std::collections::{BTreeMap, BTreeSet};

use countersign_identity::UserId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::extract::Extracted;
use crate::fold::{fold, squeeze};
use crate::model::{
    Edge, Entity, EntityId, EntityType, ExternalId, Namespace, Provenance, Relationship, derived_id,
};
use crate::resolve::{Ambiguity, Candidate, Cluster, Link, Mention, Resolution};
use crate::rows::{
    Discovery, DiscoveryId, DiscoveryType, LogId, ResolutionAction, ResolutionLogRow, ReviewId,
    ReviewRow, ReviewStatus,
};

/// The most folded names of company an entity remembers.
const MAX_CONTEXT: usize = 50;

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

/// All writes of one call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Changes {
    /// New entities, and what is new about known ones.
    pub entities: Vec<Entity>,
    /// Relationships.
    pub edges: Vec<Edge>,
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
            let (external_ids, context) = (BTreeSet::new(), BTreeSet::new());
            let (name, entity_type, confidence) =
                (end.name.clone(), end.entity_type.clone(), entity.confidence);
            all.push(Mention { name, entity_type, external_ids, context, confidence });
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
    };
    let mut changes = Changes {
        entities: resolution
            .clusters
            .iter()
            .zip(&planner.ids)
            .map(|(cluster, id)| planner.entity(cluster, id))
            .collect(),
        edges: planner.edges(),
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

fn cluster_of(resolution: &Resolution) -> BTreeMap<usize, usize> {
    let clusters = resolution.clusters.iter().enumerate();
    clusters
        .flat_map(|(index, cluster)| cluster.members.iter().map(move |member| (*member, index)))
        .collect()
}

struct Planner<'a> {
    origin: &'a Origin,
    entities: &'a [Extracted],
    mentions: &'a [Mention],
    resolution: &'a Resolution,
    known: &'a [Entity],
    ids: Vec<EntityId>,
    place: BTreeMap<EntityId, usize>,
    cluster_of: BTreeMap<usize, usize>,
}

impl Planner<'_> {
    fn entity(&self, cluster: &Cluster, id: &EntityId) -> Entity {
        let now = self.origin.now;
        let first =
            cluster.members.first().map_or("", |member| self.mentions[*member].name.as_str());
        let first = cluster
            .members
            .iter()
            .map(|member| self.mentions[*member].name.as_str())
            .min()
            .unwrap_or(first);
        Entity {
            id: id.clone(),
            user_id: self.origin.owner.clone(),
            namespace: self.origin.namespace.clone(),
            name: squeeze(first),
            canonical_name: cluster.canonical_name.clone(),
            entity_type: cluster.entity_type.clone(),
            subtype: subtype(cluster),
            aliases: cluster.aliases.clone(),
            external_ids: cluster.external_ids.clone(),
            context: cluster.context.iter().take(MAX_CONTEXT).cloned().collect(),
            confidence: cluster.confidence,
            first_seen: now,
            last_seen: now,
            sources: BTreeSet::from([self.origin.run.clone()]),
            source_count: 1,
            created_at: now,
            updated_at: now,
        }
    }

    fn edges(&self) -> Vec<Edge> {
        let mut by_ends: BTreeMap<(EntityId, Relationship, EntityId), Edge> = BTreeMap::new();
        let ends = self.ends();
        for (index, entity) in self.entities.iter().enumerate() {
            let (Some(relationship), Some(end)) = (entity.relationship_type, &entity.related_to)
            else {
                continue;
            };
            let near = self.cluster_of.get(&index).copied();
            let key = (end.entity_type.clone(), squeeze(&end.name));
            let far = ends
                .get(&(Some(entity.source_record_index), key.clone()))
                .or_else(|| ends.get(&(None, key)))
                .copied();
            let (Some(near), Some(far)) = (near, far.filter(|far| Some(*far) != near)) else {
                continue;
            };
            let edge = self.edge(entity, relationship, near, far);
            let key = (edge.from.clone(), relationship, edge.to.clone());
            match by_ends.get_mut(&key) {
                Some(known) => known.absorb(&edge),
                None => {
                    by_ends.insert(key, edge);
                }
            }
        }
        by_ends.into_values().collect()
    }

    /// Which cluster a name stands for: in the same record first, else anywhere.
    fn ends(&self) -> BTreeMap<(Option<usize>, (EntityType, String)), usize> {
        let mut ends = BTreeMap::new();
        for (index, mention) in self.mentions.iter().enumerate() {
            let Some(cluster) = self.cluster_of.get(&index) else { continue };
            let key = (mention.entity_type.clone(), squeeze(&mention.name));
            ends.entry((None, key.clone())).or_insert(*cluster);
            if let Some(entity) = self.entities.get(index) {
                ends.entry((Some(entity.source_record_index), key)).or_insert(*cluster);
            }
        }
        ends
    }

    fn edge(
        &self,
        entity: &Extracted,
        relationship: Relationship,
        near: usize,
        far: usize,
    ) -> Edge {
        // `LOCATED_IN` runs from the organisation to the place, whichever of them was the mention.
        let to_place = matches!(relationship, Relationship::LocatedIn | Relationship::OperatesIn);
        let (from, to) = if to_place && entity.entity_type == EntityType::Location {
            (far, near)
        } else {
            (near, far)
        };
        let now = self.origin.now;
        let confidence = self.resolution.clusters[near]
            .confidence
            .min(self.resolution.clusters[far].confidence)
            .min(entity.confidence);
        let provenance = Provenance {
            execution_id: self.origin.run.clone(),
            source_record_index: entity.source_record_index,
            source_field: entity.source_field.clone(),
            connector: entity.source_connector.clone(),
            endpoint: entity.source_endpoint.clone(),
            retrieved_at: now,
        };
        Edge {
            from: self.ids[from].clone(),
            relationship,
            to: self.ids[to].clone(),
            properties: entity.attributes.clone(),
            confidence,
            provenance: BTreeSet::from([provenance]),
            first_seen: now,
            last_seen: now,
        }
    }

    fn log_cluster(&self, cluster: &Cluster, id: &EntityId, changes: &mut Changes) {
        if cluster.known.is_none() {
            let details = Map::from_iter([("mentions".to_owned(), json!(cluster.members.len()))]);
            let row = self.log_row(
                ResolutionAction::CreateNew,
                cluster,
                id,
                &cluster.canonical_name,
                None,
                cluster.confidence,
                details,
            );
            changes.log.push(row);
            changes.discoveries.push(self.discovery(
                DiscoveryType::NewEntity,
                cluster,
                id,
                &cluster.canonical_name,
                Map::new(),
            ));
        }
        for link in &cluster.links {
            let row = self.log_row(
                ResolutionAction::AutoMerge,
                cluster,
                id,
                &link.source_name,
                Some(link),
                link.score,
                details(link),
            );
            changes.log.push(row);
        }
        if !cluster.links.is_empty() {
            let names = Map::from_iter([("aliases".to_owned(), json!(cluster.aliases))]);
            changes.discoveries.push(self.discovery(
                DiscoveryType::EntityMerge,
                cluster,
                id,
                &cluster.canonical_name,
                names,
            ));
        }
        let before =
            self.known.iter().find(|entity| entity.id == *id).map(|entity| &entity.external_ids);
        for external in cluster
            .external_ids
            .iter()
            .filter(|external| before.is_none_or(|ids| !ids.contains(external)))
        {
            let details = Map::from_iter([
                ("scheme".to_owned(), json!(external.scheme)),
                ("value".to_owned(), json!(external.value)),
            ]);
            let salt = format!("{}:{}", external.scheme, external.value);
            changes.discoveries.push(self.discovery(
                DiscoveryType::NewExternalId,
                cluster,
                id,
                &salt,
                details,
            ));
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the columns of one row")]
    fn log_row(
        &self,
        action: ResolutionAction,
        cluster: &Cluster,
        id: &EntityId,
        source: &str,
        link: Option<&Link>,
        confidence: f64,
        match_details: Map<String, Value>,
    ) -> ResolutionLogRow {
        let target = link.map_or(cluster.canonical_name.as_str(), |link| link.target_name.as_str());
        let salt = format!("{action:?}");
        ResolutionLogRow {
            id: LogId::from_bytes(derived_id(&[
                "log",
                &self.origin.idempotency_key,
                &salt,
                id.as_str(),
                source,
                target,
            ])),
            user_id: self.origin.owner.clone(),
            execution_id: self.origin.run.clone(),
            action,
            source_entity_name: source.to_owned(),
            source_entity_type: cluster.entity_type.clone(),
            target_entity_name: cluster.canonical_name.clone(),
            target_entity_id: id.clone(),
            confidence,
            match_method: link.map(|link| link.method),
            match_details,
            is_reversible: action == ResolutionAction::AutoMerge,
            reversed_at: None,
            created_at: self.origin.now,
        }
    }

    fn discovery(
        &self,
        kind: DiscoveryType,
        cluster: &Cluster,
        id: &EntityId,
        salt: &str,
        details: Map<String, Value>,
    ) -> Discovery {
        let source = cluster.members.iter().find_map(|member| self.entities.get(*member));
        let kind_name = format!("{kind:?}");
        Discovery {
            id: DiscoveryId::from_bytes(derived_id(&[
                "discovery",
                &self.origin.idempotency_key,
                &kind_name,
                id.as_str(),
                salt,
            ])),
            execution_id: self.origin.run.clone(),
            user_id: self.origin.owner.clone(),
            discovery_type: kind,
            entity_name: cluster.canonical_name.clone(),
            entity_type: cluster.entity_type.clone(),
            entity_id: id.clone(),
            relationship_type: None,
            related_entity_name: None,
            source_connector: source.and_then(|entity| entity.source_connector.clone()),
            source_endpoint: source.and_then(|entity| entity.source_endpoint.clone()),
            confidence: cluster.confidence,
            details,
            discovered_at: self.origin.now,
        }
    }

    fn found_edge(&self, n: usize, edge: &Edge) -> Option<Discovery> {
        let cluster =
            |id: &EntityId| self.place.get(id).map(|place| &self.resolution.clusters[*place]);
        let (near, far) = (cluster(&edge.from)?, cluster(&edge.to)?);
        let salt = format!("{}:{}:{n}", edge.relationship.as_str(), edge.to);
        let mut details = edge.properties.clone();
        details.insert("to".to_owned(), json!(edge.to));
        let found =
            self.discovery(DiscoveryType::NewRelationship, near, &edge.from, &salt, details);
        Some(Discovery {
            relationship_type: Some(edge.relationship),
            related_entity_name: Some(far.canonical_name.clone()),
            confidence: edge.confidence,
            ..found
        })
    }

    fn doubt(&self, ambiguity: &Ambiguity, changes: &mut Changes) {
        let cluster = &self.resolution.clusters[ambiguity.cluster];
        let id = &self.ids[ambiguity.cluster];
        let (candidate_id, candidate_name) = match &ambiguity.candidate {
            Candidate::Cluster(index) => {
                (self.ids[*index].clone(), self.resolution.clusters[*index].canonical_name.clone())
            }
            Candidate::Known(id, name) => (id.clone(), name.clone()),
        };
        let mut details = details(&ambiguity.link);
        details.insert("reason".to_owned(), json!(ambiguity.reason));
        let link = &ambiguity.link;
        let row = self.log_row(
            ResolutionAction::FlagReview,
            cluster,
            id,
            &link.source_name,
            Some(link),
            link.score,
            details.clone(),
        );
        changes.log.push(ResolutionLogRow {
            id: LogId::from_bytes(derived_id(&[
                "doubt",
                &self.origin.idempotency_key,
                id.as_str(),
                candidate_id.as_str(),
            ])),
            target_entity_name: candidate_name.clone(),
            target_entity_id: candidate_id.clone(),
            ..row
        });
        let mut pair = [id.as_str(), candidate_id.as_str()];
        pair.sort_unstable();
        let context =
            Map::from_iter([("shared_relationships".to_owned(), json!(link.shared_context))]);
        changes.reviews.push(ReviewRow {
            id: ReviewId::from_bytes(derived_id(&[
                "review",
                self.origin.owner.as_str(),
                self.origin.namespace.as_str(),
                pair[0],
                pair[1],
            ])),
            user_id: self.origin.owner.clone(),
            execution_id: self.origin.run.clone(),
            source_entity_name: cluster.canonical_name.clone(),
            source_entity_type: cluster.entity_type.clone(),
            source_entity_id: id.clone(),
            candidate_entity_name: candidate_name,
            candidate_entity_id: candidate_id,
            confidence: link.score,
            match_details: details,
            context,
            status: ReviewStatus::Pending,
            reviewed_at: None,
            created_at: self.origin.now,
        });
    }
}

fn details(link: &Link) -> Map<String, Value> {
    let mut details = Map::new();
    details.insert("jaro_winkler".to_owned(), json!(link.jaro_winkler));
    details.insert("external_id_match".to_owned(), json!(link.shared_id));
    details.insert("matched_with".to_owned(), json!(link.target_name));
    if !link.shared_context.is_empty() {
        details.insert("shared_context".to_owned(), json!(link.shared_context));
    }
    details
}

/// What an organisation's own name says of its form (F-252).
fn subtype(cluster: &Cluster) -> Option<String> {
    if cluster.entity_type != EntityType::Org {
        return None;
    }
    let folded = fold(&cluster.canonical_name);
    let has = |word: &str| folded.split(' ').any(|w| w == word);
    let subtype = if has("FOUNDATION") || has("FDN") {
        "FOUNDATION"
    } else if has("PAC") || folded.contains("POLITICAL ACTION") {
        "PAC"
    } else if has("TRUST") {
        "TRUST"
    } else if has("CORP") || has("CORPORATION") || has("LLC") || has("LTD") {
        "CORPORATION"
    } else {
        return None;
    };
    Some(subtype.to_owned())
}

/// The output of `resolve_entities` (F-048). Far ends that were not given as entities are written but not answered.
#[must_use]
pub fn answer(origin: &Origin, given: usize, resolution: &Resolution) -> Value {
    let ids = ids(origin, resolution);
    let shown = |cluster: &&Cluster| cluster.members.iter().any(|member| *member < given);
    let merged = |cluster: &Cluster| {
        let count = cluster.members.iter().filter(|member| **member < given).count();
        if cluster.known.is_some() { count } else { count.saturating_sub(1) }
    };
    let resolved: Vec<Value> = resolution
        .clusters
        .iter()
        .zip(&ids)
        .filter(|(cluster, _)| shown(cluster))
        .map(|(cluster, id)| {
            json!({
                "canonical_name": cluster.canonical_name,
                "type": cluster.entity_type,
                "aliases": cluster.aliases,
                "merge_count": merged(cluster),
                "confidence": cluster.confidence,
                "entity_id": id,
                "is_known": cluster.known.is_some(),
                "external_ids": crate::model::external_id_map(&cluster.external_ids),
            })
        })
        .collect();
    let ambiguous: Vec<Value> = resolution
        .ambiguous
        .iter()
        .map(|ambiguity| doubtful(ambiguity, resolution, &ids))
        .collect();
    let merge_count: usize = resolution.clusters.iter().filter(shown).map(merged).sum();
    json!({ "resolved": resolved, "merge_count": merge_count, "ambiguous": ambiguous, "ambiguous_left_out": resolution.left_out })
}

fn doubtful(ambiguity: &Ambiguity, resolution: &Resolution, ids: &[EntityId]) -> Value {
    let (candidate_id, candidate) = match &ambiguity.candidate {
        Candidate::Cluster(index) => (&ids[*index], &resolution.clusters[*index].canonical_name),
        Candidate::Known(id, name) => (id, name),
    };
    let cluster = &resolution.clusters[ambiguity.cluster];
    json!({
        "entity": cluster.canonical_name,
        "type": cluster.entity_type,
        "candidate": candidate,
        "entity_id": ids[ambiguity.cluster],
        "candidate_id": candidate_id,
        "confidence": ambiguity.link.score,
        "match_method": ambiguity.link.method,
        "match_details": details(&ambiguity.link),
        "reason": ambiguity.reason,
    })
}

#[cfg(test)]
mod tests;
