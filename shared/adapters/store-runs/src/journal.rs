//! Journals: entries, and one row per way of finding them (F-228).
//!
//! | item | PK | SK |
//! |---|---|---|
//! | entry | `JRNL#{owner}#{id}` | `ENTRY` |
//! | row | `JRNL#{owner}#USER` | `{time}#{id}` |
//! | row | `JRNL#{owner}#PROF#{profile}` | `{time}#{id}` |
//! | row | `JRNL#{owner}#PROF#{profile}#{status}` | `{time}#{id}` |
//! | row | `JRNL#{owner}#NAME#{key}` | `{time}#{id}` |
//!
//! The entry is written first, then its rows; writing it again writes the rows again, so a crash in between heals.

use countersign_identity::UserId;
use countersign_journal::{
    Access, Entry, EntryId, JournalError, JournalPage, JournalRead, JournalWrite, Mention,
};
use countersign_store_kit::{Key, Query, StoreError, Table, Write, decode};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An entry is found by at most so many of the names it mentions.
const MAX_NAMES: usize = 1_000;

/// Entries a page.
const PAGE: i32 = 50;

/// Journals as they are stored.
#[derive(Debug, Clone)]
pub struct JournalStore {
    table: Table,
}

#[derive(Serialize, Deserialize)]
struct Row {
    id: EntryId,
}

impl JournalStore {
    /// The store over the table Runs.
    #[must_use]
    #[inline]
    pub fn new(table: Table) -> Self {
        Self { table }
    }

    async fn put(&self, entry: &Entry) -> countersign_store_kit::Result<Entry> {
        let key = entry_key(&entry.user_id, &entry.id);
        let put = Write::put(&key, entry)?.if_absent().expires_at(entry.expires_at.as_second());
        let stands = match self.table.write(put).await {
            Ok(()) => entry.clone(),
            Err(error) if error.is_condition() => self.table.get(&key).await?.ok_or(error)?,
            Err(error) => return Err(error),
        };
        let row = |key: Key| {
            Write::put(&key, &Row { id: stands.id.clone() })
                .map(|write| write.expires_at(stands.expires_at.as_second()))
        };
        let rows = row_keys(&stands).into_iter().map(row).collect::<Result<Vec<_>, _>>()?;
        self.table.write_many(rows).await?;
        Ok(stands)
    }

    /// Takes an entry away, rows first, so that what a crash leaves is taken away by repeating it. Nothing happens when it is
    /// not there.
    ///
    /// # Errors
    /// [`JournalError`] when the table does not answer.
    pub async fn withdraw(&self, owner: &UserId, id: &EntryId) -> Result<(), JournalError> {
        self.take_away(owner, id).await.map_err(JournalError::store)
    }

    pub(crate) async fn take_away(
        &self,
        owner: &UserId,
        id: &EntryId,
    ) -> countersign_store_kit::Result<()> {
        let key = entry_key(owner, id);
        let Some(entry) = self.table.get::<Entry>(&key).await? else { return Ok(()) };
        let rows = row_keys(&entry).into_iter().map(|key| Write::delete(&key));
        self.table.write_many(rows.collect()).await?;
        self.table.write(Write::delete(&key)).await
    }

    /// Removes every entry of an agent, under whatever it is found (F-178). The rows of the agent go last: doing it again
    /// finishes the work.
    ///
    /// # Errors
    /// [`JournalError`] when the table does not answer.
    pub async fn remove_profile(&self, owner: &UserId, profile: &str) -> Result<(), JournalError> {
        while self.remove_page(owner, profile).await.map_err(JournalError::store)? {}
        Ok(())
    }

    /// Removes the entries of one page; false when there are none.
    async fn remove_page(
        &self,
        owner: &UserId,
        profile: &str,
    ) -> countersign_store_kit::Result<bool> {
        let access = Access::Profile { owner: owner.clone(), profile: profile.to_owned() };
        let (_, own) = partition(&access);
        let page = self.table.query(Query::partition(&own).limit(PAGE).consistent()).await?;
        let sorts: Vec<String> = page
            .items
            .iter()
            .filter_map(|item| Some(item.get("SK")?.as_s().ok()?.clone()))
            .collect();
        let rows = page.decode::<Row>(self.table.name())?;
        let keys = keys_of(owner, &rows.items);
        if keys.is_empty() {
            return Ok(false);
        }
        let found = self.table.get_many(&keys).await?;
        let mut gone = Vec::new();
        for item in found.into_values() {
            let entry: Entry = decode(self.table.name(), item)?;
            let sort = sort(entry.created_at, entry.id.as_str());
            let others = partitions(&entry).into_iter().filter(|partition| *partition != own);
            gone.extend(others.map(|partition| Write::delete(&Key::new(partition, sort.clone()))));
        }
        gone.extend(keys.iter().map(Write::delete));
        gone.extend(sorts.into_iter().map(|sort| Write::delete(&Key::new(own.clone(), sort))));
        self.table.write_many(gone).await?;
        Ok(true)
    }

