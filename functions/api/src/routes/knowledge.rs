//! What the routes of the graph, its reviews and its log share.

use countersign_identity::UserId;
use countersign_knowledge::Namespace;
use countersign_knowledge::graph::Scope;
use countersign_knowledge::review::Decider;
use serde::Deserialize;
use utoipa::IntoParams;

use super::now;

/// Which part of the graph.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Part {
    /// The part of the caller's graph; `default` when left out.
    #[param(value_type = Option<String>)]
    namespace: Option<Namespace>,
}

impl Part {
    /// That part of this person's graph.
    pub(crate) fn scope(self, owner: &UserId) -> Scope {
        scope(owner, self.namespace)
    }
}

/// A part of this person's graph.
pub(crate) fn scope(owner: &UserId, namespace: Option<Namespace>) -> Scope {
    Scope { owner: owner.clone(), namespace: namespace.unwrap_or_default() }
}

/// The owner of a graph, who decides about it now.
pub(crate) fn decider(scope: &Scope) -> Decider {
    Decider { scope: scope.clone(), person: scope.owner.clone(), at: now() }
}
