//! What the graph gains: one entity per cluster, and the edges between them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Map;

use super::Planner;
use crate::extract::Extracted;
use crate::fold::{fold, squeeze};
use crate::model::{Edge, Entity, EntityId, EntityType, Provenance, Relationship, Stated};
use crate::resolve::Cluster;

impl Planner<'_> {
    pub(super) fn entity(&self, cluster: &Cluster, id: &EntityId) -> Entity {
        let now = self.origin.now;
        let first =
            cluster.members.first().map_or("", |member| self.mentions[*member].name.as_str());
        let first = cluster
            .members
            .iter()
            .map(|member| self.mentions[*member].name.as_str())
            .min()
            .unwrap_or(first);
        let (discovered_by, mentioned_in) = self.links(&cluster.members);
        let mut entity = Entity {
            id: id.clone(),
            user_id: self.origin.owner.clone(),
            namespace: self.origin.namespace.clone(),
            name: squeeze(first),
            canonical_name: cluster.canonical_name.clone(),
            entity_type: cluster.entity_type.clone(),
            subtype: subtype(cluster),
            aliases: cluster.aliases.clone(),
            external_ids: cluster.external_ids.clone(),
            context: cluster.context.clone(),
            places: cluster.places.clone(),
            confidence: cluster.confidence,
            first_seen: now,
            last_seen: now,
            sources: BTreeSet::from([self.origin.run.clone()]),
            source_count: 1,
            discovered_by,
            mentioned_in,
            merged_into: None,
            members: BTreeSet::new(),
            split_from: None,
            split_off: BTreeMap::new(),
            merged_names: BTreeSet::new(),
            counted_with: BTreeSet::new(),
            created_at: now,
            updated_at: now,
        };
        entity.keep_to_limits();
        entity
    }

    pub(super) fn edges(&self) -> Vec<Edge> {
        let mut read = Vec::new();
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
            read.push(self.edge(entity, relationship, (near, far), &end.name));
        }
        Edge::joined(read)
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
        (near, far): (usize, usize),
        far_name: &str,
    ) -> Edge {
        // `LOCATED_IN` runs from the organisation to the place, whichever of them was the mention.
        let to_place = matches!(relationship, Relationship::LocatedIn | Relationship::OperatesIn);
        let names = (squeeze(&entity.name), squeeze(far_name));
        let is_turned = to_place && entity.entity_type == EntityType::Location;
        let (from, to) = if is_turned { (far, near) } else { (near, far) };
        let (from_name, to_name) = if is_turned { (names.1, names.0) } else { names };
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
            source_id: self.source_of(entity),
            from_name: Some(from_name),
            to_name: Some(to_name),
            retrieved_at: now,
            properties: Stated::new(&entity.attributes),
        };
        Edge {
            from: self.ids[from].clone(),
            relationship,
            to: self.ids[to].clone(),
            properties: Map::new(),
            confidence,
            provenance: BTreeSet::from([provenance]),
            is_cut: false,
            differed: BTreeMap::new(),
            first_seen: now,
            last_seen: now,
        }
    }
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
