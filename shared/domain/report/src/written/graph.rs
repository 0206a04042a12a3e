//! `knowledge_graph`.

use countersign_document::{MaybeBlank, Refused, text_type};
use countersign_knowledge::Namespace;
use schemars::JsonSchema;
use serde::Deserialize;

use super::filled;
use crate::destination::GraphConfig;

/// Settings of `knowledge_graph`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Graph {
    /// The part of the graph; the agent's first when left out.
    namespace: Option<GraphNamespace>,
    /// The path of the entities or records in the data; the data itself when left out.
    source: Option<MaybeBlank<200>>,
}

text_type! {
    /// A part of the owner's graph.
    pub struct GraphNamespace {
        format: "graph-namespace", code: "graph_namespace", sample: "a",
        pattern: "^[a-z0-9_-]{1,64}$", check: graph_namespace
    }
}

fn graph_namespace(text: &str) -> Result<(), Refused> {
    let refused = |_| Refused::of_key("must be 1 to 64 lower-case letters, digits, `_` or `-`");
    Namespace::parse(text).map(drop).map_err(refused)
}

impl From<Graph> for GraphConfig {
    fn from(written: Graph) -> Self {
        Self {
            namespace: written.namespace.map(String::from),
            source: filled(written.source).unwrap_or_default(),
        }
    }
}
