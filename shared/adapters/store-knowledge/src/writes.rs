//! Writing changes so that doing it again changes nothing.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use countersign_knowledge::change::Changes;
use countersign_knowledge::graph::{Applied, Scope};
use countersign_knowledge::{
    Discovery, DiscoveryStatus, Edge, Entity, EntityId, ResolutionLogRow, ReviewRow, lookup_keys,
};
use countersign_store_kit::{Expr, Item, Key, StoreError, Write, decode};
use futures::stream::{StreamExt as _, TryStreamExt as _, iter};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::items::{Back, Pointer, Versioned, open};
use crate::origins::mention_pointers;
use crate::{Answer, KnowledgeStore, Result, keys};

/// How many single writes run at once.
const AT_ONCE: usize = 16;

/// How often a compare-and-set is tried against other writers.
pub(crate) const TRIES: u32 = 8;

/// Of writes without conditions, so many are done one after the other.
const OF_BATCH: usize = 250;

/// How many of these run at once.
const BATCHES_AT_ONCE: usize = 4;

/// The entities that a plan made. Those that it recognised are joined with themselves, whatever people have joined them with since.
pub(crate) type Made<'a> = BTreeSet<&'a EntityId>;

/// What is joined under compare-and-set.
pub(crate) trait Joined:
    Serialize + DeserializeOwned + Clone + PartialEq + Send + Sync
{
    fn key(&self, scope: &Scope) -> Key;
    fn absorb(&mut self, other: &Self);
    /// Whether the plan made this one, so that whoever stands under its key may be somebody else.
    fn is_made(&self, made: &Made<'_>) -> bool;
    /// Whether these two cannot be one.
    fn contradicts(&self, other: &Self) -> bool;
    fn index(&self, scope: &Scope) -> Option<(String, String)>;
}

impl Joined for Entity {
    fn key(&self, scope: &Scope) -> Key {
        keys::entity(scope, &self.id)
    }

    fn absorb(&mut self, other: &Self) {
        Entity::absorb(self, other);
        self.keep_to_limits();
    }

    fn is_made(&self, made: &Made<'_>) -> bool {
        made.contains(&self.id)
    }

    fn contradicts(&self, other: &Self) -> bool {
        Entity::contradicts(self, other)
    }

    fn index(&self, scope: &Scope) -> Option<(String, String)> {
        Some(by_name(scope, self))
    }
}

/// Where an entity is listed by its kind.
pub(crate) fn by_name(scope: &Scope, entity: &Entity) -> (String, String) {
    let name: String = entity.canonical_key().chars().take(200).collect();
    (keys::by_type(scope, &entity.entity_type), name)
}

impl Joined for Edge {
    fn key(&self, scope: &Scope) -> Key {
        keys::edge(scope, &self.from, self.relationship, &self.to)
    }

    fn absorb(&mut self, other: &Self) {
        Edge::absorb(self, other);
    }

    fn is_made(&self, _: &Made<'_>) -> bool {
        false
    }

    fn contradicts(&self, _: &Self) -> bool {
        false
    }

    fn index(&self, _: &Scope) -> Option<(String, String)> {
        None
    }
}

/// What is written next.
enum Next {
    Nothing,
    Put(Box<Write>),
    Contradicts,
}

impl KnowledgeStore {
    /// Pointers first: one that names nothing yet is skipped by readers; an entity nobody can find would be made twice.
    pub(crate) async fn apply_all(
        &self,
        scope: &Scope,
        changes: &Changes,
        made: &Made<'_>,
    ) -> Result<Applied> {
        self.write_all(unique(pointers(scope, changes)?)).await?;
        self.write_origins(scope, changes).await?;
        if !self.join_all(scope, &changes.entities, made).await? {
            return Ok(Applied::Contradicted);
        }
        self.join_all(scope, &changes.edges, made).await?;
        self.write_rows(scope, changes).await?;
        let mut asked: Vec<Answer<'_, ()>> = Vec::with_capacity(changes.reviews.len());
        for review in &changes.reviews {
            asked.push(Box::pin(self.ask(scope, review)));
        }
        iter(asked).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
        Ok(Applied::Whole)
    }

    /// Writes the log and the discoveries.
    pub(crate) async fn write_rows(&self, scope: &Scope, changes: &Changes) -> Result<()> {
        self.write_all(unique(rows(scope, changes)?)).await
    }

    /// Writes without conditions, many at once.
    pub(crate) async fn write_all(&self, writes: Vec<Write>) -> Result<()> {
        let mut batches: Vec<Answer<'_, ()>> = Vec::new();
        for batch in writes.chunks(OF_BATCH) {
            batches.push(self.table.write_many(batch.to_vec()));
        }
        iter(batches).buffer_unordered(BATCHES_AT_ONCE).try_collect().await
    }

    /// What was found and is not in the graph: not yet, or not at all, and why. Applying the plan replaces it. Of a plan that is given
    /// up, what is shown as stored stays so: nobody applies the rest.
    pub(crate) async fn write_unstored(
        &self,
        scope: &Scope,
        changes: &Changes,
        status: DiscoveryStatus,
        why: Option<&str>,
    ) -> Result<()> {
        let stored = match status {
            DiscoveryStatus::GivenUp => {
                self.shown_as(scope, changes, DiscoveryStatus::Stored).await?
            }
            _ => HashSet::new(),
        };
        let row = |row: &Discovery| {
            let mut row = Discovery { status, ..row.clone() };
            row.details.extend(why.map(|why| ("reason".to_owned(), why.into())));
            discovery_write(scope, &row)
        };
        let found = changes.discoveries.iter();
        let unstored = found.filter(|found| !stored.contains(&discovery_key(scope, found)));
        let writes = unstored.map(row).collect::<Result<_>>()?;
        self.write_all(unique(writes)).await
    }

    /// The keys of those discoveries of a plan that are shown with this status.
    pub(crate) async fn shown_as(
        &self,
        scope: &Scope,
        changes: &Changes,
        status: DiscoveryStatus,
    ) -> Result<HashSet<Key>> {
        let rows = changes.discoveries.iter().map(|found| discovery_key(scope, found));
        // A batch may not name an item twice.
        let rows: Vec<Key> = rows.collect::<HashSet<Key>>().into_iter().collect();
        let mut shown = HashSet::new();
        for (key, item) in self.table.get_many(&rows).await? {
            let found: Discovery = decode(self.table.name(), item)?;
            if found.status == status {
                shown.insert(key);
            }
        }
        Ok(shown)
    }

    /// A pair that was asked before, and perhaps answered, stays as it is.
    async fn ask(&self, scope: &Scope, review: &ReviewRow) -> Result<()> {
        let partition = keys::reviews(scope, review.status);
        let place = keys::place(review.created_at, review.id.as_str());
        let write = Write::put(&keys::review(scope, &review.id), review)?;
        self.table.try_write(write.indexed(&partition, &place).if_absent()).await.map(drop)
    }

    /// False when one of them contradicts what stands: then none is written, unless somebody else writes at the same moment.
    async fn join_all<T: Joined>(
        &self,
        scope: &Scope,
        news: &[T],
        made: &Made<'_>,
    ) -> Result<bool> {
        let wanted: Vec<Key> = news.iter().map(|new| new.key(scope)).collect();
        let mut stands = self.table.get_many(&wanted).await?;
        if self.contradicts(scope, news, made, &stands)? {
            return Ok(false);
        }
        let mut joins: Vec<Answer<'_, bool>> = Vec::with_capacity(news.len());
        for new in news {
            joins.push(Box::pin(self.join(scope, new, made, stands.remove(&new.key(scope)))));
        }
        let joined: Vec<bool> = iter(joins).buffer_unordered(AT_ONCE).try_collect().await?;
        Ok(joined.into_iter().all(|is_joined| is_joined))
    }

    /// False when it contradicts what stands.
    async fn join<T: Joined>(
        &self,
        scope: &Scope,
        new: &T,
        made: &Made<'_>,
        mut stands: Option<Item>,
    ) -> Result<bool> {
        let key = new.key(scope);
        for _ in 0..TRIES {
            let write = match self.next(scope, new, made, stands)? {
                Next::Nothing => return Ok(true),
                Next::Contradicts => return Ok(false),
                Next::Put(write) => *write,
            };
            match self.table.write(write).await {
                Err(StoreError::ConditionFailed { item, .. }) => {
                    stands = match item {
                        Some(item) => Some(*item),
                        None => self.table.get_item(&key).await?,
                    };
                }
                other => return other.map(|()| true),
            }
        }
        Err(StoreError::Unavailable {
            table: self.table.name().to_owned(),
            reason: "too many writers of one item".to_owned(),
        })
    }

    /// The write that joins `new` to what stands; none when it is in there already.
    fn next<T: Joined>(
        &self,
        scope: &Scope,
        new: &T,
        made: &Made<'_>,
        stands: Option<Item>,
    ) -> Result<Next> {
        let (joined, version, condition) = match stands {
            None => (new.clone(), 0, Expr::absent()),
            Some(item) => {
                let item: Versioned = decode(self.table.name(), item)?;
                let before: T = open(self.table.name(), &item.json)?;
                if new.is_made(made) && before.contradicts(new) {
                    return Ok(Next::Contradicts);
                }
                let mut after = before.clone();
                after.absorb(new);
                if after == before {
                    return Ok(Next::Nothing);
                }
                (
                    after,
                    item.version,
                    Expr::new("#version = :version").bind("version", &item.version)?,
                )
            }
        };
        let json = serde_json::to_string(&joined).map_err(StoreError::encode)?;
        let write = Write::put(&joined.key(scope), &Versioned { version: version + 1, json })?;
        let write = match joined.index(scope) {
            Some((pk, sk)) => write.indexed(&pk, &sk),
            None => write,
        };
        Ok(Next::Put(Box::new(write.when(condition))))
    }
}

fn pointers(scope: &Scope, changes: &Changes) -> Result<Vec<(Key, Write)>> {
    let mut all = entity_pointers(scope, &changes.entities)?;
    all.extend(mention_pointers(scope, &changes.entities)?);
    for edge in &changes.edges {
        let key = keys::edge_back(scope, &edge.from, edge.relationship, &edge.to);
        let write =
            Write::put(&key, &Back { from: edge.from.clone(), relationship: edge.relationship })?;
        all.push((key, write));
    }
    Ok(all)
}

/// Where entities are found by sound, spelling, external id and word.
pub(crate) fn entity_pointers(scope: &Scope, entities: &[Entity]) -> Result<Vec<(Key, Write)>> {
    let mut all = Vec::new();
    for entity in entities {
        let pointer = Pointer { id: entity.id.clone() };
        let names =
            std::iter::once(entity.name.as_str()).chain(entity.aliases.iter().map(String::as_str));
        let filed = lookup_keys(names, &entity.entity_type, &entity.external_ids);
        let places = filed.iter().map(|key| Key::new(keys::lookup(scope, key), entity.id.as_str()));
        let words = entity
            .search_tokens()
            .into_iter()
            .map(|word| Key::new(keys::words(scope), format!("{word}#{}", entity.id)));
        for key in places.chain(words) {
            let write = Write::put(&key, &pointer)?;
            all.push((key, write));
        }
    }
    Ok(all)
}

fn rows(scope: &Scope, changes: &Changes) -> Result<Vec<(Key, Write)>> {
    let log = changes.log.iter().map(|row| log_write(scope, row));
    let found = changes.discoveries.iter().map(|row| discovery_write(scope, row));
    log.chain(found).collect()
}

pub(crate) fn log_write(scope: &Scope, row: &ResolutionLogRow) -> Result<(Key, Write)> {
    let key = keys::log_place(scope, row);
    let write = Write::put(&key, row)?.indexed(&keys::log_row(scope, &row.id), &key.sk);
    Ok((key, write))
}

pub(crate) fn discovery_key(scope: &Scope, row: &Discovery) -> Key {
    let partition = keys::discoveries_of(&scope.owner, &row.execution_id);
    Key::new(partition, format!("DISC#{}", row.id))
}

pub(crate) fn discovery_write(scope: &Scope, row: &Discovery) -> Result<(Key, Write)> {
    let key = discovery_key(scope, row);
    let place = keys::place(row.discovered_at, row.id.as_str());
    let write = Write::put(&key, row)?.indexed(&keys::discoveries(scope), &place);
    Ok((key, write))
}

/// A batch may not name an item twice.
pub(crate) fn unique(writes: Vec<(Key, Write)>) -> Vec<Write> {
    let by_key: BTreeMap<(String, String), Write> =
        writes.into_iter().map(|(key, write)| ((key.pk, key.sk), write)).collect();
    by_key.into_values().collect()
}
