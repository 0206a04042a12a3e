//! The actions that write results: `save_to_workspace` (F-052) and `route_output` (F-053, F-280…F-295).
//!
//! Both are idempotent per call: what is written carries ids made of the call's idempotency key, so a second attempt
//! finds it and answers the same.

mod collapsed;
mod content_port;
mod defaults;
mod route;
mod routed;
mod router;
mod save;

use std::sync::Arc;

use countersign_actions_knowledge::GraphPort;
use countersign_registry::action::Handler;

pub use content_port::ContentPort;
pub use defaults::{OwnDestination, ProfileOutputs};
pub use route::{route, route_again};
pub use router::{OutputPorts, provenance, told};

/// The actions, over what they write to and where a profile's own destinations are found.
#[must_use]
pub fn actions(
    content: Arc<dyn ContentPort>,
    graph: Arc<dyn GraphPort>,
    profiles: Arc<dyn ProfileOutputs>,
) -> Vec<Arc<dyn Handler>> {
    vec![
        Arc::new(save::SaveToWorkspace { content: Arc::clone(&content) }),
        Arc::new(route::RouteOutput { content, graph, profiles }),
    ]
}

#[cfg(test)]
mod tests;
