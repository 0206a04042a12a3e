//! What two sides of a comparison have in common besides their names: documents and relationships (F-248, F-400).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::Planner;
use crate::fold::{fold, squeeze};
use crate::model::{Edge, EntityId, MentioningId};
use crate::resolve::{Candidate, Cluster, Link};

/// The most documents or relationships that a row names.
const MAX_NAMED: usize = 20;

impl Planner<'_> {
    /// Which mentions of a cluster are written how.
    pub(super) fn members_by_spelling(&self, cluster: &Cluster) -> BTreeMap<String, Vec<usize>> {
        let mut spelt = BTreeMap::<String, Vec<usize>>::new();
        for member in &cluster.members {
            spelt.entry(squeeze(&self.mentions[*member].name)).or_default().push(*member);
        }
        spelt
    }

    /// The documents that name both spellings of a link, by id.
    pub(super) fn documents_of_both(
        &self,
        (cluster, spelt): (&Cluster, &BTreeMap<String, Vec<usize>>),
        link: &Link,
    ) -> Value {
        let of = |name: &str| {
            let members = spelt.get(&squeeze(name)).map(Vec::as_slice).unwrap_or_default();
            // A spelling that no mention of the call has is one of the entity that the graph knows.
            let known = cluster.known.as_ref().filter(|_| members.is_empty());
            self.documents(members, known)
        };
        named(of(&link.source_name).intersection(&of(&link.target_name)))
    }

    /// The documents that name a cluster, by id.
    pub(super) fn documents_of(&self, cluster: &Cluster) -> BTreeSet<MentioningId> {
        self.documents(&cluster.members, cluster.known.as_ref())
    }

    /// The documents that name the other side of a doubt.
    pub(super) fn documents_of_candidate(&self, candidate: &Candidate) -> BTreeSet<MentioningId> {
        match candidate {
            Candidate::Cluster(index) => self.documents_of(&self.resolution.clusters[*index]),
            Candidate::Known(id, _) => self.documents(&[], Some(id)),
        }
    }

    fn documents(&self, members: &[usize], known: Option<&EntityId>) -> BTreeSet<MentioningId> {
        let known = known.and_then(|id| self.known.get(id));
        let known = known.into_iter().flat_map(|entity| entity.mentioned_in.keys());
        self.links(members).1.keys().chain(known).cloned().collect()
    }

    /// The folded names that both were seen with, and those that both have the same relationship to.
    pub(super) fn shared_relationships(
        &self,
        link: &Link,
        ends: (&EntityId, &EntityId),
        edges: &[Edge],
    ) -> Value {
        let of = |id: &EntityId| -> BTreeSet<(&'static str, &EntityId)> {
            let from = edges.iter().filter(|edge| edge.from == *id);
            let to = edges.iter().filter(|edge| edge.to == *id);
            let from = from.map(|edge| (edge.relationship.as_str(), &edge.to));
            from.chain(to.map(|edge| (edge.relationship.as_str(), &edge.from))).collect()
        };
        let (one, other) = (of(ends.0), of(ends.1));
        let both = one.intersection(&other).filter_map(|(_, id)| self.place.get(*id));
        let both = both.map(|place| fold(&self.resolution.clusters[*place].canonical_name));
        let all: BTreeSet<String> = link.shared_context.iter().cloned().chain(both).collect();
        named(&all)
    }
}

/// The first of them.
pub(super) fn named<T: serde::Serialize>(all: impl IntoIterator<Item = T>) -> Value {
    json!(all.into_iter().take(MAX_NAMED).collect::<Vec<T>>())
}
