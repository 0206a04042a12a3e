//! The nodes and edges of the knowledge graph (F-252…F-271).

mod edge;
mod origin;
mod relationship;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use countersign_identity::UserId;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evidence::Evidence;
use crate::fold::{fold, search_tokens};

pub use edge::{Agreed, Edge, EdgeEnd, Provenance, Stated};
pub use origin::{
    DataSource, Document, InDocument, InDocuments, InSources, MAX_LINKS, MentioningId, SourceId,
};
pub(crate) use origin::{join_documents, join_sources, short};
pub use relationship::Relationship;

countersign_ids::prefixed_id! {
    /// One entity of one owner's graph.
    pub struct EntityId("ent");
}

/// The most provenance records an edge keeps; the oldest by (run, record) stay.
pub const MAX_PROVENANCE: usize = 50;

/// The most source runs an entity remembers by name; `source_count` stops growing there.
pub const MAX_SOURCES: usize = 500;

/// The most characters of a name.
pub const MAX_NAME: usize = 300;

/// The most other spellings an entity keeps, the first in their order: an item of the table holds 400 KB.
pub const MAX_ALIASES: usize = 100;

/// The most identifiers an entity keeps.
pub const MAX_EXTERNAL_IDS: usize = 200;

/// The most folded names of company an entity keeps.
pub const MAX_CONTEXT: usize = 50;

/// The most towns an entity keeps.
pub const MAX_PLACES: usize = 20;

/// Sixteen bytes derived from a list of parts, for ids that must come out the same every time.
#[must_use]
pub fn derived_id(parts: &[&str]) -> [u8; 16] {
    countersign_ids::derived("", parts)
}

/// What kind of thing an entity is. Written `PERSON`, `ORG`, …; a kind outside the list keeps its own upper-case name.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(from = "String", into = "String")]
pub enum EntityType {
    /// A human being.
    Person,
    /// An organisation of any form.
    Org,
    /// A place.
    Location,
    /// Something that happens.
    Event,
    /// Something that is made or sold.
    Product,
    /// Another kind, by its upper-case name.
    Other(String),
}

impl EntityType {
    /// The kinds that have a name of their own.
    pub const NAMED: [Self; 5] =
        [Self::Person, Self::Org, Self::Location, Self::Event, Self::Product];

    /// The kind as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Person => "PERSON",
            Self::Org => "ORG",
            Self::Location => "LOCATION",
            Self::Event => "EVENT",
            Self::Product => "PRODUCT",
            Self::Other(name) => name,
        }
    }
}

