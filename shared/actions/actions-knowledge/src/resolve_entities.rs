//! Plan, write down the plan, apply it, mark it done: a repetition goes on where the last attempt stopped.

use std::sync::Arc;

use countersign_failure::{Failure, json_problem};
use countersign_knowledge::change::{Origin, answer, changes, mentions};
use countersign_knowledge::extract::Extracted;
use countersign_knowledge::graph::{
    CallState, Graph, GraphError, Planned, Scope, forget_known_edges,
};
use countersign_knowledge::{
    Entity, Known, MAX_MENTIONS, Mention, Namespace, Resolution, Settings, resolve,
};
use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::resolve_entities as declared;
use countersign_registry::shape::Formed;
use serde::Deserialize as _;
use serde_json::{Value, json};

pub(crate) struct ResolveEntities {
    pub(crate) graph: Arc<dyn Graph>,
}

impl Perform for ResolveEntities {
    type Action = declared::ResolveEntities;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<Formed<declared::Output>, ActionError> {
        run(self.graph.as_ref(), call, &inputs, &params).await.map(Into::into)
    }
}

async fn run(
    graph: &dyn Graph,
    call: &Call,
    inputs: &declared::Inputs,
    params: &declared::Params,
) -> Result<Value, ActionError> {
    let scope = scope(call, params.namespace.as_deref())?;
    let settings = settings(params.strategy, params.threshold)?;
    let entities = entities(&inputs.entities)?;
    if call.info.dry_run {
        return Ok(plan(graph, call, &scope, &settings, &entities).await?.answer);
    }
    let key = call.idempotency_key.as_str();
    let planned = match graph.call(&scope, key).await.map_err(failed)? {
        CallState::Done(answer) => return Ok(answer),
        CallState::Planned(planned) => *planned,
        CallState::New => {
            let planned = plan(graph, call, &scope, &settings, &entities).await?;
            match graph.plan(&scope, key, &planned).await.map_err(failed)? {
                CallState::Done(answer) => return Ok(answer),
                CallState::Planned(stands) => *stands,
                CallState::New => planned,
            }
        }
    };
    graph.apply(&scope, &planned.changes).await.map_err(failed)?;
    graph.finish(&scope, key).await.map_err(failed)?;
    Ok(planned.answer)
}

async fn plan(
    graph: &dyn Graph,
    call: &Call,
    scope: &Scope,
    settings: &Settings,
    entities: &[Extracted],
) -> Result<Planned, ActionError> {
    let Found { mentions, found, resolution } = find(graph, scope, settings, entities).await?;
    let origin = origin(call, scope);
    let mut changes = changes(&origin, entities, &mentions, &resolution, &found);
    let existing = graph.existing(scope, &changes.edges).await.map_err(failed)?;
    forget_known_edges(&mut changes, &existing);
    Ok(Planned { answer: answer(&origin, entities.len(), &resolution), changes })
}

/// What a call's entities resolve to, with what it was resolved against.
pub(crate) struct Found {
    pub(crate) mentions: Vec<Mention>,
    pub(crate) found: Vec<Entity>,
    pub(crate) resolution: Resolution,
}

/// Reads the graph and resolves; writes nothing.
pub(crate) async fn find(
    graph: &dyn Graph,
    scope: &Scope,
    settings: &Settings,
    entities: &[Extracted],
) -> Result<Found, ActionError> {
    let mentions = mentions(entities);
    let found = graph.candidates(scope, &mentions).await.map_err(failed)?;
    let known: Vec<Known> = found.iter().map(Known::from).collect();
    let resolution =
        resolve(&mentions, &known, settings).map_err(|error| ActionError::from_failure(&error))?;
    Ok(Found { mentions, found, resolution })
}

pub(crate) fn origin(call: &Call, scope: &Scope) -> Origin {
    Origin {
        owner: call.owner.clone(),
        namespace: scope.namespace.clone(),
        run: call.run.clone(),
        idempotency_key: call.idempotency_key.clone(),
        now: call.now,
    }
}

/// The part of whose graph a call is about.
pub(crate) fn scope(call: &Call, written: Option<&str>) -> Result<Scope, ActionError> {
    Ok(Scope { owner: call.owner.clone(), namespace: namespace(written)? })
}

#[expect(clippy::needless_pass_by_value, reason = "taken by `map_err`")]
fn failed(error: GraphError) -> ActionError {
    ActionError::from_failure(error.as_ref() as &dyn Failure)
}

pub(crate) fn settings(
    strategy: declared::Strategy,
    threshold: f64,
) -> Result<Settings, ActionError> {
    Settings::new(strategy.as_str(), threshold).map_err(|error| ActionError::from_failure(&error))
}

fn namespace(written: Option<&str>) -> Result<Namespace, ActionError> {
    match written {
        Some(text) => Namespace::parse(text)
            .map_err(|error| ActionError::terminal("BAD_PARAM", error.to_string())),
        None => Ok(Namespace::default()),
    }
}

/// What `extract_entities` gives, or records with `name` and `type` from anywhere, or plain names of persons.
pub(crate) fn entities(given: &Value) -> Result<Vec<Extracted>, ActionError> {
    let items = match given {
        Value::Null => &[][..],
        Value::Array(items) => items.as_slice(),
        Value::Object(set) => set
            .get("entities")
            .or_else(|| set.get("results"))
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice),
        _ => {
            return Err(ActionError::terminal(
                "BAD_INPUT",
                "`entities` must be a list of entities",
            ));
        }
    };
    if items.len() > MAX_MENTIONS {
        let message = format!(
            "entities holds {} items; one call handles at most {MAX_MENTIONS}",
            items.len()
        );
        return Err(ActionError::terminal("TOO_MANY_RECORDS", message));
    }
    items.iter().enumerate().map(|(index, item)| entity(index, item)).collect()
}

fn entity(index: usize, item: &Value) -> Result<Extracted, ActionError> {
    let bad = |problem: String| {
        ActionError::terminal("BAD_RECORD", format!("entities[{index}]: {problem}"))
    };
    let read = match item {
        Value::String(name) => Extracted::deserialize(
            json!({ "name": name, "type": "PERSON", "source_record_index": index }),
        ),
        Value::Object(_) => Extracted::deserialize(item),
        _ => return Err(bad("an entity must be an object with `name` and `type`".to_owned())),
    };
    let entity = read.map_err(|error| bad(json_problem(&error.to_string())))?;
    if entity.name.trim().is_empty() {
        return Err(bad("`name` is empty".to_owned()));
    }
    Ok(entity)
}
