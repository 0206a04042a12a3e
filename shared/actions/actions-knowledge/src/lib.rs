//! `resolve_entities` (F-048): mentions become entities of the owner's graph. `match_entities` says the same and
//! remembers nothing.

mod match_entities;
mod resolve_entities;

use std::sync::Arc;

use countersign_knowledge::graph::Graph;
use countersign_registry::action::Handler;

/// Every action of this crate.
#[must_use]
pub fn actions(graph: Arc<dyn Graph>) -> Vec<Arc<dyn Handler>> {
    vec![
        Arc::new(resolve_entities::ResolveEntities { graph: Arc::clone(&graph) }),
        Arc::new(match_entities::MatchEntities { graph }),
    ]
}

#[cfg(test)]
mod tests;
