//! The destination `knowledge_graph` (F-284): items become entities of the graph.

use std::time::Duration;

use countersign_knowledge::change::Origin;
use countersign_knowledge::extract::{Request, extract};
use countersign_knowledge::{Namespace, Settings};
use countersign_registry::action::{ActionError, ActionFuture, Call};
use countersign_report::GraphConfig;
use serde_json::{Value, json};

use crate::Stores;
use crate::given::Given;
use crate::graph_port::GraphPort;
use crate::namespaces::scope;
use crate::resolve_entities::{GraphWrite, remember};

/// What whoever reads about a write that failed can do.
const PENDING: &str = "it is written again within minutes; `GET /api/agent-factory/discoveries?status=pending` lists it";

/// How long a destination, or the end of a run, waits for names to be resolved; then it is done in the background (F-250).
pub const WITHIN: Duration = Duration::from_secs(20);

impl GraphPort for Stores {
    fn keep<'a>(
        &'a self,
        call: &'a Call,
        key: &'a str,
        config: &'a GraphConfig,
        items: &'a [Value],
    ) -> ActionFuture<'a, Value> {
        Box::pin(async move {
            let namespace = config.namespace.as_deref();
            let scope = scope(self.profiles.as_ref(), call, namespace).await?;
            let given = named(items)?;
            let origin = Origin::new(&scope, &call.run, key, call.now);
            let settings = Settings::default();
            let within = WITHIN.min(call.remaining / 2);
            let graph = self.graph.as_ref();
            match remember(graph, &origin, &settings, &given.entities, within).await? {
                (answer, GraphWrite::Stored | GraphWrite::Deferred) => {
                    let mut details = summary(&origin.namespace, &answer);
                    given.note(&mut details);
                    Ok(details)
                }
                (_, GraphWrite::Pending(error)) => Err(pending(&error)),
            }
        })
    }
}

/// Entities are taken as they are; of records, what names somebody.
fn named(items: &[Value]) -> Result<Given, ActionError> {
    let has = |item: &Value, key: &str| item.get(key).is_some_and(Value::is_string);
    if items.iter().all(|item| has(item, "name") && has(item, "type")) {
        return Given::read(&Value::Array(items.to_vec()));
    }
    let found = extract(items, &Request::default());
    found.map(Given::from).map_err(|error| ActionError::from_failure(&error))
}

/// A summary names at most so many entities and so many doubtful pairs; all are counted.
const MAX_NAMED: usize = 200;

/// What was resolved, from the answer of [`remember`]: in figures, and the first 200 entities, new ones first.
#[must_use]
pub fn summary(namespace: &Namespace, answer: &Value) -> Value {
    let list = |name: &str| answer[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let (resolved, ambiguous) = (list("resolved"), list("ambiguous"));
    let (new, known): (Vec<&Value>, Vec<&Value>) =
        resolved.iter().partition(|one| one["is_known"] == json!(false));
    let left_out = answer["ambiguous_left_out"].as_u64().unwrap_or_default();
    let mut summary = json!({
        "namespace": namespace,
        "entities": resolved.len(),
        "new_entities": new.len(),
        "merged": answer["merge_count"],
        "to_review": ambiguous.len() as u64 + left_out,
        "relationships": answer["relationships"],
        "new_relationships": answer["new_relationships"],
        "resolved": named_by(new.into_iter().chain(known), &OF_ENTITY),
        "ambiguous": named_by(ambiguous, &OF_PAIR),
    });
    if answer["pending"].as_u64().is_some_and(|names| names > 0) {
        summary["pending"] = answer["pending"].clone();
        summary["message"] = answer["warnings"][0].clone();
    }
    summary
}

const OF_ENTITY: [&str; 5] = ["canonical_name", "type", "entity_id", "is_known", "merge_count"];
const OF_PAIR: [&str; 4] = ["entity", "candidate", "entity_id", "candidate_id"];

/// The first of them, with these fields.
fn named_by<'v>(all: impl IntoIterator<Item = &'v Value>, fields: &[&str]) -> Vec<Value> {
    let of = |one: &Value| {
        fields.iter().map(|field| ((*field).to_owned(), one[field].clone())).collect()
    };
    all.into_iter().take(MAX_NAMED).map(of).collect()
}

/// Why a write failed, and that it is done later.
#[must_use]
pub fn pending(error: &ActionError) -> ActionError {
    error.clone().with_help(PENDING)
}
