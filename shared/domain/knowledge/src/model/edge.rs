//! Relationships between entities, and where they were read.

use std::cmp::Ordering;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{EntityId, EntityType, MAX_PROVENANCE, Relationship, SourceId};

/// Where a statement comes from (F-254, F-269): an attribute of the edge (K-73).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EdgeProvenance")]
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

/// About the most bytes of all readings of an edge: an item of the table holds 400 KB.
const MAX_BYTES: usize = 200_000;

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
    /// By run, what readings that were dropped said differently from others of it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub differed: BTreeMap<String, BTreeSet<String>>,
    /// The first of them.
    pub first_seen: Timestamp,
    /// The last of them.
    pub last_seen: Timestamp,
}

/// What one record says of a relationship: title, amount, dates, … as read; numbers stay numbers. Texts are cut, and so is
/// what has no room: an edge keeps up to [`MAX_PROVENANCE`] of them in one item.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(rename = "StatedProperties")]
pub struct Stated(BTreeMap<String, Value>);

/// The most characters of a text that a reading keeps.
const MAX_TEXT: usize = 200;

/// The most bytes of names and values that a reading keeps.
const MAX_STATED: usize = 4_000;

/// Says how many properties a reading had no room for.
const LEFT_OUT: &str = "_left_out";

impl Stated {
    /// These properties.
    #[must_use]
    pub fn new(properties: &Map<String, Value>) -> Self {
        let mut stated = Self::default();
        let (mut bytes, mut left_out) = (0, 0_u32);
        for (name, value) in properties {
            let value = short(value);
            bytes += name.len() + value.to_string().len();
            if bytes > MAX_STATED {
                left_out += 1;
            } else {
                stated.0.insert(name.clone(), value);
            }
        }
        if left_out > 0 {
            stated.0.insert(LEFT_OUT.to_owned(), left_out.into());
        }
        stated
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A value of which a text is cut.
fn short(value: &Value) -> Value {
    match value.as_str() {
        Some(text) if text.chars().count() > MAX_TEXT => {
            let start: String = text.chars().take(MAX_TEXT - 1).collect();
            format!("{start}…").into()
        }
        _ => value.clone(),
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

impl PartialEq for Stated {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Stated {}

/// What the records of an edge say together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agreed {
    /// What all of them say.
    pub properties: Map<String, Value>,
    /// The names of what they say differently, or what only some of them say.
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

    /// These edges, those with the same name joined; by their names.
    pub(crate) fn joined(edges: impl IntoIterator<Item = Self>) -> Vec<Self> {
        let mut all: BTreeMap<(EntityId, Relationship, EntityId), Self> = BTreeMap::new();
        for edge in edges {
            match all.entry(edge.key()) {
                Entry::Occupied(mut known) => known.get_mut().absorb(&edge),
                Entry::Vacant(place) => {
                    place.insert(edge);
                }
            }
        }
        all.into_values().collect()
    }

    /// The readings that its properties come from: those of the last run that read any.
    pub(crate) fn latest(&self) -> impl Iterator<Item = &Provenance> {
        let stating = self.provenance.iter().filter(|reading| !reading.properties.is_empty());
        let last = stating.max_by_key(|reading| reading.retrieved_at);
        self.stating_of(last.map(|reading| reading.execution_id.as_str()))
    }

    fn stating_of(&self, run: Option<&str>) -> impl Iterator<Item = &Provenance> {
        let is_of = move |one: &&Provenance| run == Some(&one.execution_id);
        self.provenance.iter().filter(is_of).filter(|one| !one.properties.is_empty())
    }

    /// Title, amount, dates, … where all records of the last run that say any agree, and the names of those where they do
    /// not: an amount of one contribution is never shown beside the date of another.
    #[must_use]
    pub fn agreed(&self) -> Agreed {
        let Some(first) = self.latest().next() else {
            return Agreed { properties: self.properties.clone(), ..Agreed::default() };
        };
        let differing = self.differing(&first.execution_id);
        let all = first.properties.0.iter().filter(|(name, _)| !differing.contains(*name));
        let properties = all.map(|(name, value)| (name.clone(), value.clone())).collect();
        Agreed { properties, differing }
    }

    /// What the records of a run say differently, or what only some of them say.
    fn differing(&self, run: &str) -> BTreeSet<String> {
        let mut differing = self.differed.get(run).cloned().unwrap_or_default();
        let mut readings = self.stating_of(Some(run)).map(|reading| &reading.properties.0);
        let Some(first) = readings.next() else { return differing };
        for other in readings {
            let names = other.keys().chain(first.keys());
            differing.extend(names.filter(|name| other.get(*name) != first.get(*name)).cloned());
        }
        differing
    }

    /// Joins other readings of the same edge. Doing it twice changes nothing.
    pub fn absorb(&mut self, other: &Self) {
        for (key, value) in &other.properties {
            if other.last_seen >= self.last_seen || !self.properties.contains_key(key) {
                self.properties.insert(key.clone(), value.clone());
            }
        }
        self.provenance.extend(other.provenance.iter().cloned());
        for (run, names) in &other.differed {
            self.differed.entry(run.clone()).or_default().extend(names.iter().cloned());
        }
        self.is_cut |= other.is_cut;
        while self.provenance.len() > MAX_PROVENANCE || self.bytes() > MAX_BYTES {
            let Some(least) = self.least_telling().cloned() else { break };
            self.forget(&least);
        }
        self.confidence = self.confidence.max(other.confidence);
        self.first_seen = self.first_seen.min(other.first_seen);
        self.last_seen = self.last_seen.max(other.last_seen);
    }

    /// About how much room its readings take.
    fn bytes(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let stated = |one: &Provenance| -> usize {
            one.properties.0.iter().map(|(name, value)| name.len() + value.to_string().len()).sum()
        };
        let size = |one: &Provenance| {
            300 + stated(one) + text(&one.from_name) + text(&one.to_name) + text(&one.connector)
        };
        self.provenance.iter().map(size).sum()
    }

    fn forget(&mut self, reading: &Provenance) {
        let run = &reading.execution_id;
        let before = self.differing(run);
        self.provenance.remove(reading);
        self.is_cut = true;
        if self.differing(run) != before {
            self.differed.insert(run.clone(), before);
        }
        let runs: BTreeSet<&String> = self.provenance.iter().map(|one| &one.execution_id).collect();
        self.differed.retain(|run, _| runs.contains(run));
    }

    /// The reading to drop: one of which another of its run says the same, else the oldest that says nothing, else the oldest
    /// that is not of the last run. Never the very first, which says since when the edge is known.
    fn least_telling(&self) -> Option<&Provenance> {
        let mut by_time: Vec<&Provenance> = self.provenance.iter().collect();
        by_time.sort_by_key(|one| one.retrieved_at);
        let later = by_time.get(1..)?;
        let mut told = BTreeSet::new();
        let repeated = later.iter().rev().find(|one| {
            let ends = (&one.from_name, &one.to_name, &one.connector);
            !told.insert((&one.execution_id, &one.properties, ends))
        });
        let silent = || later.iter().find(|one| one.properties.is_empty());
        let latest: BTreeSet<&Provenance> = self.latest().collect();
        let older = || later.iter().find(|one| !latest.contains(*one));
        repeated.or_else(silent).or_else(older).or(later.first()).copied()
    }
}

#[cfg(test)]
mod tests;
