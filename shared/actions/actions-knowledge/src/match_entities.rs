//! `match_entities`: what `resolve_entities` would decide, without remembering it; and which entity each record is about.

use std::collections::BTreeMap;

use countersign_knowledge::change::{answer, entities_of};
use countersign_knowledge::extract::Extracted;
use countersign_knowledge::{EntityId, too_alike};
use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::match_entities as declared;
use countersign_registry::shape::Formed;
use serde_json::Value;

use crate::Stores;
use crate::given::Given;
use crate::namespaces::scope;
use crate::resolve_entities::{Found, find, origin, settings};
use crate::time::Time;

pub(crate) struct MatchEntities {
    pub(crate) stores: Stores,
}

impl Perform for MatchEntities {
    type Action = declared::MatchEntities;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<Formed<declared::Output>, ActionError> {
        let given = Given::read(&inputs.entities)?;
        let entities = given.entities.as_slice();
        let records = records(inputs.records)?;
        let settings = settings(params.strategy, params.threshold)?;
        let namespace = params.namespace.as_deref();
        let scope = scope(self.stores.profiles.as_ref(), call, namespace).await?;
        let origin = origin(call, &scope);
        let found =
            find(self.stores.graph.as_ref(), &origin, &settings, entities, Time::ENOUGH).await?;
        let Some(Found { resolution, .. }) = found else {
            return Err(ActionError::from_failure(&too_alike()));
        };
        let mut output = answer(&origin, entities.len(), &resolution);
        let found = entities_of(&origin, &resolution);
        output["records"] = marked(records, &params.record_field, entities, &found);
        given.tell(&mut output);
        Ok(output.into())
    }
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

fn records(given: Option<Vec<Value>>) -> Result<Vec<Value>, ActionError> {
    let records = given.unwrap_or_default();
    if records.iter().all(Value::is_object) {
        return Ok(records);
    }
    Err(ActionError::terminal("BAD_INPUT", "`records` must be a list of records"))
}
