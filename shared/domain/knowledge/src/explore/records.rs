//! Entities and relationships as people and playbooks see them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::model::{
    Agreed, Edge, Entity, EntityId, EntityType, Namespace, Provenance, Relationship,
    external_id_map,
};

/// An entity as people and playbooks see it (F-252).
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Entity")]
pub struct EntityRecord {
    /// The id.
    pub entity_id: EntityId,
    /// Which part of the graph it is in.
    pub namespace: Namespace,
    /// The name as it was first seen.
    pub name: String,
    /// The name it goes by.
    pub canonical_name: String,
    /// Its kind.
    #[serde(rename = "type")]
    pub entity_type: EntityType,
    /// `NONPROFIT`, `PAC`, …; null when it is not known.
    pub subtype: Option<String>,
    /// Other spellings seen.
    pub aliases: BTreeSet<String>,
    /// Identifiers that others gave it, by scheme; of several of a scheme the smallest.
    pub external_ids: BTreeMap<String, String>,
    /// The towns it is reached in.
    pub places: BTreeSet<String>,
    /// How sure its best mention was, 0 to 1.
    pub confidence: f64,
    /// The earliest mention.
    pub first_seen: Timestamp,
    /// The latest mention.
    pub last_seen: Timestamp,
    /// How many runs it was seen in.
    pub source_count: usize,
    /// The entities that people merged into it.
    pub merged: BTreeSet<EntityId>,
    /// The entity that a person split it from; null when nobody has.
    pub split_from: Option<EntityId>,
    /// The entities that a person parted from it, or from what it is part of: counts and times of each are those of all.
    pub counted_with: BTreeSet<EntityId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl From<Entity> for EntityRecord {
    fn from(entity: Entity) -> Self {
        Self {
            entity_id: entity.id,
            namespace: entity.namespace,
            name: entity.name,
            canonical_name: entity.canonical_name,
            entity_type: entity.entity_type,
            subtype: entity.subtype,
            aliases: entity.aliases,
            external_ids: external_id_map(&entity.external_ids),
            places: entity.places,
            confidence: entity.confidence,
            first_seen: entity.first_seen,
            last_seen: entity.last_seen,
            source_count: entity.source_count,
            merged: entity.members,
            split_from: entity.split_from,
            counted_with: entity.counted_with,
            created_at: entity.created_at,
            updated_at: entity.updated_at,
        }
    }
}

/// A relationship as people see it: who, what, with whom, and where it was read (F-257…F-267).
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Relationship")]
pub struct RelationshipRecord {
    /// The name of the nearer entity; null when it is not among the entities.
    pub source: Option<String>,
    /// The name of the farther entity; null when it is not among the entities.
    pub target: Option<String>,
    /// The nearer entity.
    pub source_id: EntityId,
    /// The farther entity.
    pub target_id: EntityId,
    /// The kind.
    #[serde(rename = "type")]
    pub relationship: Relationship,
    /// Title, amount, dates, … where all records of the last run that say any agree.
    pub properties: Map<String, Value>,
    /// The names of properties that these records say differently.
    pub differing: BTreeSet<String>,
    /// How sure the weaker end was, 0 to 1.
    pub confidence: f64,
    /// Every reading that said so, at most 50.
    pub provenance: BTreeSet<Provenance>,
    /// Whether there were more readings.
    pub more_provenance: bool,
    /// The first reading.
    pub first_seen: Timestamp,
    /// The last reading.
    pub last_seen: Timestamp,
}

impl RelationshipRecord {
    pub(super) fn of(edge: &Edge, source: Option<&str>, target: Option<&str>) -> Self {
        let Agreed { mut properties, differing } = edge.agreed();
        let readings = || edge.provenance.iter();
        let latest = edge.latest().last().or_else(|| readings().max_by_key(|one| one.retrieved_at));
        if let Some(reading) = latest {
            put(&mut properties, "source_connector", reading.connector.as_deref());
            put(&mut properties, "source_execution_id", Some(&reading.execution_id));
        }
        Self {
            source: source.map(str::to_owned),
            target: target.map(str::to_owned),
            source_id: edge.from.clone(),
            target_id: edge.to.clone(),
            relationship: edge.relationship,
            properties,
            differing,
            confidence: edge.confidence,
            provenance: edge.provenance.clone(),
            more_provenance: edge.is_cut,
            first_seen: edge.first_seen,
            last_seen: edge.last_seen,
        }
    }
}

fn put(properties: &mut Map<String, Value>, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        properties.entry(name).or_insert_with(|| value.into());
    }
}
