//! What a journal's store must offer, and searching it.

use countersign_identity::UserId;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use crate::entry::{Entry, EntryId, TaskStatus};
use crate::error::JournalError;
use crate::filter::Filter;

/// A search looks at no more entries than this before it answers with what it has.
const MAX_READ: usize = 2_000;

/// By what entries are found, newest first (F-228). Every access is under one owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// All of one agent.
    Profile {
        /// The owner.
        owner: UserId,
        /// The agent.
        profile: String,
    },
    /// All of one agent with one status.
    Status {
        /// The owner.
        owner: UserId,
        /// The agent.
        profile: String,
        /// The status.
        status: TaskStatus,
    },
    /// All of one owner.
    User {
        /// The owner.
        owner: UserId,
    },
    /// All of one owner that mention a name, by [`crate::Mention::key`].
    Entity {
        /// The owner.
        owner: UserId,
        /// The key of the name.
        key: String,
    },
}

/// A page of entries, newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct JournalPage {
    /// The entries.
    pub entries: Vec<Entry>,
    /// Where to go on; none on the last page.
    pub next: Option<String>,
}

/// Writing a journal.
pub trait JournalWrite: Send + Sync {
    /// Stores an entry unless one with its id exists; answers with the entry that stands.
    fn put_if_new<'a>(&'a self, entry: &'a Entry) -> BoxFuture<'a, Result<Entry, JournalError>>;
}

/// Reading a journal.
pub trait JournalRead: Send + Sync {
    /// One entry of an owner; none when it does not exist or is somebody else's.
    fn entry<'a>(
        &'a self,
        owner: &'a UserId,
        id: &'a EntryId,
    ) -> BoxFuture<'a, Result<Option<Entry>, JournalError>>;

    /// A page of entries between two times, newest first.
    fn page<'a>(
        &'a self,
        access: &'a Access,
        from: Option<Timestamp>,
        to: Option<Timestamp>,
        cursor: Option<&'a str>,
    ) -> BoxFuture<'a, Result<JournalPage, JournalError>>;
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    /// The entries, newest first.
    pub entries: Vec<Entry>,
    /// The time of the oldest and of the newest; none when nothing was found (F-223).
    pub date_range: Option<(Timestamp, Timestamp)>,
    /// Whether older entries match that are not among them.
    pub has_more: bool,
    /// Whether older entries were not looked at, because so many were.
    pub is_cut_short: bool,
}

impl Found {
    /// The output of `query_journal` (F-066).
    #[must_use]
    pub fn to_output(&self) -> Value {
        let range = self.date_range.map_or_else(
            || json!({}),
            |(from, to)| json!({"from": from.to_string(), "to": to.to_string()}),
        );
        let entries: Vec<Value> = self.entries.iter().map(told).collect();
        let warnings: Vec<String> = self.is_cut_short.then(too_many).into_iter().collect();
        json!({
            "entries": entries, "count": entries.len(), "date_range": range, "has_more": self.has_more,
            "warnings": warnings,
        })
    }
}

fn too_many() -> String {
    format!("the newest {MAX_READ} entries were looked at; older ones may match too")
}

fn told(entry: &Entry) -> Value {
    json!({
        "journal_entry_id": entry.id,
        "summary": entry.summary,
        "created_at": entry.created_at.to_string(),
        "run_context": entry.run_context,
        "steps_completed": entry.steps_completed,
        "entities_discovered": entry.entities_discovered,
        "outputs_produced": entry.outputs_produced,
        "task_status": entry.task_status,
    })
}

/// Searches the journal of one agent. The narrowest access is taken: status, else the agent's own entries. An entity is
/// found by part of its name, so it is looked for among those.
pub fn search<'a>(
    store: &'a dyn JournalRead,
    owner: &'a UserId,
    profile: &'a str,
    filter: &'a Filter,
) -> BoxFuture<'a, Result<Found, JournalError>> {
    Box::pin(async move {
        let (owner, profile) = (owner.clone(), profile.to_owned());
        let access = match filter.status {
            Some(status) => Access::Status { owner, profile, status },
            None => Access::Profile { owner, profile },
        };
        let mut entries: Vec<Entry> = Vec::new();
        let mut cursor: Option<String> = None;
        let mut read = 0;
        loop {
            let page = store.page(&access, filter.from, filter.to, cursor.as_deref()).await?;
            read += page.entries.len();
            entries.extend(page.entries.into_iter().filter(|entry| filter.matches(entry)));
            cursor = page.next;
            if entries.len() > filter.limit || cursor.is_none() || read >= MAX_READ {
                break;
            }
        }
        let has_more = entries.len() > filter.limit;
        let is_cut_short = !has_more && cursor.is_some();
        entries.truncate(filter.limit);
        let times = || entries.iter().map(|entry| entry.created_at);
        let date_range = times().min().zip(times().max());
        Ok(Found { entries, date_range, has_more, is_cut_short })
    })
}

#[cfg(test)]
mod tests;
