//! Resolution: which mentions mean the same thing, and which of them the graph already knows.
//!
//! Bands (K-71): a score of at least the threshold merges, from 0.70 up to it a person is asked, below it the two
//! stay apart. A threshold under 0.70 never merges below 0.70 (F-246); it widens the band in which a person is asked.
//!
//! The answer does not depend on the order of the input: equal mentions are first collapsed and sorted, pairs are
//! judged once and merged from the best score down. Two clusters merge only if **every** pair across them scores at
//! least 0.70 and none contradicts another (complete link), so `JOHN SMITH` and `JANE SMITH` are never joined through
//! `J SMITH`. A mention that fits two things equally well, which do not fit each other, is joined to neither. People who
//! are reached in different towns, and were not seen with the same organisation, are never joined by their name.

mod blocking;
mod cluster;
pub(crate) mod compared;
pub(crate) mod naming;
mod pace;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use self::blocking::{MAX_KEYS, block_keys, id_key, lookup_keys};
use self::cluster::{Clustering, MAX_PAIRS};
use self::compared::Compared;
use crate::error::KnowledgeError;
use crate::model::{EntityId, EntityType, ExternalId};
use crate::rows::MatchMethod;

pub(crate) use self::blocking::Blocks;

/// Below this nothing is ever merged by score (F-246).
pub const NEVER_BELOW: f64 = 0.70;

/// The threshold when none is given (F-244).
pub const DEFAULT_THRESHOLD: f64 = 0.85;

/// The most mentions one call resolves.
pub const MAX_MENTIONS: usize = 50_000;

/// The most candidates a person is asked about for one entity.
pub const MAX_CANDIDATES: usize = 5;

/// The most doubts one call brings up.
pub const MAX_AMBIGUOUS: usize = 2_000;

/// How names are matched (F-244). `ml` is refused, not aliased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::EnumString)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Strategy {
    /// Only the same name after normalising, or the same external id.
    Exact,
    /// Similar names as well.
    Fuzzy,
}

/// Strategy and threshold, checked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    strategy: Strategy,
    threshold: f64,
}

impl Settings {
    /// Checks what a call asked for.
    ///
    /// # Errors
    /// [`KnowledgeError::UnknownStrategy`], or [`KnowledgeError::OutOfRange`] for a threshold outside 0 to 1.
    pub fn new(strategy: &str, threshold: f64) -> Result<Self, KnowledgeError> {
        let strategy = strategy.parse().map_err(|_| KnowledgeError::UnknownStrategy {
            given: strategy.chars().take(40).collect(),
            known: "`exact` and `fuzzy`",
        })?;
        if !(0.0..=1.0).contains(&threshold) {
            return Err(KnowledgeError::OutOfRange {
                name: "threshold",
                given: threshold.to_string(),
                low: "0",
                high: "1",
            });
        }
        Ok(Self { strategy, threshold })
    }

    /// The strategy.
    #[must_use]
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// The score from which mentions are merged.
    #[must_use]
    pub fn merge_at(&self) -> f64 {
        self.threshold.max(NEVER_BELOW)
    }

    /// The score from which a person is asked.
    #[must_use]
    pub fn review_at(&self) -> f64 {
        self.threshold.min(NEVER_BELOW)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self { strategy: Strategy::Fuzzy, threshold: DEFAULT_THRESHOLD }
    }
}

/// One appearance of a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// The name as it stands in the record.
    pub name: String,
    /// Its kind.
    pub entity_type: EntityType,
    /// Ids that came with it.
    pub external_ids: BTreeSet<ExternalId>,
    /// Folded names of what it was seen with.
    pub context: BTreeSet<String>,
    /// The town it is reached in, when that is known; none or one.
    pub places: BTreeSet<String>,
    /// How sure the extraction was, 0 to 1.
    pub confidence: f64,
}

