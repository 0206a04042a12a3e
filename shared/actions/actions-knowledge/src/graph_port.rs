//! Where entities are kept.

use countersign_registry::action::{ActionFuture, Call};
use countersign_report::GraphConfig;
use serde_json::Value;

/// Writes to the knowledge graph (F-284).
pub trait GraphPort: Send + Sync {
    /// Resolves what these items name and keeps it, once per key; the answer counts it. Items are entities, each with `name` and
    /// `type`, or records.
    fn keep<'a>(
        &'a self,
        call: &'a Call,
        key: &'a str,
        config: &'a GraphConfig,
        items: &'a [Value],
    ) -> ActionFuture<'a, Value>;
}
