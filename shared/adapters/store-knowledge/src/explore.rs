//! Finding entities and what is around them.

use std::collections::{BTreeMap, BTreeSet};

use countersign_knowledge::explore::{Around, Budget, Explore, Named};
use countersign_knowledge::fold::search_words;
use countersign_knowledge::graph::{GraphFuture, Scope};
use countersign_knowledge::{Edge, Entity, EntityId, EntityType, ExternalId, Relationship, id_key};
use countersign_store_kit::{Key, Query, Window, boxed, decode};
use futures::stream::{StreamExt as _, TryStreamExt as _, iter};

use crate::candidates::Candidates;
use crate::items::{Back, Pointer};
use crate::reads::Page;
use crate::{Answer, KnowledgeStore, Result, keys};

/// The most entities a search looks at: more than any answer has, because their kinds are looked at afterwards.
const MAX_FOUND: usize = 1_000;

/// The most edges that are read of one entity in one direction.
const MAX_EDGES: i32 = 1_000;

/// How many entities' edges are read at once.
const AT_ONCE: usize = 8;

/// Stored edges by what names them, and whether some were left out.
type Stored = (BTreeMap<(EntityId, Relationship, EntityId), Edge>, bool);

impl Explore for KnowledgeStore {
    fn named<'a>(
        &'a self,
        scope: &'a Scope,
        text: &'a str,
        budget: &'a mut Budget,
    ) -> GraphFuture<'a, Named> {
        boxed(self.search(scope, text, budget))
    }

    fn with_identifier<'a>(
        &'a self,
        scope: &'a Scope,
        id: &'a ExternalId,
    ) -> GraphFuture<'a, Vec<Entity>> {
        boxed(async move {
            let mut found = Vec::new();
            for kind in &EntityType::NAMED {
                found.extend(self.identified(scope, kind, id).await?);
            }
            Ok(found)
        })
    }

    fn by_ids<'a>(
        &'a self,
        scope: &'a Scope,
        ids: BTreeSet<EntityId>,
    ) -> GraphFuture<'a, Vec<Entity>> {
        boxed(self.views_of(scope, ids))
    }

    fn around<'a>(
        &'a self,
        scope: &'a Scope,
        ids: &'a BTreeSet<EntityId>,
    ) -> GraphFuture<'a, Around> {
        boxed(self.edges_around(scope, ids))
    }
}

impl KnowledgeStore {
    /// One entity of the owner, or what it is merged into; none when it is not there.
    pub async fn entity(&self, scope: &Scope, id: &EntityId) -> Result<Option<Entity>> {
        Ok(self.views_of(scope, BTreeSet::from([id.clone()])).await?.into_iter().next())
    }

