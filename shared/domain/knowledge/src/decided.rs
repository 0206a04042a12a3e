//! The graph as people decided it is: which stored entities are one, and whose an edge is.
//!
//! A decision moves nothing. A merge links the merged entity to the one that is kept, a split says which spellings another
//! entity has now; reading follows both. So a decision is one small write, reversing it loses nothing, and what a run
//! writes at the same moment under an older view is still read under the new one.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Edge, Entity, EntityId, InDocument, Provenance, join_documents};

/// The most entities that are merged into one.
pub const MAX_MERGED: usize = 50;

/// Entities as they are stored, with all that they are linked to.
#[derive(Debug, Clone, Default)]
pub struct Decided {
    entities: BTreeMap<EntityId, Entity>,
    asked: BTreeSet<EntityId>,
}

impl Decided {
    /// Adds what was found when these were looked up.
    pub fn add(&mut self, asked: BTreeSet<EntityId>, found: Vec<Entity>) {
        self.asked.extend(asked);
        self.entities.extend(found.into_iter().map(|entity| (entity.id.clone(), entity)));
    }

    /// The entities that those here are linked to, and that were not looked up yet.
    #[must_use]
    pub fn missing(&self) -> BTreeSet<EntityId> {
        let links = self.entities.values().flat_map(links);
        links
            .filter(|id| !self.asked.contains(*id) && !self.entities.contains_key(*id))
            .cloned()
            .collect()
    }

    /// One as it is stored.
    #[must_use]
    pub fn get(&self, id: &EntityId) -> Option<&Entity> {
        self.entities.get(id)
    }

    /// The entity that this one is part of: itself, when nobody merged it.
    #[must_use]
    pub fn root<'a>(&'a self, id: &'a EntityId) -> &'a EntityId {
        let next = |id: &&'a EntityId| self.get(id).and_then(|entity| entity.merged_into.as_ref());
        std::iter::successors(Some(id), next).take(MAX_MERGED + 1).last().unwrap_or(id)
    }

    /// An entity and all that are merged into it.
    #[must_use]
    pub fn group(&self, root: &EntityId) -> BTreeSet<EntityId> {
        let mut group = BTreeSet::new();
        let mut open = vec![root.clone()];
        while let Some(id) = open.pop() {
            let members = self.get(&id).into_iter().flat_map(|entity| &entity.members);
            if group.insert(id.clone()) {
                open.extend(members.cloned());
            }
        }
        group
    }

    /// An entity with all that is known of those merged into it, its `members` all of them; none when it is not here. Never
    /// written back.
    #[must_use]
    pub fn view(&self, root: &EntityId) -> Option<Entity> {
        let stored = self.get(root)?;
        let mut view = stored.clone();
        // What was split from it and merged again is its own again.
        view.split_off.clear();
        view.members = self.group(root);
        view.members.remove(root);
        let mut mentioned_in = view.mentioned_in.clone();
        for member in view.members.clone().iter().filter_map(|id| self.get(id)) {
            view.aliases.insert(member.name.clone());
            view.merged_names.insert(member.canonical_name.clone());
            view.absorb(member);
            join_documents(&mut mentioned_in, &member.mentioned_in, InDocument::more);
        }
        view.mentioned_in = mentioned_in;
        view.split_off.clone_from(&stored.split_off);
        view.counted_with = self.parted(root);
        Some(view)
    }

    /// The entities that were once one with this one, or with those merged into it, and are not now.
    fn parted(&self, root: &EntityId) -> BTreeSet<EntityId> {
        let all = self.reached(root, |of| of.split_from.iter().chain(of.split_off.keys()));
        let roots: BTreeSet<&EntityId> = all.iter().map(|id| self.root(id)).collect();
        roots.into_iter().filter(|id| *id != root).cloned().collect()
    }

    /// The views of all that are not merged into another, by id.
    #[must_use]
    pub fn views(&self) -> Vec<Entity> {
        let roots: BTreeSet<&EntityId> = self.entities.keys().map(|id| self.root(id)).collect();
        roots.into_iter().filter_map(|id| self.view(id)).collect()
    }

    /// Under which entities the edges of this one are stored.
    #[must_use]
    pub fn edge_holders(&self, root: &EntityId) -> BTreeSet<EntityId> {
        self.reached(root, |of| of.split_from.iter())
    }

    /// The entities that are one with this one, and what `next` names of each that is found, and so on.
    fn reached<'e, I: Iterator<Item = &'e EntityId>>(
        &'e self,
        root: &EntityId,
        next: impl Fn(&'e Entity) -> I,
    ) -> BTreeSet<EntityId> {
        let mut all = self.group(root);
        let mut open: Vec<EntityId> = all.iter().cloned().collect();
        while let Some(id) = open.pop() {
            let Some(entity) = self.get(&id) else { continue };
            open.extend(next(entity).filter(|id| all.insert((*id).clone())).cloned());
        }
        all
    }

    /// Stored edges as edges between views. One between two that are now one is left out.
    #[must_use]
    pub fn edges(&self, stored: &[Edge]) -> Vec<Edge> {
        Edge::joined(stored.iter().flat_map(|edge| self.parts(edge)))
    }

    /// An edge by whose each of its readings is.
    fn parts(&self, edge: &Edge) -> Vec<Edge> {
        let mut by_ends: BTreeMap<(EntityId, EntityId), BTreeSet<Provenance>> = BTreeMap::new();
        for reading in &edge.provenance {
            let from = self.whose(&edge.from, reading.from_name.as_deref());
            let to = self.whose(&edge.to, reading.to_name.as_deref());
            by_ends.entry((from.clone(), to.clone())).or_default().insert(reading.clone());
        }
        by_ends
            .into_iter()
            .filter(|((from, to), _)| from != to)
            .map(|((from, to), provenance)| Edge { from, to, provenance, ..edge.clone() })
            .collect()
    }

    /// Whose a spelling is that a run has read as this entity.
    fn whose<'a>(&'a self, id: &'a EntityId, name: Option<&str>) -> &'a EntityId {
        let next = |id: &&'a EntityId| {
            let split_off = self.get(id).into_iter().flat_map(|entity| &entity.split_off);
            let mut taken =
                split_off.filter(|(_, taken)| name.is_some_and(|n| taken.names.contains(n)));
            taken.next().map(|(other, _)| other)
        };
        let holder = std::iter::successors(Some(id), next).take(MAX_MERGED + 1).last();
        self.root(holder.unwrap_or(id))
    }
}

fn links(entity: &Entity) -> impl Iterator<Item = &EntityId> {
    let up = entity.merged_into.iter().chain(&entity.split_from);
    up.chain(&entity.members).chain(entity.split_off.keys())
}
