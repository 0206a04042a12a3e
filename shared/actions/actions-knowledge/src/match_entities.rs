//! `match_entities`: what `resolve_entities` would decide, without remembering it; and which entity each record is about.

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign_knowledge::EntityId;
use countersign_knowledge::change::{answer, entities_of};
use countersign_knowledge::extract::Extracted;
use countersign_knowledge::graph::Graph;
use countersign_registry::action::{Action, ActionError, Call};
use futures::future::BoxFuture;
use serde_json::Value;

use crate::resolve_entities::{Found, entities, find, origin, scope, settings};

pub(crate) struct MatchEntities {
    pub(crate) graph: Arc<dyn Graph>,
}

impl Action for MatchEntities {
    fn name(&self) -> &'static str {
        "match_entities"
    }

    fn run<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Result<Value, ActionError>> {
        Box::pin(async move { run(self.graph.as_ref(), call).await })
    }
}

async fn run(graph: &dyn Graph, call: &Call) -> Result<Value, ActionError> {
    let scope = scope(call)?;
    let entities = entities(call)?;
    let records = records(call)?;
    let Found { resolution, .. } = find(graph, &scope, &settings(call)?, &entities).await?;
    let origin = origin(call, &scope);
    let mut output = answer(&origin, entities.len(), &resolution);
    let field = call.params.get("record_field").and_then(Value::as_str).unwrap_or("name");
    let found = entities_of(&origin, &resolution);
    output["records"] = marked(records, field, &entities, &found);
    Ok(output)
}

/// The records with the entity that each names in `field`: `_entity_id` and `_entity_name`, null where it names none.
fn marked(
    mut records: Vec<Value>,
    field: &str,
    entities: &[Extracted],
    found: &BTreeMap<usize, (EntityId, String)>,
) -> Value {
    let of_record: BTreeMap<usize, &(EntityId, String)> = entities
        .iter()
        .enumerate()
        .filter(|(_, entity)| entity.source_field == field)
        .filter_map(|(mention, entity)| Some((entity.source_record_index, found.get(&mention)?)))
        .collect();
    for (index, record) in records.iter_mut().enumerate() {
        let entity = of_record.get(&index);
        record["_entity_id"] = entity.map_or(Value::Null, |(id, _)| id.as_str().into());
        record["_entity_name"] = entity.map_or(Value::Null, |(_, name)| name.as_str().into());
    }
    Value::Array(records)
}

fn records(call: &Call) -> Result<Vec<Value>, ActionError> {
    let bad = || ActionError::terminal("BAD_INPUT", "`records` must be a list of records");
    match call.inputs.get("records") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) if items.iter().all(Value::is_object) => Ok(items.clone()),
        Some(_) => Err(bad()),
    }
}