    /// A page of entities, by id; with a kind, by canonical name. What is merged into another is left out, so a page may
    /// be short.
    pub fn entities<'a>(
        &'a self,
        scope: &'a Scope,
        kind: Option<&'a EntityType>,
        window: Window,
    ) -> Answer<'a, Page<Entity>> {
        Box::pin(async move {
            let query = match kind {
                Some(kind) => Query::index(&keys::by_type(scope, kind)),
                None => Query::partition(&keys::graph(scope)).prefix("ENT#"),
            };
            let page = self.table.query(query.within(window)).await?;
            let listed = page.items.into_iter().map(|item| self.open_as::<Entity>(item));
            let listed = listed.collect::<Result<Vec<_>>>()?;
            let roots: Vec<EntityId> = listed
                .into_iter()
                .filter(|entity| entity.merged_into.is_none())
                .map(|entity| entity.id)
                .collect();
            let (decided, _) = self.decided(scope, roots.iter().cloned().collect()).await?;
            let items = roots.iter().filter_map(|id| decided.view(id)).collect();
            Ok(Page { items, next: page.next })
        })
    }

    /// The entities of a kind with this identifier (F-272): at most one of each kind, unless people are still asked.
    pub fn identified<'a>(
        &'a self,
        scope: &'a Scope,
        kind: &'a EntityType,
        id: &'a ExternalId,
    ) -> Answer<'a, Vec<Entity>> {
        let query = Query::partition(&keys::lookup(scope, &id_key(kind, id))).consistent();
        Box::pin(async move {
            let mut found = self.views_of(scope, self.pointed(query, 100).await?).await?;
            found.retain(|entity| entity.external_ids.contains(id));
            Ok(found)
        })
    }

    /// Entities with words in their names that begin like these, a page by id. None where they begin those of more names than a
    /// search looks at.
    ///
    /// # Errors
    /// [`KnowledgeStoreError`](crate::KnowledgeStoreError) when the table does not answer.
    pub async fn find(
        &self,
        scope: &Scope,
        words: &[String],
        window: Window,
    ) -> Result<Option<Page<Entity>>> {
        let mut most = Budget::default().pointers;
        let found = self.candidates(scope, words, &mut most).await?;
        let Candidates { ids, is_cut: false } = found else { return Ok(None) };
        let is_after =
            |id: &&EntityId| window.after.as_deref().is_none_or(|after| id.as_str() > after);
        let left: Vec<&EntityId> = ids.iter().filter(is_after).collect();
        let limit = usize::try_from(window.limit).unwrap_or_default();
        let mut items = Vec::new();
        for some in left.chunks(100) {
            let some: BTreeSet<EntityId> = some.iter().map(|id| (*id).clone()).collect();
            let (decided, _) = self.decided(scope, some.clone()).await?;
            for id in &some {
                let Some(view) = decided.view(decided.root(id)) else { continue };
                // What is merged is listed once: where the first of it stands.
                let of_view = std::iter::once(&view.id).chain(&view.members);
                let first = of_view.filter(|id| ids.contains(*id)).min();
                if first != Some(id) || !view.has_words(words) {
                    continue;
                }
                if items.len() == limit {
                    let next = items.last().map(|(id, _): &(EntityId, _)| id.to_string());
                    let items = items.into_iter().map(|(_, view)| view).collect();
                    return Ok(Some(Page { items, next }));
                }
                items.push((id.clone(), view));
            }
        }
        let items = items.into_iter().map(|(_, view)| view).collect();
        Ok(Some(Page { items, next: None }))
    }

    async fn search(&self, scope: &Scope, text: &str, budget: &mut Budget) -> Result<Named> {
        let words = search_words(text);
        let Candidates { ids, is_cut } =
            self.candidates(scope, &words, &mut budget.pointers).await?;
        let most = MAX_FOUND.min(budget.entities);
        let is_cut = is_cut || ids.len() > most;
        let ids: BTreeSet<EntityId> = ids.into_iter().take(most).collect();
        budget.entities -= ids.len();
        let mut entities = self.views_of(scope, ids).await?;
        // A spelling that was split off is still filed under the entity it came from.
        entities.retain(|entity| entity.has_words(&words));
        Ok(Named { entities, is_cut })
    }

    /// The entities that pointers lead to.
    async fn pointed(&self, query: Query, most: usize) -> Result<BTreeSet<EntityId>> {
        let pointers: Vec<Pointer> = self.table.query_all(query, most).await?;
        Ok(pointers.into_iter().map(|pointer| pointer.id).collect())
    }

    pub(crate) async fn views_of(
        &self,
        scope: &Scope,
        ids: BTreeSet<EntityId>,
    ) -> Result<Vec<Entity>> {
        let (decided, _) = self.decided(scope, ids.clone()).await?;
        let roots: BTreeSet<&EntityId> = ids.iter().map(|id| decided.root(id)).collect();
        Ok(roots.into_iter().filter_map(|id| decided.view(id)).collect())
    }

    async fn edges_around(&self, scope: &Scope, ids: &BTreeSet<EntityId>) -> Result<Around> {
        let (decided, _) = self.decided(scope, ids.clone()).await?;
        let holders: BTreeSet<EntityId> =
            ids.iter().flat_map(|id| decided.edge_holders(decided.root(id))).collect();
        let mut reads: Vec<Answer<'_, Stored>> = Vec::with_capacity(holders.len());
        for holder in &holders {
            reads.push(Box::pin(self.stored_edges(scope, holder)));
        }
        let read: Vec<Stored> = iter(reads).buffered(AT_ONCE).try_collect().await?;
        let is_cut = read.iter().any(|(_, is_cut)| *is_cut);
        let stored: BTreeMap<_, _> = read.into_iter().flat_map(|(edges, _)| edges).collect();
        let stored: Vec<Edge> = stored.into_values().collect();
        let ends = stored.iter().flat_map(|edge| [edge.from.clone(), edge.to.clone()]);
        let (all, _) = self.decided(scope, ends.chain(ids.iter().cloned()).collect()).await?;
        let roots: BTreeSet<&EntityId> = ids.iter().map(|id| all.root(id)).collect();
        let mut edges = all.edges(&stored);
        edges.retain(|edge| roots.contains(&edge.from) || roots.contains(&edge.to));
        Ok(Around { edges, is_cut })
    }

    async fn stored_edges(&self, scope: &Scope, id: &EntityId) -> Result<Stored> {
        let partition = Query::partition(&keys::edges(scope, id)).limit(MAX_EDGES).consistent();
        let leaving = self.table.query(partition.clone().prefix("OUT#")).await?;
        let arriving = self.table.query(partition.prefix("IN#")).await?;
        let is_cut = leaving.next.is_some() || arriving.next.is_some();
        let mut items = leaving.items;
        let mut wanted = Vec::with_capacity(arriving.items.len());
        for item in arriving.items {
            let back: Back = decode(self.table.name(), item)?;
            wanted.push(keys::edge(scope, &back.from, back.relationship, id));
        }
        let found = self.table.get_many(&wanted as &[Key]).await?;
        items.extend(found.into_values());
        let mut edges = BTreeMap::new();
        for item in items {
            let edge: Edge = self.open_as(item)?;
            edges.insert((edge.from.clone(), edge.relationship, edge.to.clone()), edge);
        }
        Ok((edges, is_cut))
    }
}
