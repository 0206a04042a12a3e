//! Whose graph.

use countersign_identity::UserId;

use crate::model::Namespace;

/// One owner's part of the graph: every read and write is inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The owner.
    pub owner: UserId,
    /// The part.
    pub namespace: Namespace,
}
