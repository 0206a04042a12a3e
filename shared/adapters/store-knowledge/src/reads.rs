//! Reading one owner's graph.

use std::collections::{BTreeMap, BTreeSet};

use countersign_knowledge::graph::{EdgeKey, Scope};
use countersign_knowledge::{
    Discovery, Edge, Entity, EntityId, EntityType, Mention, ResolutionLogRow, ReviewId, ReviewRow,
    ReviewStatus, fold, lookup_keys,
};
use countersign_store_kit::{Item, Key, Query, decode};
use futures::future::BoxFuture;
use futures::stream::{StreamExt as _, TryStreamExt as _, iter};
use serde::de::DeserializeOwned;

use crate::writes::{Pointer, Versioned, open};
use crate::{KnowledgeStore, Result, keys};

pub use countersign_store_kit::Page;

/// Above so many lookup keys the whole graph is read instead: one page holds more than a thousand entities.
const MANY_KEYS: usize = 400;

/// The most entities a resolution is compared with.
const MAX_KNOWN: usize = 50_000;

/// How many lookups run at once.
const AT_ONCE: usize = 16;

impl KnowledgeStore {
    /// One entity of the owner, or none.
    pub fn entity<'a>(
        &'a self,
        scope: &'a Scope,
        id: &'a EntityId,
    ) -> BoxFuture<'a, Result<Option<Entity>>> {
        Box::pin(async move {
            let found: Option<Versioned> = self.table.get(&keys::entity(scope, id)).await?;
            found.map(|item| open(self.table.name(), &item.json)).transpose()
        })
    }

    /// A page of entities, by id; with a kind, by canonical name.
    pub fn entities<'a>(
        &'a self,
        scope: &'a Scope,
        kind: Option<&'a EntityType>,
        cursor: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Page<Entity>>> {
        Box::pin(async move {
            let query = match kind {
                Some(kind) => Query::index(&keys::by_type(scope, kind)),
                None => Query::partition(&keys::graph(scope)).prefix("ENT#"),
            };
            let page = self.table.query(query.after(cursor)).await?;
            let items = page
                .items
                .into_iter()
                .map(|item| self.open_as(item))
                .collect::<Result<Vec<_>>>()?;
            Ok(Page { items, next: page.next })
        })
    }

    /// What an item holds.
    fn open_as<T: DeserializeOwned>(&self, item: Item) -> Result<T> {
        let item: Versioned = decode(self.table.name(), item)?;
        open(self.table.name(), &item.json)
    }

    /// Entities with words in their names that begin like those of `text`, case and accents aside (F-273); at most 50.
    pub fn search<'a>(
        &'a self,
        scope: &'a Scope,
        text: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Entity>>> {
        Box::pin(async move {
            let mut found: Option<BTreeSet<EntityId>> = None;
            for word in fold::search_tokens(text) {
                let query = Query::partition(&keys::words(scope)).prefix(&word).limit(500);
                let pointers: Vec<Pointer> = self.table.query_all(query, 5_000).await?;
                let ids = pointers.into_iter().map(|pointer| pointer.id).collect();
                found = Some(match found {
                    Some(before) => before.intersection(&ids).cloned().collect(),
                    None => ids,
                });
            }
            let ids = found.unwrap_or_default().into_iter().take(50).collect();
            self.entities_by_id(scope, ids).await
        })
    }

    /// Entities by external id.
    pub fn by_external_id<'a>(
        &'a self,
        scope: &'a Scope,
        kind: &'a EntityType,
        id: &'a countersign_knowledge::ExternalId,
    ) -> BoxFuture<'a, Result<Vec<Entity>>> {
        Box::pin(async move {
            let ids = self
                .filed_under(keys::lookup(scope, &countersign_knowledge::id_key(kind, id)))
                .await?;
            self.entities_by_id(scope, ids.into_iter().collect()).await
        })
    }

    pub(crate) async fn entities_by_id(
        &self,
        scope: &Scope,
        ids: BTreeSet<EntityId>,
    ) -> Result<Vec<Entity>> {
        let wanted: Vec<Key> = ids.iter().map(|id| keys::entity(scope, id)).collect();
        let found = self.table.get_many(&wanted).await?;
        let entities = found.into_values().map(|item| self.open_as(item));
        let mut entities = entities.collect::<Result<Vec<Entity>>>()?;
        entities.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(entities)
    }

    async fn filed_under(&self, partition: String) -> Result<Vec<EntityId>> {
        let pointers: Vec<Pointer> = self
            .table
            .query_all(Query::partition(&partition).limit(1_000).consistent(), 5_000)
            .await?;
        Ok(pointers.into_iter().map(|pointer| pointer.id).collect())
    }

    /// Few mentions: by their lookup keys. Many: everything, which takes fewer requests.
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
            return all.iter().map(|item| open(self.table.name(), &item.json)).collect();
        }
        let mut lookups: Vec<BoxFuture<'_, Result<Vec<EntityId>>>> =
            Vec::with_capacity(wanted.len());
        for key in &wanted {
            lookups.push(Box::pin(self.filed_under(keys::lookup(scope, key))));
        }
        let ids: Vec<Vec<EntityId>> = iter(lookups).buffer_unordered(AT_ONCE).try_collect().await?;
        self.entities_by_id(scope, ids.into_iter().flatten().collect()).await
    }

    pub(crate) async fn existing_of(
        &self,
        scope: &Scope,
        edges: &[Edge],
    ) -> Result<BTreeSet<EdgeKey>> {
        let by_key: BTreeMap<(String, String), EdgeKey> = edges
            .iter()
            .map(|edge| {
                let key = keys::edge(scope, &edge.from, edge.relationship, &edge.to);
                ((key.pk, key.sk), (edge.from.clone(), edge.relationship, edge.to.clone()))
            })
            .collect();
        let wanted: Vec<Key> = by_key.keys().map(|(pk, sk)| Key::new(pk, sk)).collect();
        let found = self.table.get_many(&wanted).await?;
        Ok(found.into_keys().filter_map(|key| by_key.get(&(key.pk, key.sk)).cloned()).collect())
    }

    /// A page of the edges that leave an entity.
    pub fn edges_from<'a>(
        &'a self,
        scope: &'a Scope,
        id: &'a EntityId,
        cursor: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Page<Edge>>> {
        Box::pin(async move {
            let page = self
                .table
                .query(Query::partition(&keys::edges(scope, id)).prefix("OUT#").after(cursor))
                .await?;
            let items = page.items.into_iter().map(|item| self.open_as(item));
            Ok(Page { items: items.collect::<Result<_>>()?, next: page.next })
        })
    }

    /// A page of the edges that arrive at an entity.
    pub fn edges_to<'a>(
        &'a self,
        scope: &'a Scope,
        id: &'a EntityId,
        cursor: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Page<Edge>>> {
        Box::pin(async move {
            let page = self
                .table
                .query(Query::partition(&keys::edges(scope, id)).prefix("IN#").after(cursor))
                .await?;
            let back: Page<Back> = page.decode(self.table.name())?;
            let wanted: Vec<Key> =
                back.items.iter().map(|b| keys::edge(scope, &b.from, b.relationship, id)).collect();
            let found = self.table.get_many(&wanted).await?;
            let items = found.into_values().map(|item| self.open_as(item));
            let mut items = items.collect::<Result<Vec<Edge>>>()?;
            items.sort_by(|a, b| (a.relationship, &a.from).cmp(&(b.relationship, &b.from)));
            Ok(Page { items, next: back.next })
        })
    }

    /// A page of the resolution log, newest first.
    pub fn log<'a>(
        &'a self,
        scope: &'a Scope,
        cursor: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Page<ResolutionLogRow>>> {
        Box::pin(async move {
            let page = self
                .table
                .query(Query::partition(&keys::log(scope)).descending().after(cursor))
                .await?;
            page.decode(self.table.name())
        })
    }

    /// A page of reviews of one status, newest first.
    pub fn reviews<'a>(
        &'a self,
        scope: &'a Scope,
        status: ReviewStatus,
        cursor: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Page<ReviewRow>>> {
        Box::pin(async move {
            let page = self
                .table
                .query(Query::index(&keys::reviews(scope, status)).descending().after(cursor))
                .await?;
            page.decode(self.table.name())
        })
    }

    /// One review of the owner, or none.
    pub fn review<'a>(
        &'a self,
        scope: &'a Scope,
        id: &'a ReviewId,
    ) -> BoxFuture<'a, Result<Option<ReviewRow>>> {
        Box::pin(async move { self.table.get(&keys::review(scope, id)).await })
    }

    /// A page of what a run found.
    pub fn discoveries<'a>(
        &'a self,
        scope: &'a Scope,
        run: &'a str,
        cursor: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Page<Discovery>>> {
        Box::pin(async move {
            let page = self
                .table
                .query(
                    Query::partition(&keys::discoveries(scope, run)).prefix("DISC#").after(cursor),
                )
                .await?;
            page.decode(self.table.name())
        })
    }
}

/// The way back along an edge.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Back {
    pub(crate) from: EntityId,
    pub(crate) relationship: countersign_knowledge::Relationship,
}
