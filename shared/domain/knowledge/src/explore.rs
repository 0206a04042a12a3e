//! What is found in the graph: entities by name, and what is around them (F-043, F-278).

mod records;

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::{GraphError, GraphFuture, Scope};
use crate::model::{Edge, Entity, EntityId, EntityType, ExternalId, Relationship};

pub use records::{EntityRecord, RelationshipRecord};

/// How far one may ask around an entity.
pub const MAX_HOPS: u8 = 4;

/// The most entities that one answer holds.
pub const MAX_NODES: usize = 500;

/// The most relationships that one answer holds.
pub const MAX_EDGES: usize = 2_000;

/// Entities beyond the first that are asked about at once.
const AT_ONCE: usize = 25;

/// How much one search may read, whatever it looks for. What is looked for takes from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Entities that are filed under words.
    pub pointers: usize,
    /// Entities that are looked at.
    pub entities: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { pointers: 20_000, entities: 2_000 }
    }
}

impl Budget {
    /// Whether nothing more may be looked for.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.pointers == 0 || self.entities == 0
    }

    /// Takes the share of one of so many that are still to be looked for: what it does not use is [given back](Self::give_back).
    pub fn take_share(&mut self, of: usize) -> Self {
        let of = of.max(1);
        let share =
            Self { pointers: self.pointers.div_ceil(of), entities: self.entities.div_ceil(of) };
        self.pointers -= share.pointers;
        self.entities -= share.entities;
        share
    }

    /// Takes back what is left of a share.
    pub fn give_back(&mut self, rest: &Self) {
        self.pointers += rest.pointers;
        self.entities += rest.entities;
    }

    /// Whether somebody for whom the other was too little may find more with this one.
    #[must_use]
    pub fn is_more_than(&self, other: &Self) -> bool {
        self.pointers > other.pointers && self.entities > other.entities
    }
}

/// What a name finds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Named {
    /// The entities, by id.
    pub entities: Vec<Entity>,
    /// Whether more of that name may be there.
    pub is_cut: bool,
}

/// Reading one owner's graph, under the decisions of people.
pub trait Explore: Send + Sync {
    /// Entities with words in their names that begin like those of `text`, case and accents aside (F-273), as far as the budget
    /// goes.
    fn named<'a>(
        &'a self,
        scope: &'a Scope,
        text: &'a str,
        budget: &'a mut Budget,
    ) -> GraphFuture<'a, Named>;

    /// Entities with this identifier, of any kind (F-272).
    fn with_identifier<'a>(
        &'a self,
        scope: &'a Scope,
        id: &'a ExternalId,
    ) -> GraphFuture<'a, Vec<Entity>>;

    /// These entities, or what they are merged into; those that are not there are left out.
    fn by_ids<'a>(
        &'a self,
        scope: &'a Scope,
        ids: BTreeSet<EntityId>,
    ) -> GraphFuture<'a, Vec<Entity>>;

    /// The edges that leave these entities or arrive at them, and whether some were left out.
    fn around<'a>(
        &'a self,
        scope: &'a Scope,
        ids: &'a BTreeSet<EntityId>,
    ) -> GraphFuture<'a, Around>;
}

/// The edges of some entities.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Around {
    /// Each once.
    pub edges: Vec<Edge>,
    /// An entity has more than are read.
    pub is_cut: bool,
}

/// How far, and along what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expansion {
    /// At most [`MAX_HOPS`].
    pub max_hops: u8,
    /// Only along these, whichever end a record named first: `FUNDS` finds what was read as `FUNDED_BY`, as `FUNDS`. All when empty.
    pub relationships: BTreeSet<Relationship>,
    /// Only to entities of these kinds; all when empty.
    pub types: BTreeSet<EntityType>,
}

/// A part of a graph.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Subgraph {
    /// Those asked for first, then the others by distance and id.
    pub entities: Vec<Entity>,
    /// Between entities of `entities` only.
    pub relationships: Vec<Edge>,
    /// Whether there is more than one answer holds.
    pub is_cut: bool,
}