impl From<&str> for EntityType {
    fn from(text: &str) -> Self {
        match text.trim().to_uppercase().as_str() {
            "PERSON" => Self::Person,
            "ORG" | "ORGANIZATION" | "ORGANISATION" => Self::Org,
            "LOCATION" => Self::Location,
            "EVENT" => Self::Event,
            "PRODUCT" => Self::Product,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl From<String> for EntityType {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<EntityType> for String {
    fn from(kind: EntityType) -> Self {
        kind.as_str().to_owned()
    }
}

impl fmt::Display for EntityType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An identifier some authority gave: `ein`, `cik`, `fec_id`, `orcid`, … and its value, both normalised.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct ExternalId {
    /// Lower-case name of the authority's scheme.
    pub scheme: String,
    /// Upper-case letters and digits only, so that `12-3456789` and `123456789` are one value.
    pub value: String,
}

impl ExternalId {
    /// Normalises; `None` when nothing is left of either part or the value is only zeros.
    #[must_use]
    pub fn new(scheme: &str, value: &str) -> Option<Self> {
        let scheme = scheme.trim().to_lowercase();
        let value: String = value
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|c| c.to_ascii_uppercase())
            .collect();
        let means_nothing = value.is_empty() || value.bytes().all(|b| b == b'0');
        (!scheme.is_empty() && !means_nothing && value.len() <= 64)
            .then_some(Self { scheme, value })
    }

    /// Reads `scheme:value`, such as `ein:12-3456789`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        text.split_once(':').and_then(|(scheme, value)| Self::new(scheme, value))
    }
}

/// A person's or agent's own part of the graph (F-274): lower-case letters, digits, `_` and `-`, at most 64.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct Namespace(String);

/// Why a text is not a namespace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a graph namespace: 1 to 64 lower-case letters, digits, `_` or `-`")]
pub struct InvalidNamespace(pub String);

impl Namespace {
    /// Reads a namespace.
    ///
    /// # Errors
    /// [`InvalidNamespace`] when it is empty, too long or has other characters.
    pub fn parse(text: &str) -> Result<Self, InvalidNamespace> {
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
        if text.is_empty() || text.len() > 64 || !text.bytes().all(fits) {
            return Err(InvalidNamespace(text.chars().take(80).collect()));
        }
        Ok(Self(text.to_owned()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Namespace {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

impl TryFrom<String> for Namespace {
    type Error = InvalidNamespace;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<Namespace> for String {
    fn from(namespace: Namespace) -> Self {
        namespace.0
    }
}

/// One thing the owner's graph knows (F-252). `source_count` is the number of distinct source runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entity {
    /// The id, derived from owner, namespace, type and canonical name.
    pub id: EntityId,
    /// Whose graph it stands in.
    pub user_id: UserId,
    /// Which part of that graph.
    pub namespace: Namespace,
    /// The name as it was first seen.
    pub name: String,
    /// The name it goes by; unique per owner, namespace and type (ADR 0010).
    pub canonical_name: String,
    /// Its kind.
    #[serde(rename = "type")]
    pub entity_type: EntityType,
    /// `NONPROFIT`, `PAC`, `CORPORATION`, `FOUNDATION`, … when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtype: Option<String>,
    /// Other spellings seen.
    #[serde(default)]
    pub aliases: BTreeSet<String>,
    /// Identifiers others gave it.
    #[serde(default)]
    pub external_ids: BTreeSet<ExternalId>,
    /// Names of things it was seen with, folded; evidence when a later mention is doubtful.
    #[serde(default)]
    pub context: BTreeSet<String>,
    /// The towns it is reached in; evidence that two of one name are two.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub places: BTreeSet<String>,
    /// How sure its best mention was, 0 to 1.
    pub confidence: f64,
    /// The earliest mention.
    pub first_seen: Timestamp,
    /// The latest mention.
    pub last_seen: Timestamp,
    /// Runs it was seen in, at most [`MAX_SOURCES`].
    #[serde(default)]
    pub sources: BTreeSet<String>,
    /// How many.
    pub source_count: usize,
    /// The data sources it was found in, and when (F-268); at most [`MAX_LINKS`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub discovered_by: InSources,
    /// The documents that name it (F-256); at most [`MAX_LINKS`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mentioned_in: InDocuments,
    /// The entity a person merged it into, until that is reversed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged_into: Option<EntityId>,
    /// The entities that people merged into it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub members: BTreeSet<EntityId>,
    /// The entity a person split it from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split_from: Option<EntityId>,
    /// What people split from it, by the entity that has it now.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub split_off: BTreeMap<EntityId, Taken>,
    /// The canonical names of what was merged into it; only in a [view](crate::decided::Decided::view).
    #[serde(skip)]
    pub merged_names: BTreeSet<String>,
    /// The entities that a person parted from it, or from what it is part of: which of them was read where is not known, so
    /// counts and times of each are those of all. Only in a [view](crate::decided::Decided::view).
    #[serde(skip)]
    pub counted_with: BTreeSet<EntityId>,
    /// When the item was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// What a person took from an entity: it never comes back to it by itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Taken {
    /// Spellings.
    pub names: BTreeSet<String>,
    /// Identifiers.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub external_ids: BTreeSet<ExternalId>,
}

impl Entity {
    /// Joins what another writer knows of the same entity. Doing it twice, or in another order, gives the same.
    pub fn absorb(&mut self, other: &Self) {
        self.aliases.extend(other.aliases.iter().cloned());
        self.aliases.remove(&self.canonical_name);
        self.external_ids.extend(other.external_ids.iter().cloned());
        self.context.extend(other.context.iter().cloned());
        self.places.extend(other.places.iter().cloned());
        self.sources.extend(other.sources.iter().cloned());
        keep_first(&mut self.sources, MAX_SOURCES);
        self.source_count = self.sources.len();
        join_sources(&mut self.discovered_by, &other.discovered_by);
        join_documents(&mut self.mentioned_in, &other.mentioned_in, InDocument::again);
        self.confidence = self.confidence.max(other.confidence);
        self.first_seen = self.first_seen.min(other.first_seen);
        self.last_seen = self.last_seen.max(other.last_seen);
        self.created_at = self.created_at.min(other.created_at);
        self.updated_at = self.updated_at.max(other.updated_at);
        self.subtype = self.subtype.take().or_else(|| other.subtype.clone());
        for taken in self.split_off.values() {
            self.aliases.retain(|name| !taken.names.contains(name));
            self.external_ids.retain(|id| !taken.external_ids.contains(id));
        }
    }

    /// Leaves out what one item has no room for: of each list the first in its order stay, so that it does not matter who
    /// writes first.
    pub fn keep_to_limits(&mut self) {
        keep_first(&mut self.aliases, MAX_ALIASES);
        keep_first(&mut self.external_ids, MAX_EXTERNAL_IDS);
        keep_first(&mut self.context, MAX_CONTEXT);
        keep_first(&mut self.places, MAX_PLACES);
    }

    /// Whether what another writer knows under the same id is of somebody else: the name alone made the id. The rule is that by
    /// which mentions are kept apart (K-71).
    #[must_use]
    pub fn contradicts(&self, other: &Self) -> bool {
        Evidence::from(self).are_two(&Evidence::from(other))
    }

    /// Whether what another writer knew of it is in here: its runs and its identifiers, and nothing that says that they are two.
    #[must_use]
    pub fn has_taken(&self, other: &Self) -> bool {
        let is_here = self.sources.is_superset(&other.sources)
            && self.external_ids.is_superset(&other.external_ids);
        is_here && !self.contradicts(other)
    }

    /// Every way it is written.
    #[must_use]
    pub fn spellings(&self) -> BTreeSet<&String> {
        [&self.name, &self.canonical_name].into_iter().chain(&self.aliases).collect()
    }

    /// The words it can be found by (F-273): folded tokens of all its names.
    #[must_use]
    pub fn search_tokens(&self) -> BTreeSet<String> {
        let names = self.spellings().into_iter().chain(&self.merged_names);
        names.flat_map(|name| search_tokens(name)).collect()
    }

    /// Whether it has words in its names that begin like each of these, as [`search_tokens`] gives them.
    #[must_use]
    pub fn has_words(&self, words: &[String]) -> bool {
        let own = self.search_tokens();
        words.iter().all(|word| own.iter().any(|token| token.starts_with(word.as_str())))
    }

    /// The folded canonical name: what uniqueness is judged by.
    #[must_use]
    pub fn canonical_key(&self) -> String {
        fold(&self.canonical_name)
    }
}

fn keep_first<T: Ord>(all: &mut BTreeSet<T>, most: usize) {
    while all.len() > most {
        all.pop_last();
    }
}

/// External ids as the map F-252 shows: scheme → value (the smallest, when a scheme has several).
#[must_use]
pub fn external_id_map(ids: &BTreeSet<ExternalId>) -> BTreeMap<String, String> {
    let mut map = BTreeMap::new();
    for id in ids {
        map.entry(id.scheme.clone()).or_insert_with(|| id.value.clone());
    }
    map
}
