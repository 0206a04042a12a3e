//! `resolve_entities` (F-048): mentions become entities of the owner's graph. `match_entities` says the same and
//! remembers nothing. `search_knowledge_graph` (F-043) reads the graph.

mod applying;
mod given;
mod graph_port;
mod keep;
mod later;
mod match_entities;
mod namespaces;
mod resolve_entities;
mod search;
mod time;

use std::sync::Arc;

use countersign_knowledge::explore::Explore;
use countersign_knowledge::graph::Graph;
use countersign_registry::action::Handler;

pub use given::Given;
pub use graph_port::GraphPort;
pub use keep::{WITHIN, pending, summary};
pub use later::{PutOff, Settled, give_up, settle};
pub use namespaces::ProfileNamespaces;
pub use resolve_entities::{GraphWrite, remember};

/// What the actions work with.
#[derive(Clone)]
pub struct Stores {
    /// Where resolutions are written.
    pub graph: Arc<dyn Graph>,
    /// Where entities are found.
    pub explore: Arc<dyn Explore>,
    /// Which parts of the graph agents work in.
    pub profiles: Arc<dyn ProfileNamespaces>,
}

/// Every action of this crate.
#[must_use]
pub fn actions(stores: &Stores) -> Vec<Arc<dyn Handler>> {
    vec![
        Arc::new(resolve_entities::ResolveEntities { stores: stores.clone() }),
        Arc::new(match_entities::MatchEntities { stores: stores.clone() }),
        Arc::new(search::SearchKnowledgeGraph { stores: stores.clone() }),
    ]
}

#[cfg(test)]
mod tests;