/// What is around these entities.
///
/// # Errors
/// Whatever the keeper of the graph says.
pub async fn expand(
    graph: &dyn Explore,
    scope: &Scope,
    start: Vec<Entity>,
    asked: &Expansion,
) -> Result<Subgraph, GraphError> {
    let mut known: BTreeSet<EntityId> = start.iter().map(|entity| entity.id.clone()).collect();
    let mut found = Subgraph { entities: start, ..Subgraph::default() };
    let mut edges: BTreeMap<(EntityId, Relationship, EntityId), Edge> = BTreeMap::new();
    let mut border = known.clone();
    for _ in 0..asked.max_hops.min(MAX_HOPS) {
        let mut next = BTreeSet::new();
        let around = around_all(graph, scope, &border).await?;
        found.is_cut |= around.is_cut;
        for edge in around.edges.into_iter().filter_map(|edge| asked.taken(edge)) {
            next.extend(
                [&edge.from, &edge.to].into_iter().filter(|id| !known.contains(*id)).cloned(),
            );
            join(&mut edges, edge);
        }
        let met = graph.by_ids(scope, next).await?;
        border = found.add(met.into_iter().filter(|entity| asked.has(&entity.entity_type)));
        known.extend(border.iter().cloned());
        if border.is_empty() {
            break;
        }
    }
    let inside = |edge: &Edge| known.contains(&edge.from) && known.contains(&edge.to);
    found.relationships = edges.into_values().filter(inside).collect();
    found.is_cut |= found.relationships.len() > MAX_EDGES;
    found.relationships.truncate(MAX_EDGES);
    Ok(found)
}

/// What two records say of two entities from either end is one relationship: the one that was met first.
fn join(edges: &mut BTreeMap<(EntityId, Relationship, EntityId), Edge>, edge: Edge) {
    let turned = edge.turned().filter(|turned| edges.contains_key(&turned.key()));
    let edge = turned.unwrap_or(edge);
    match edges.get_mut(&edge.key()) {
        Some(known) => known.absorb(&edge),
        None => {
            edges.insert(edge.key(), edge);
        }
    }
}

/// A few at a time, until an answer is full.
async fn around_all(
    graph: &dyn Explore,
    scope: &Scope,
    ids: &BTreeSet<EntityId>,
) -> Result<Around, GraphError> {
    let mut all = Around::default();
    let ids: Vec<&EntityId> = ids.iter().collect();
    for some in ids.chunks(AT_ONCE) {
        if all.edges.len() > MAX_EDGES {
            all.is_cut = true;
            break;
        }
        let some = some.iter().map(|id| (*id).clone()).collect();
        let around = graph.around(scope, &some).await?;
        all.edges.extend(around.edges);
        all.is_cut |= around.is_cut;
    }
    Ok(all)
}

impl Expansion {
    /// The edge as it was asked for; none when it was not.
    fn taken(&self, edge: Edge) -> Option<Edge> {
        if self.relationships.is_empty() || self.relationships.contains(&edge.relationship) {
            return Some(edge);
        }
        edge.turned().filter(|turned| self.relationships.contains(&turned.relationship))
    }

    fn has(&self, kind: &EntityType) -> bool {
        self.types.is_empty() || self.types.contains(kind)
    }
}

impl Subgraph {
    /// Adds entities while there is room, and says which.
    fn add(&mut self, met: impl Iterator<Item = Entity>) -> BTreeSet<EntityId> {
        let mut added = BTreeSet::new();
        for entity in met {
            if self.entities.len() >= MAX_NODES {
                self.is_cut = true;
                break;
            }
            added.insert(entity.id.clone());
            self.entities.push(entity);
        }
        added
    }

    /// The relationships as records.
    #[must_use]
    pub fn relationship_records(&self) -> Vec<RelationshipRecord> {
        let names: BTreeMap<&EntityId, &str> = self
            .entities
            .iter()
            .map(|entity| (&entity.id, entity.canonical_name.as_str()))
            .collect();
        let name = |id: &EntityId| names.get(id).copied();
        let record = |edge: &Edge| RelationshipRecord::of(edge, name(&edge.from), name(&edge.to));
        self.relationships.iter().map(record).collect()
    }
}

#[cfg(test)]
mod tests;
