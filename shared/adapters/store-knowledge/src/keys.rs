//! The keys of the table.

use countersign_identity::UserId;
use countersign_knowledge::graph::Scope;
use countersign_knowledge::{
    DataSource, EntityId, EntityType, LogId, MentioningId, Relationship, ResolutionLogRow,
    ReviewId, ReviewStatus, SourceId,
};
use countersign_store_kit::Key;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

/// The partition of a graph.
pub(crate) fn graph(scope: &Scope) -> String {
    format!("G#{}#{}", scope.owner, scope.namespace.as_str())
}

pub(crate) fn entity(scope: &Scope, id: &EntityId) -> Key {
    Key::new(graph(scope), format!("ENT#{id}"))
}

pub(crate) fn by_type(scope: &Scope, kind: &EntityType) -> String {
    format!("{}#TYPE#{kind}", graph(scope))
}

/// Lookup keys may be long (an external id, a name in another script), so a long one is hashed.
pub(crate) fn lookup(scope: &Scope, key: &str) -> String {
    if key.len() <= 128 {
        format!("{}#KEY#{key}", graph(scope))
    } else {
        format!("{}#KEY#~{}", graph(scope), hex::encode(Sha256::digest(key)))
    }
}

pub(crate) fn words(scope: &Scope) -> String {
    format!("{}#WORDS", graph(scope))
}

pub(crate) fn edges(scope: &Scope, id: &EntityId) -> String {
    format!("{}#EDGES#{id}", graph(scope))
}

pub(crate) fn edge(
    scope: &Scope,
    from: &EntityId,
    relationship: Relationship,
    to: &EntityId,
) -> Key {
    Key::new(edges(scope, from), format!("OUT#{}#{to}", relationship.as_str()))
}

pub(crate) fn edge_back(
    scope: &Scope,
    from: &EntityId,
    relationship: Relationship,
    to: &EntityId,
) -> Key {
    Key::new(edges(scope, to), format!("IN#{}#{from}", relationship.as_str()))
}

pub(crate) fn log(scope: &Scope) -> String {
    format!("{}#LOG", graph(scope))
}

/// Where a row of the log is.
pub(crate) fn log_place(scope: &Scope, row: &ResolutionLogRow) -> Key {
    Key::new(log(scope), place(row.created_at, row.id.as_str()))
}

/// Where a row of the log is found by its id.
pub(crate) fn log_row(scope: &Scope, id: &LogId) -> String {
    format!("{}#ROW#{id}", graph(scope))
}

pub(crate) fn review(scope: &Scope, id: &ReviewId) -> Key {
    Key::new(graph(scope), format!("REVIEW#{id}"))
}

pub(crate) fn reviews(scope: &Scope, status: ReviewStatus) -> String {
    format!("{}#REVIEWS#{}", graph(scope), status.as_str())
}

/// What a run found, in whichever part of the owner's graph.
pub(crate) fn discoveries_of(owner: &UserId, run: &str) -> String {
    format!("R#{owner}#{run}")
}

/// What all runs found in a part, by time.
pub(crate) fn discoveries(scope: &Scope) -> String {
    format!("{}#FOUND", graph(scope))
}

pub(crate) fn source(scope: &Scope, id: &SourceId) -> Key {
    Key::new(graph(scope), format!("SRC#{id}"))
}

/// The sources of one connector, by time.
pub(crate) fn sources_of(scope: &Scope, connector: &str) -> String {
    format!("{}#SRCS#{connector}", graph(scope))
}

/// All sources of a part, by time.
pub(crate) fn sources(scope: &Scope) -> String {
    format!("{}#SRCS", graph(scope))
}

/// What the sort keys of the sources that a run read into this part begin with.
pub(crate) fn sources_of_run(scope: &Scope) -> String {
    format!("SRC#{}#", scope.namespace.as_str())
}

/// The same source among what its run has read.
pub(crate) fn source_of_run(scope: &Scope, source: &DataSource) -> Key {
    let partition = discoveries_of(&scope.owner, &source.execution_id);
    Key::new(partition, format!("{}{}", sources_of_run(scope), source.id))
}

pub(crate) fn document(scope: &Scope, id: &MentioningId) -> Key {
    Key::new(graph(scope), format!("DOC#{id}"))
}

/// All documents of a part, by time.
pub(crate) fn documents(scope: &Scope) -> String {
    format!("{}#DOCS", graph(scope))
}

/// Which entities a document names.
pub(crate) fn mentions(scope: &Scope, id: &MentioningId) -> String {
    format!("{}#DOC#{id}", graph(scope))
}

pub(crate) fn call(scope: &Scope, key: &str) -> Key {
    Key::new(graph(scope), format!("CALL#{}", hex::encode(Sha256::digest(key))))
}

/// Plans that are not applied yet, of all owners: for whoever applies them later.
pub(crate) const OPEN_PLANS: &str = "PLANS";

/// Calls that are resolved in the background, of all owners.
pub(crate) const DEFERRED: &str = "DEFERRED";

/// A time and a tie-breaker in an order that sorts as text: nanoseconds always stand in nine digits.
pub(crate) fn place(time: Timestamp, id: &str) -> String {
    format!("{time:.9}#{id}")
}

#[cfg(test)]
mod tests {
    use countersign_identity::UserId;
    use countersign_knowledge::Namespace;
    use countersign_knowledge::graph::Scope;

    use super::{graph, lookup, place};

    fn scope(byte: u8, namespace: &str) -> Scope {
        Scope {
            owner: UserId::from_bytes([byte; 16]),
            namespace: Namespace::parse(namespace).unwrap(),
        }
    }

    #[test]
    fn f_274_every_partition_starts_with_owner_and_namespace() {
        assert_ne!(graph(&scope(1, "a")), graph(&scope(2, "a")));
        assert_ne!(graph(&scope(1, "a")), graph(&scope(1, "b")));
        assert!(lookup(&scope(1, "a"), "PERSON:sSM0:R").starts_with(&graph(&scope(1, "a"))));
    }

    #[test]
    fn places_sort_by_time() {
        let at = |text: &str| place(text.parse().unwrap(), "x");
        assert!(at("2026-11-21T10:00:00Z") < at("2026-11-21T10:00:00.5Z"));
        assert!(at("2026-11-21T10:00:00.5Z") < at("2026-11-21T10:00:01Z"));
    }

    #[test]
    fn long_lookup_keys_stay_short() {
        assert!(lookup(&scope(1, "a"), &"Ж".repeat(2_000)).len() < 250);
    }
}
