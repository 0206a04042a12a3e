//! Relationships between entities, and where they were read.

use std::cmp::Ordering;
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
    /// What the record says of the relationship.
    #[serde(default, skip_serializing_if = "Stated::is_empty")]
    pub properties: Stated,
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
    /// Of readings that were stored before each had its own properties.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub properties: Map<String, Value>,
    /// How sure the weaker end was.
    pub confidence: f64,
    /// Every reading that said so, at most [`MAX_PROVENANCE`].
    pub provenance: BTreeSet<Provenance>,
    /// Whether there were more readings than it has.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// The first of them.
    pub first_seen: Timestamp,
    /// The last of them.
    pub last_seen: Timestamp,
}

/// What one record says of a relationship: title, amount, dates, … as read; numbers stay numbers, long texts are cut.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stated(Map<String, Value>);

/// The most characters of a text that a reading keeps: an edge has up to [`MAX_PROVENANCE`] of them.
const MAX_TEXT: usize = 500;

impl Stated {
    /// These properties.
    #[must_use]
    pub fn new(properties: &Map<String, Value>) -> Self {
        let short = |(name, value): (&String, &Value)| match value.as_str() {
            Some(text) if text.chars().count() > MAX_TEXT => {
                let start: String = text.chars().take(MAX_TEXT - 1).collect();
                (name.clone(), format!("{start}…").into())
            }
            _ => (name.clone(), value.clone()),
        };
        Self(properties.iter().map(short).collect())
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Ord for Stated {
    fn cmp(&self, other: &Self) -> Ordering {
        let pairs = |of: &Self| -> Vec<(String, String)> {
            of.0.iter().map(|(name, value)| (name.clone(), value.to_string())).collect()
        };
        pairs(self).cmp(&pairs(other))
    }
}

impl PartialOrd for Stated {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What the records of an edge say together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agreed {
    /// What all of them say.
    pub properties: Map<String, Value>,
    /// The names of what they say differently, or only some of them.
    pub differing: BTreeSet<String>,
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

    /// The readings that its properties come from: those of the last run that read any.
    pub(crate) fn latest(&self) -> impl Iterator<Item = &Provenance> {
        let stating = |reading: &&Provenance| !reading.properties.is_empty();
        let last = self.provenance.iter().filter(stating).max_by_key(|one| one.retrieved_at);
        let run = last.map(|one| one.execution_id.as_str());
        self.provenance.iter().filter(stating).filter(move |one| run == Some(&one.execution_id))
    }

    /// Title, amount, dates, … where all records of the last run agree, and the names of those where they do not: an amount
    /// of one contribution is never shown beside the date of another.
    #[must_use]
    pub fn agreed(&self) -> Agreed {
        let mut agreed = Agreed::default();
        let mut readings = self.latest().map(|reading| &reading.properties.0);
        let Some(first) = readings.next() else {
            return Agreed { properties: self.properties.clone(), ..agreed };
        };
        agreed.properties = first.clone();
        for other in readings {
            let names = other.keys().chain(first.keys());
            let differing = names.filter(|name| other.get(*name) != first.get(*name));
            agreed.differing.extend(differing.cloned());
        }
        agreed.properties.retain(|name, _| !agreed.differing.contains(name));
        agreed
    }

    /// Joins other readings of the same edge. Doing it twice changes nothing.
    pub fn absorb(&mut self, other: &Self) {
        for (key, value) in &other.properties {
            if other.last_seen >= self.last_seen || !self.properties.contains_key(key) {
                self.properties.insert(key.clone(), value.clone());
            }
        }
        self.provenance.extend(other.provenance.iter().cloned());
        self.is_cut |= other.is_cut || self.provenance.len() > MAX_PROVENANCE;
        while self.provenance.len() > MAX_PROVENANCE {
            let Some(least) = self.least_telling().cloned() else { break };
            self.provenance.remove(&least);
        }
        self.confidence = self.confidence.max(other.confidence);
        self.first_seen = self.first_seen.min(other.first_seen);
        self.last_seen = self.last_seen.max(other.last_seen);
    }

    /// One that says what another of its run says too, else the oldest; never the very first, which says since when it is
    /// known.
    fn least_telling(&self) -> Option<&Provenance> {
        let mut by_time: Vec<&Provenance> = self.provenance.iter().collect();
        by_time.sort_by_key(|one| one.retrieved_at);
        let mut told = BTreeSet::new();
        let mut later = by_time.iter().skip(1).rev();
        let repeated = later.find(|one| !told.insert((&one.execution_id, &one.properties)));
        repeated.or(by_time.get(1)).copied()
    }
}

#[cfg(test)]
mod tests;