/// An entity the graph already has.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Its id.
    pub id: EntityId,
    /// Its unique name.
    pub canonical_name: String,
    /// The canonical names of what people merged into it: no new entity gets one of them.
    pub merged_names: BTreeSet<String>,
    /// Every spelling of it, without qualifiers.
    pub names: BTreeSet<String>,
    /// Its kind.
    pub entity_type: EntityType,
    /// Its ids.
    pub external_ids: BTreeSet<ExternalId>,
    /// Folded names of what it was seen with.
    pub context: BTreeSet<String>,
    /// The towns it is reached in.
    pub places: BTreeSet<String>,
}

impl From<&crate::model::Entity> for Known {
    fn from(entity: &crate::model::Entity) -> Self {
        Self {
            id: entity.id.clone(),
            canonical_name: entity.canonical_name.clone(),
            merged_names: entity.merged_names.clone(),
            names: std::iter::once(&entity.name).chain(&entity.aliases).cloned().collect(),
            entity_type: entity.entity_type.clone(),
            external_ids: entity.external_ids.clone(),
            context: entity.context.clone(),
            places: entity.places.clone(),
        }
    }
}

/// Why two spellings were joined or doubted.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// One spelling.
    pub source_name: String,
    /// The other.
    pub target_name: String,
    /// The score.
    pub score: f64,
    /// By what.
    pub method: MatchMethod,
    /// Jaro-Winkler of the whole names.
    pub jaro_winkler: f64,
    /// Whether they share an external id.
    pub shared_id: bool,
    /// What both were seen with.
    pub shared_context: BTreeSet<String>,
}

impl Link {
    /// The same as the joining of the other spelling to a name, where one of them is that name.
    pub(crate) fn towards(&self, kind: &EntityType, name: &str) -> Self {
        let is = |spelling: &str| {
            spelling == name || naming::canonical(kind, &BTreeMap::from([(spelling, 1)])) == name
        };
        let mut link = self.clone();
        if is(&link.source_name) && !is(&link.target_name) {
            std::mem::swap(&mut link.source_name, &mut link.target_name);
        }
        link
    }
}

/// Mentions that mean one thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    /// The unique name: that of the known entity, else the fullest spelling.
    pub canonical_name: String,
    /// Its kind.
    pub entity_type: EntityType,
    /// The other spellings.
    pub aliases: BTreeSet<String>,
    /// How many ways the mentions write it, whatever the graph knows.
    pub spellings: usize,
    /// Indices into the mentions that were given, ascending.
    pub members: Vec<usize>,
    /// How many mentions were joined to another: members − 1, or all members when the entity was known.
    pub merge_count: usize,
    /// The surest mention times the weakest link that holds it together.
    pub confidence: f64,
    /// All ids.
    pub external_ids: BTreeSet<ExternalId>,
    /// All context.
    pub context: BTreeSet<String>,
    /// All towns.
    pub places: BTreeSet<String>,
    /// The entity of the graph, when it was recognised.
    pub known: Option<EntityId>,
    /// Why the spellings stand together; spellings of exactly one form are linked by `exact_name`.
    pub links: Vec<Link>,
}

/// Two clusters a person should look at.
#[derive(Debug, Clone, PartialEq)]
pub struct Ambiguity {
    /// Index of one cluster.
    pub cluster: usize,
    /// The other: a cluster, or an entity of the graph nothing was merged into.
    pub candidate: Candidate,
    /// The evidence.
    pub link: Link,
    /// Why it was not merged: `review_band`, `contested`, `weak_chain` or `contradiction`.
    pub reason: &'static str,
    /// The same as a sentence for people.
    pub why: String,
}

/// The other side of an [`Ambiguity`].
#[derive(Debug, Clone, PartialEq)]
pub enum Candidate {
    /// A cluster of this resolution, by index.
    Cluster(usize),
    /// A known entity: id and canonical name.
    Known(EntityId, String),
}

/// What came out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Resolution {
    /// Sorted by kind and canonical name.
    pub clusters: Vec<Cluster>,
    /// Sorted by the two names; the best [`MAX_CANDIDATES`] of each cluster and [`MAX_AMBIGUOUS`] in all.
    pub ambiguous: Vec<Ambiguity>,
    /// How many further doubts there were.
    pub left_out: usize,
}

