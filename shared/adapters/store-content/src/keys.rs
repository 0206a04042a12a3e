//! The keys of the table; nobody else writes them.

use countersign_identity::UserId;
use countersign_store_kit::Key;
use countersign_team::{PostId, TeamId};

use countersign_todo::TodoId;

use crate::ids::{DocumentId, ExportId, NotificationId};

/// What the sort key of a folder starts with.
pub(crate) const FOLDER: &str = "FOLDER#";
/// What the sort key of a removed document starts with.
pub(crate) const REMOVED: &str = "REMOVED#";
/// What the sort key of a table starts with.
pub(crate) const TABLE: &str = "TABLE#";

pub(crate) fn partition(owner: &UserId) -> String {
    format!("USER#{owner}")
}

/// A ticket, by its digest.
pub(crate) fn ticket(digest: &str) -> Key {
    Key::new(format!("TICKET#{digest}"), "TICKET")
}

/// The partition of a person's connections.
pub(crate) fn connections(user: &UserId) -> String {
    format!("CONNECTIONS#{user}")
}

pub(crate) fn connection(user: &UserId, id: &str) -> Key {
    Key::new(connections(user), id)
}

/// Whose a connection is.
pub(crate) fn person_of(connection: &str) -> Key {
    Key::new(format!("CONNECTION#{connection}"), "PERSON")
}

pub(crate) fn document(owner: &UserId, id: &DocumentId) -> Key {
    Key::new(partition(owner), format!("DOC#{id}"))
}

/// That a call has added its text.
pub(crate) fn addition(owner: &UserId, document: &DocumentId, call: &str) -> Key {
    Key::new(partition(owner), format!("ADDED#{document}#{call}"))
}

/// A removed document.
pub(crate) fn removed(owner: &UserId, id: &DocumentId) -> Key {
    Key::new(partition(owner), format!("{REMOVED}{id}"))
}

/// That a path belongs to a document.
pub(crate) fn path(owner: &UserId, path: &str) -> Key {
    Key::new(partition(owner), format!("PATH#{path}"))
}

/// That a call has made its change of a document.
pub(crate) fn file_change(owner: &UserId, call: &str) -> Key {
    Key::new(partition(owner), format!("FILECALL#{call}"))
}

pub(crate) fn folder(owner: &UserId, id: &str) -> Key {
    Key::new(partition(owner), format!("{FOLDER}{id}"))
}

/// The index partition of a folder's documents; documents without a folder lie in the one with the empty name.
pub(crate) fn in_folder(owner: &UserId, folder: Option<&str>) -> String {
    format!("USER#{owner}#FOLDER#{}", folder.unwrap_or_default())
}

pub(crate) fn table(owner: &UserId, workspace: &str, table: &str) -> Key {
    Key::new(partition(owner), format!("{TABLE}{workspace}#{table}"))
}

pub(crate) fn rows(owner: &UserId, workspace: &str, table: &str) -> String {
    format!("ROWS#{owner}#{workspace}#{table}")
}

pub(crate) fn row(owner: &UserId, workspace: &str, table: &str, id: &str) -> Key {
    Key::new(rows(owner, workspace, table), format!("ROW#{id}"))
}

pub(crate) fn call(owner: &UserId, workspace: &str, table: &str, hash: &str) -> Key {
    Key::new(rows(owner, workspace, table), format!("CALL#{hash}"))
}

pub(crate) fn export(owner: &UserId, id: &ExportId) -> Key {
    Key::new(partition(owner), format!("EXPORT#{id}"))
}

pub(crate) fn exports(owner: &UserId) -> String {
    format!("USER#{owner}#EXPORTS")
}

pub(crate) fn todo(owner: &UserId, id: &TodoId) -> Key {
    Key::new(partition(owner), format!("TODO#{id}"))
}

/// What a call has changed of a to-do.
pub(crate) fn todo_call(owner: &UserId, id: &TodoId, call: &str) -> Key {
    Key::new(partition(owner), format!("TODOCALL#{id}#{call}"))
}

pub(crate) fn todos(owner: &UserId) -> String {
    format!("USER#{owner}#TODOS")
}

pub(crate) fn note(owner: &UserId, id: &NotificationId) -> Key {
    Key::new(partition(owner), format!("NOTE#{id}"))
}

pub(crate) fn notes(owner: &UserId) -> String {
    format!("USER#{owner}#NOTES")
}

pub(crate) fn post(team: &TeamId, id: &PostId) -> Key {
    Key::new(format!("TEAM#{team}"), format!("POST#{id}"))
}

/// The partition of the index with the posts of a team.
pub(crate) fn posts(team: &TeamId) -> String {
    format!("TEAM#{team}#POSTS")
}

/// Where something of this time is in a list by time.
pub(crate) fn at(time: jiff::Timestamp, id: &impl std::fmt::Display) -> String {
    format!("{}#{id}", sortable(time))
}

/// A time that sorts as text: RFC 3339 leaves trailing zeros out, which does not.
pub(crate) fn sortable(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.9fZ").to_string()
}

#[cfg(test)]
mod tests {
    use countersign_identity::UserId;
    use proptest::prelude::*;

    use super::{document, rows, sortable, table};
    use crate::ids::DocumentId;

    #[test]
    fn the_owner_stands_in_every_partition() {
        let (ada, bo) = (UserId::from_bytes([1; 16]), UserId::from_bytes([2; 16]));
        let id = DocumentId::from_bytes([3; 16]);
        assert_ne!(document(&ada, &id).pk, document(&bo, &id).pk);
        assert_ne!(table(&ada, "w", "t").pk, table(&bo, "w", "t").pk);
        assert_ne!(rows(&ada, "w", "t"), rows(&bo, "w", "t"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn times_sort_as_text(a in 0i64..4_000_000_000_000_000_000, b in 0i64..4_000_000_000_000_000_000) {
            let time = |n: i64| jiff::Timestamp::from_nanosecond(i128::from(n)).unwrap();
            prop_assert_eq!(sortable(time(a)).cmp(&sortable(time(b))), time(a).cmp(&time(b)));
        }
    }
}
