//! Relationships between entities, and where they were read.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{EntityId, EntityType, MAX_PROVENANCE, Relationship, SourceId};

/// Where a statement comes from (F-254, F-269): an attribute of the edge (K-73).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Provenance {
    /// The run that read it.
    pub execution_id: String,
    /// The record's place in its record set.
    pub source_record_index: usize,
    /// The field the name stood in.
    pub source_field: String,
    /// The connector, when the record said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connector: Option<String>,
    /// Its endpoint, when the record said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// The data source that this makes (F-269), since there are such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_id: Option<SourceId>,
    /// The nearer entity as the record writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_name: Option<String>,
    /// The farther entity as the record writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_name: Option<String>,
    /// When it was read.
    pub retrieved_at: Timestamp,
}

/// The far end of an edge seen from a mention: a name and a kind, resolved later.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EdgeEnd {
    /// The name in the record.
    pub name: String,
    /// Its kind.
    #[serde(rename = "type")]
    pub entity_type: EntityType,
}

/// A directed, attributed relationship between two entities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// The nearer entity.
    pub from: EntityId,
    /// The kind.
    pub relationship: Relationship,
    /// The farther entity.
    pub to: EntityId,
    /// Title, amount, dates, … as read; numbers stay numbers.
    #[serde(default)]
    pub properties: Map<String, Value>,
    /// How sure the weaker end was.
    pub confidence: f64,
    /// Every reading that said so, at most [`MAX_PROVENANCE`].
    pub provenance: BTreeSet<Provenance>,
    /// The first of them.
    pub first_seen: Timestamp,
    /// The last of them.
    pub last_seen: Timestamp,
}

impl Edge {
    /// The same statement from the other end: `A FUNDED_BY B` is `B FUNDS A`. None where the relationship has no inverse.
    #[must_use]
    pub fn turned(&self) -> Option<Self> {
        let turned = |reading: &Provenance| Provenance {
            from_name: reading.to_name.clone(),
            to_name: reading.from_name.clone(),
            ..reading.clone()
        };
        Some(Self {
            from: self.to.clone(),
            relationship: self.relationship.inverse()?,
            to: self.from.clone(),
            provenance: self.provenance.iter().map(turned).collect(),
            ..self.clone()
        })
    }

    /// The three parts that name it.
    #[must_use]
    pub fn key(&self) -> (EntityId, Relationship, EntityId) {
        (self.from.clone(), self.relationship, self.to.clone())
    }

    /// Joins another reading of the same edge; the later one's properties win. Doing it twice changes nothing.
    pub fn absorb(&mut self, other: &Self) {
        let newer = other.last_seen >= self.last_seen;
        for (key, value) in &other.properties {
            if newer || !self.properties.contains_key(key) {
                self.properties.insert(key.clone(), value.clone());
            }
        }
        self.provenance.extend(other.provenance.iter().cloned());
        while self.provenance.len() > MAX_PROVENANCE {
            // The first says since when it is known, the latest what it is now.
            let mut by_time: Vec<&Provenance> = self.provenance.iter().collect();
            by_time.sort_by_key(|one| one.retrieved_at);
            let Some(second) = by_time.get(1).map(|one| (*one).clone()) else { break };
            self.provenance.remove(&second);
        }
        self.confidence = self.confidence.max(other.confidence);
        self.first_seen = self.first_seen.min(other.first_seen);
        self.last_seen = self.last_seen.max(other.last_seen);
    }
}