impl Resolution {
    /// How many mentions were joined to another.
    #[must_use]
    pub fn merge_count(&self) -> usize {
        self.clusters.iter().map(|cluster| cluster.merge_count).sum()
    }
}

/// Groups mentions and recognises known entities.
///
/// # Errors
/// [`KnowledgeError::TooMany`] above [`MAX_MENTIONS`], [`KnowledgeError::TooAlike`].
pub fn resolve(
    mentions: &[Mention],
    known: &[Known],
    settings: &Settings,
) -> Result<Resolution, KnowledgeError> {
    let resolved = resolve_while(mentions, known, settings, &|| true)?;
    resolved.ok_or_else(too_alike)
}

/// Why names are not resolved as one call although there was the time: too many of them are alike.
#[must_use]
pub fn too_alike() -> KnowledgeError {
    KnowledgeError::TooAlike { limit: MAX_PAIRS }
}

/// The same, as long as `goes_on` says so, which is asked often; none when it took longer (F-250), or too many of the names are
/// alike. Fewer at a time come to their end in both cases.
///
/// # Errors
/// [`KnowledgeError::TooMany`] above [`MAX_MENTIONS`].
pub fn resolve_while(
    mentions: &[Mention],
    known: &[Known],
    settings: &Settings,
    goes_on: &dyn Fn() -> bool,
) -> Result<Option<Resolution>, KnowledgeError> {
    KnowledgeError::at_most("entities", mentions.len(), MAX_MENTIONS)?;
    let nodes = nodes(mentions, known);
    let clustering = Clustering::of(&nodes, settings, goes_on);
    Ok(clustering.map(|clustering| naming::assemble(&nodes, clustering, mentions, known)))
}

/// What mentions of one form agree in: kind, name, ids and town.
type Form = (EntityType, String, BTreeSet<ExternalId>, BTreeSet<String>);

/// A distinct form, or one known entity.
pub(crate) struct Node {
    pub(crate) subject: Compared,
    pub(crate) spellings: BTreeMap<String, usize>,
    pub(crate) members: Vec<usize>,
    pub(crate) confidence: f64,
    pub(crate) known: Option<usize>,
}

impl Node {
    /// A spelling to show for it: the most frequent, then the first by name.
    pub(crate) fn label(&self) -> &str {
        let best = self.spellings.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
        best.map_or("", |(name, _)| name)
    }
}

/// Sorted, so that nothing after this depends on the order of the input.
fn nodes(mentions: &[Mention], known: &[Known]) -> Vec<Node> {
    let mut by_form: BTreeMap<Form, Node> = BTreeMap::new();
    for (index, mention) in mentions.iter().enumerate() {
        let subject = Compared::of_mention(mention);
        if subject.is_empty() {
            continue;
        }
        let form = (
            mention.entity_type.clone(),
            subject.key(),
            mention.external_ids.clone(),
            mention.places.clone(),
        );
        let node = by_form.entry(form).or_insert_with(|| Node {
            subject: Compared::of_mention(mention),
            spellings: BTreeMap::new(),
            members: Vec::new(),
            confidence: 0.0,
            known: None,
        });
        node.subject.join(subject);
        *node.spellings.entry(crate::fold::squeeze(&mention.name)).or_default() += 1;
        node.members.push(index);
        node.confidence = node.confidence.max(mention.confidence);
    }
    let mut nodes: Vec<Node> = by_form.into_values().collect();
    let mut order: Vec<usize> = (0..known.len()).collect();
    order.sort_by(|a, b| known[*a].id.cmp(&known[*b].id));
    order.dedup_by(|a, b| known[*a].id == known[*b].id);
    nodes.extend(order.into_iter().map(|index| known_node(index, &known[index])));
    nodes
}

fn known_node(index: usize, known: &Known) -> Node {
    Node {
        subject: Compared::of_known(known),
        spellings: known.names.iter().map(|name| (name.clone(), 1)).collect(),
        members: Vec::new(),
        confidence: 1.0,
        known: Some(index),
    }
}

#[cfg(test)]
mod tests;