    /// A page of at most `limit` entries between two times, newest first.
    ///
    /// # Errors
    /// [`JournalError`] when the table does not answer.
    pub async fn list(
        &self,
        access: &Access,
        (from, to): (Option<Timestamp>, Option<Timestamp>),
        cursor: Option<&str>,
        limit: i32,
    ) -> Result<JournalPage, JournalError> {
        self.read_page(access, (from, to), cursor, limit).await.map_err(JournalError::store)
    }

    async fn read_page(
        &self,
        access: &Access,
        (from, to): (Option<Timestamp>, Option<Timestamp>),
        cursor: Option<&str>,
        limit: i32,
    ) -> countersign_store_kit::Result<JournalPage> {
        let (owner, partition) = partition(access);
        let low = from.map_or_else(String::new, |from| sort(from, ""));
        let high = to.map_or_else(|| "9".to_owned(), |to| sort(to, "~"));
        let query = Query::partition(&partition)
            .between(&low, &high)
            .descending()
            .limit(limit)
            .after(cursor);
        // DynamoDB takes no empty text as the lower bound.
        let query = if low.is_empty() { query.between("0", &high) } else { query };
        let page = self.table.query(query).await?.decode::<Row>(self.table.name())?;
        let keys = keys_of(owner, &page.items);
        Ok(JournalPage { entries: self.table.get_in_order(&keys).await?, next: page.next })
    }
}

impl JournalWrite for JournalStore {
    fn put_if_new<'a>(&'a self, entry: &'a Entry) -> BoxFuture<'a, Result<Entry, JournalError>> {
        Box::pin(async move { self.put(entry).await.map_err(JournalError::store) })
    }
}

impl JournalRead for JournalStore {
    fn entry<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a EntryId,
    ) -> BoxFuture<'a, Result<Option<Entry>, JournalError>> {
        let entry = self.table.read::<Entry, StoreError>(entry_key(owner, id));
        Box::pin(async move { entry.await.map_err(JournalError::store) })
    }

    fn page<'a>(
        &'a self,
        access: &'a Access,
        from: Option<Timestamp>,
        to: Option<Timestamp>,
        cursor: Option<&'a str>,
    ) -> BoxFuture<'a, Result<JournalPage, JournalError>> {
        Box::pin(async move { self.list(access, (from, to), cursor, PAGE).await })
    }
}

fn keys_of(owner: &UserId, rows: &[Row]) -> Vec<Key> {
    rows.iter().map(|row| entry_key(owner, &row.id)).collect()
}

fn entry_key(owner: &UserId, id: &EntryId) -> Key {
    Key::new(format!("JRNL#{owner}#{id}"), "ENTRY")
}

fn sort(at: Timestamp, id: &str) -> String {
    format!("{at:.6}#{id}")
}

fn partition(access: &Access) -> (&UserId, String) {
    match access {
        Access::User { owner } => (owner, format!("JRNL#{owner}#USER")),
        Access::Profile { owner, profile } => (owner, format!("JRNL#{owner}#PROF#{profile}")),
        Access::Status { owner, profile, status } => {
            (owner, format!("JRNL#{owner}#PROF#{profile}#{}", status.as_str()))
        }
        Access::Entity { owner, key } => (owner, format!("JRNL#{owner}#NAME#{key}")),
    }
}

fn row_keys(entry: &Entry) -> Vec<Key> {
    let sort = sort(entry.created_at, entry.id.as_str());
    partitions(entry).into_iter().map(|partition| Key::new(partition, sort.clone())).collect()
}

/// Every partition the entry has a row in.
fn partitions(entry: &Entry) -> Vec<String> {
    let owner = entry.user_id.clone();
    let profile = entry.agent_profile_id.clone();
    let mut accesses = vec![
        Access::User { owner: owner.clone() },
        Access::Profile { owner: owner.clone(), profile: profile.clone() },
        Access::Status { owner: owner.clone(), profile, status: entry.task_status },
    ];
    let mut keys: Vec<String> =
        entry.entities_mentioned.iter().map(|mention| Mention::key(&mention.name)).collect();
    keys.sort();
    keys.dedup();
    keys.truncate(MAX_NAMES);
    accesses.extend(keys.into_iter().map(|key| Access::Entity { owner: owner.clone(), key }));
    accesses.iter().map(|access| partition(access).1).collect()
}
