//! What a resolution reads of one owner's graph.

use std::collections::{BTreeMap, BTreeSet};

use countersign_knowledge::decided::Decided;
use countersign_knowledge::graph::{EdgeKey, Scope};
use countersign_knowledge::{
    Edge, Entity, EntityId, Mention, ReviewId, ReviewRow, ReviewStatus, lookup_keys,
};
use countersign_store_kit::{Item, Key, Query, decode};
use futures::stream::{StreamExt as _, TryStreamExt as _, iter};
use serde::de::DeserializeOwned;

use crate::items::{Pointer, Versioned, open};
use crate::{Answer, KnowledgeStore, Result, keys};

pub use countersign_store_kit::Page;

/// Above so many lookup keys the whole graph is read instead: one page holds more than a thousand entities.
const MANY_KEYS: usize = 400;

/// The most entities a resolution is compared with.
const MAX_KNOWN: usize = 50_000;

/// How many lookups run at once.
const AT_ONCE: usize = 16;

impl KnowledgeStore {
    /// What an item holds.
    pub(crate) fn open_as<T: DeserializeOwned>(&self, item: Item) -> Result<T> {
        let item: Versioned = decode(self.table.name(), item)?;
        open(self.table.name(), &item.json)
    }

    async fn filed_under(&self, partition: String) -> Result<Vec<EntityId>> {
        let pointers: Vec<Pointer> = self
            .table
            .query_all(Query::partition(&partition).limit(1_000).consistent(), 5_000)
            .await?;
        Ok(pointers.into_iter().map(|pointer| pointer.id).collect())
    }

    /// Few mentions: by their lookup keys. Many: everything, which takes fewer requests. What people merged is one.
    pub(crate) async fn candidates_of(
        &self,
        scope: &Scope,
        mentions: &[Mention],
    ) -> Result<Vec<Entity>> {
        let names = mentions.iter().map(|m| {
            lookup_keys(std::iter::once(m.name.as_str()), &m.entity_type, &m.external_ids)
        });
        let wanted: BTreeSet<String> = names.flatten().collect();
        if wanted.len() > MANY_KEYS {
            let query =
                Query::partition(&keys::graph(scope)).prefix("ENT#").limit(1_000).consistent();
            let all: Vec<Versioned> = self.table.query_all(query, MAX_KNOWN).await?;
            // Of a larger graph only the keys find everything.
            if all.len() < MAX_KNOWN {
                let opened = all.iter().map(|item| open(self.table.name(), &item.json));
                let mut decided = Decided::default();
                decided.add(BTreeSet::new(), opened.collect::<Result<_>>()?);
                return Ok(decided.views());
            }
        }
        let mut lookups: Vec<Answer<'_, Vec<EntityId>>> = Vec::with_capacity(wanted.len());
        for key in &wanted {
            lookups.push(Box::pin(self.filed_under(keys::lookup(scope, key))));
        }
        let ids: Vec<Vec<EntityId>> = iter(lookups).buffer_unordered(AT_ONCE).try_collect().await?;
        Ok(self.decided(scope, ids.into_iter().flatten().collect()).await?.0.views())
    }

    pub(crate) async fn existing_of(
        &self,
        scope: &Scope,
        edges: &[Edge],
        known: &[Entity],
    ) -> Result<BTreeSet<EdgeKey>> {
        let members: BTreeMap<&EntityId, &BTreeSet<EntityId>> =
            known.iter().map(|entity| (&entity.id, &entity.members)).collect();
        let all = |id: &EntityId| -> Vec<EntityId> {
            let merged = members.get(id).into_iter().flat_map(|members| members.iter());
            std::iter::once(id).chain(merged).cloned().collect()
        };
        let mut by_key: BTreeMap<(String, String), EdgeKey> = BTreeMap::new();
        for edge in edges {
            let (sources, targets) = (all(&edge.from), all(&edge.to));
            for (from, to) in
                sources.iter().flat_map(|from| targets.iter().map(move |to| (from, to)))
            {
                let key = keys::edge(scope, from, edge.relationship, to);
                let edge = (edge.from.clone(), edge.relationship, edge.to.clone());
                by_key.insert((key.pk, key.sk), edge);
            }
        }
        let wanted: Vec<Key> = by_key.keys().map(|(pk, sk)| Key::new(pk, sk)).collect();
        let found = self.table.get_many(&wanted).await?;
        Ok(found.into_keys().filter_map(|key| by_key.get(&(key.pk, key.sk)).cloned()).collect())
    }

    pub(crate) async fn rejected_of(
        &self,
        scope: &Scope,
        reviews: &[ReviewId],
    ) -> Result<BTreeSet<ReviewId>> {
        let unique: BTreeSet<&ReviewId> = reviews.iter().collect();
        let wanted: Vec<Key> = unique.into_iter().map(|id| keys::review(scope, id)).collect();
        let mut rejected = BTreeSet::new();
        for item in self.table.get_many(&wanted).await?.into_values() {
            let review: ReviewRow = decode(self.table.name(), item)?;
            if review.status == ReviewStatus::Rejected {
                rejected.insert(review.id);
            }
        }
        Ok(rejected)
    }
}
