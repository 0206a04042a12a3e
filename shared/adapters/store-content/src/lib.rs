//! The table `Content`: what runs produce for their owners.
//!
//! | PK | SK | what | index |
//! |---|---|---|---|
//! | `USER#{owner}` | `DOC#{id}` | a document and its body (above 100 KB the body lies in S3) | `USER#{owner}#FOLDER#{folder}` by time |
//! | `USER#{owner}` | `ADDED#{document}#{hash}` | that a call has added its text to a document | |
//! | `USER#{owner}` | `REMOVED#{id}` | a removed document and its body, for 30 days | |
//! | `USER#{owner}` | `FILECALL#{hash}` | that a call has made its change of a document | |
//! | `USER#{owner}` | `FOLDER#{id}` | a folder | |
//! | `USER#{owner}` | `TABLE#{workspace}#{table}` | columns, key and row count of a workspace table | |
//! | `ROWS#{owner}#{workspace}#{table}` | `ROW#{id}` | one row; the id is made of the key columns | the same partition, by time of insertion |
//! | `ROWS#{owner}#{workspace}#{table}` | `CALL#{hash}` | what a finished call wrote, so that its repetition writes nothing | |
//! | `USER#{owner}` | `EXPORT#{id}` | a file in S3 | `USER#{owner}#EXPORTS` by time |
//! | `MAIL#{id}` | `DELIVERY` | that a mail is being or has been handed over | |
//! | `USER#{owner}` | `TODO#{id}` | a to-do | `USER#{owner}#TODOS` by time |
//! | `USER#{owner}` | `TODOCALL#{todo}#{hash}` | what a call has changed of a to-do | |
//! | `USER#{owner}` | `NOTE#{id}` | a notification | `USER#{owner}#NOTES` by time |
//! | `TEAM#{team}` | `POST#{id}` | a post of a member of the team | `TEAM#{team}#POSTS` by time |
//!
//! The owner or the team stands in every partition key: no method can reach what belongs to somebody else.
//! Objects in S3: `exports/documents/{owner}/{id}` and `exports/files/{owner}/{id}/{file name}`.

mod additions;
mod against_others;
mod connections;
mod deliveries;
mod documents;
mod error;
mod exports;
mod file_changes;
mod ids;
mod keys;
mod notifications;
mod paths;
mod removed;
mod tables;
mod team_posts;
mod todos;

use countersign_identity::UserId;
use countersign_store_kit::{Blobs, Page, Query, Table, Window};
use serde::de::DeserializeOwned;

pub use countersign_report::table::table_name;

pub use additions::{Addition, MAX_DOCUMENT};
pub use connections::{Connection, MAX_CONNECTIONS, OPEN_FOR, TICKET_FOR, Ticket};
pub use deliveries::{Claim, Deliveries, LEASE};
pub use documents::{Document, Folder, NewDocument};
pub use error::ContentError;
pub use exports::{Export, NewExport};
pub use file_changes::{CHANGE_KEPT_HOURS, FileChange, FileChanged, NewText};
pub use ids::{DocumentId, ExportId, NotificationId};
pub use notifications::{Notification, NotificationType, Priority};
pub use removed::{RESTORABLE_DAYS, RemovedDocument};
pub use tables::{DEFAULT_WORKSPACE, OnConflict, RowWrite, StoredRow, TableInfo, Written};
pub use todos::{FoundTodos, TodoChange};

/// What every method of this crate returns.
pub type Result<T> = std::result::Result<T, ContentError>;

/// What a store is asked for, on its way.
pub type Answer<'a, T> = futures::future::BoxFuture<'a, Result<T>>;

/// The table `Content` and the bucket behind it.
#[derive(Debug, Clone)]
pub struct ContentStore {
    table: Table,
    blobs: Blobs,
}

impl ContentStore {
    /// The content in this table and bucket.
    #[must_use]
    #[inline]
    pub fn new(table: Table, blobs: Blobs) -> Self {
        Self { table, blobs }
    }

    /// A page of what an owner has of one kind, by id.
    fn under<T: DeserializeOwned + Send>(
        &self,
        owner: &UserId,
        kind: &str,
        window: Window,
    ) -> Answer<'_, Page<T>> {
        self.table.page(Query::partition(&keys::partition(owner)).prefix(kind).within(window))
    }

    /// A page of a list, newest first.
    fn newest<T: DeserializeOwned + Send>(
        &self,
        list: &str,
        window: Window,
    ) -> Answer<'_, Page<T>> {
        self.table.page(Query::index(list).descending().within(window))
    }
}

/// Sixteen bytes for the id of something made by a call: the same parts give the same bytes, so that a repeated call
/// makes nothing new.
#[must_use]
pub fn derived(parts: &[&str]) -> [u8; 16] {
    countersign_ids::derived("countersign/v1/content", parts)
}

#[cfg(test)]
mod tests {
    use super::derived;

    #[test]
    fn ids_depend_on_every_part_and_their_borders() {
        assert_eq!(derived(&["a", "b"]), derived(&["a", "b"]));
        assert_ne!(derived(&["a", "b"]), derived(&["ab"]));
        assert_ne!(derived(&["a", "b"]), derived(&["b", "a"]));
    }
}
