//! `resolve_entities` (F-048): mentions become entities of the owner's graph.

mod resolve_entities;

use std::sync::Arc;

use countersign_knowledge::graph::Graph;
use countersign_registry::action::Action;

/// Every action of this crate.
#[must_use]
pub fn actions(graph: Arc<dyn Graph>) -> Vec<Arc<dyn Action>> {
    vec![Arc::new(resolve_entities::ResolveEntities { graph })]
}

#[cfg(test)]
mod tests;
