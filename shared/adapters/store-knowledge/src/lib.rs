//! The table `Knowledge`, and the only code that knows its keys.
//!
//! `{g}` is `G#{owner}#{namespace}`: the owner stands in every partition key, so no method can reach another's graph.
//!
//! | PK | SK | what | index |
//! |---|---|---|---|
//! | `{g}` | `ENT#{id}` | an entity, with a version for compare-and-set | `{g}#TYPE#{type}`, folded canonical name |
//! | `{g}#KEY#{key}` | `{id}` | where an entity is looked up by sound, spelling or external id; one item per external id (K-73) | |
//! | `{g}#WORDS` | `{word}#{id}` | a word of a name, for search by prefix (F-273) | |
//! | `{g}#EDGES#{from}` | `OUT#{relationship}#{to}` | an edge with its provenance (K-73) | |
//! | `{g}#EDGES#{to}` | `IN#{relationship}#{from}` | the way back | |
//! | `{g}` | `SRC#{id}` | a data source (F-254) | `{g}#SRCS#{connector}`, `{time}#{id}` |
//! | `R#{owner}#{run}` | `SRC#{namespace}#{id}` | the same, with its run | `{g}#SRCS`, `{time}#{id}` |
//! | `{g}` | `DOC#{id}` | a document (F-253) | `{g}#DOCS`, `{time}#{id}` |
//! | `{g}#DOC#{id}` | `{entity}` | an entity that it names; the entity says how (ADR 0026) | |
//! | `{g}#LOG` | `{time}#{id}` | a row of the resolution log | `{g}#ROW#{id}`, `{time}#{id}` |
//! | `{g}` | `REVIEW#{id}` | a doubtful merge | `{g}#REVIEWS#{status}`, `{time}#{id}` |
//! | `R#{owner}#{run}` | `DISC#{id}` | a discovery | `{g}#FOUND`, `{time}#{id}` |
//! | `{g}` | `CALL#{hash}` | plan and answer of a call, until 400 days after | until it is resolved: `DEFERRED`; until it is applied: `PLANS`; `{time}#{hash}` |
//! | `SWEEP` | `DEFERRED`, `PLANS` | how far a list that is long was looked at | |
//!
//! An entity's id is derived from owner, namespace, type and canonical name, which makes these unique (F-272, ADR 0010).

mod apply;
mod calls;
mod candidates;
mod decide;
mod discovered;
mod explore;
mod graph;
mod items;
mod keys;
mod origins;
mod reads;
mod trail;
mod unfinished;
mod writes;

pub use decide::Judge;
pub use reads::Page;
pub use unfinished::Waiting;

use countersign_store_kit::{Blobs, Table};

/// What every method of this crate returns.
pub type Result<T> = countersign_store_kit::Result<T>;

/// What a store is asked for, on its way.
pub type Answer<'a, T> = futures::future::BoxFuture<'a, Result<T>>;

/// The table `Knowledge` and the bucket for large plans.
#[derive(Debug, Clone)]
pub struct KnowledgeStore {
    table: Table,
    blobs: Blobs,
}

impl KnowledgeStore {
    /// The knowledge in this table; plans above 100 KB lie in the bucket under `knowledge/`.
    #[must_use]
    #[inline]
    pub fn new(table: Table, blobs: Blobs) -> Self {
        Self { table, blobs }
    }
}
