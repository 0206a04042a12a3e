//! Plan, write down the plan, apply it, mark it done: a repetition goes on where the last attempt stopped.

use std::time::Duration;

use countersign_failure::{Failure, json_problem};
use countersign_knowledge::change::{
    Origin, answer, changes, forget_rejected, mentions, review_ids,
};
use countersign_knowledge::extract::Extracted;
use countersign_knowledge::graph::{
    CallState, Graph, GraphError, Planned, Scope, forget_known_edges,
};
use countersign_knowledge::{
    Discovery, Entity, Known, MAX_MENTIONS, Mention, Resolution, Settings, resolve_while,
};
use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::resolve_entities as declared;
use countersign_registry::shape::Formed;
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::namespaces::scope;
use crate::time::{Time, in_time, within};
use crate::{Stores, later};

pub(crate) struct ResolveEntities {
    pub(crate) stores: Stores,
}

impl Perform for ResolveEntities {
    type Action = declared::ResolveEntities;

    async fn perform(
        &self,
        call: &Call,
        inputs: declared::Inputs,
        params: declared::Params,
    ) -> Result<Formed<declared::Output>, ActionError> {
        let namespace = params.namespace.as_deref();
        let scope = scope(self.stores.profiles.as_ref(), call, namespace).await?;
        let graph = self.stores.graph.as_ref();
        let settings = settings(params.strategy, params.threshold)?;
        let entities = entities(&inputs.entities)?;
        let origin = origin(call, &scope);
        let within = within(params.within_seconds, call.remaining);
        if call.info.dry_run {
            let planned = in_time(within, |time| plan(graph, &origin, &settings, &entities, time));
            let planned = planned.await?.map(|planned| planned.answer);
            return Ok(planned.unwrap_or_else(|| later::answer(entities.len())).into());
        }
        match remember(graph, &origin, &settings, &entities, within).await? {
            (answer, GraphWrite::Stored | GraphWrite::Deferred) => Ok(answer.into()),
            // The step is tried again; if that is in vain too, the sweeper applies the plan.
            (_, GraphWrite::Pending(error)) => Err(error),
        }
    }
}

/// Whether the graph has what was planned.
#[derive(Debug)]
pub enum GraphWrite {
    /// It has.
    Stored,
    /// It does not yet: the plan is kept and applied later (F-314). This is why.
    Pending(ActionError),
    /// Nothing is planned yet: it would have taken too long, and is resolved in the background (F-250).
    Deferred,
}

/// Resolves entities and keeps what comes out, once per idempotency key: plan, write down the plan, apply it, mark it done. When
/// planning takes longer than `within`, the call is put off, and the answer says how many names wait.
///
/// # Errors
/// [`ActionError`] when they cannot be resolved, or the plan cannot be written down; nothing is kept then.
pub async fn remember(
    graph: &dyn Graph,
    origin: &Origin,
    settings: &Settings,
    entities: &[Extracted],
    within: Duration,
) -> Result<(Value, GraphWrite), ActionError> {
    let (scope, key) = (origin.scope(), origin.idempotency_key.as_str());
    match graph.call(&scope, key).await.map_err(failed)? {
        CallState::New => {}
        stands => return kept(graph, &scope, key, stands, entities.len()).await,
    }
    let planned = in_time(within, |time| plan(graph, origin, settings, entities, time)).await?;
    let stands = match planned {
        Some(planned) => graph.plan(&scope, key, &planned).await,
        None => graph.defer(&scope, key, &later::deferred(origin, settings, entities)).await,
    };
    kept(graph, &scope, key, stands.map_err(failed)?, entities.len()).await
}

/// Applies what is planned of a call, and says what whoever called is told.
pub(crate) async fn kept(
    graph: &dyn Graph,
    scope: &Scope,
    key: &str,
    stands: CallState,
    given: usize,
) -> Result<(Value, GraphWrite), ActionError> {
    let planned = match stands {
        CallState::Done(answer) => return Ok((answer, GraphWrite::Stored)),
        CallState::Planned(planned) => planned,
        CallState::Deferred(_) | CallState::New => {
            return Ok((later::answer(given), GraphWrite::Deferred));
        }
    };
    let applied = match graph.apply(scope, &planned.changes).await {
        Ok(()) => graph.finish(scope, key).await,
        Err(error) => Err(error),
    };
    let Err(error) = applied else { return Ok((planned.answer, GraphWrite::Stored)) };
    // The table may not take this either; the plan that is kept says the same.
    graph.pending(scope, &planned.changes).await.ok();
    Ok((planned.answer, GraphWrite::Pending(failed(error))))
}

/// The changes and the answer of a call; none when there was not the time.
pub(crate) async fn plan(
    graph: &dyn Graph,
    origin: &Origin,
    settings: &Settings,
    entities: &[Extracted],
    time: Time,
) -> Result<Option<Planned>, ActionError> {
    let found = find(graph, origin, settings, entities, time).await?;
    let Some(Found { mentions, found, resolution }) = found else { return Ok(None) };
    let mut changes = changes(origin, entities, &mentions, &resolution, &found);
    let existing = graph.existing(&origin.scope(), &changes.edges, &found).await.map_err(failed)?;
    forget_known_edges(&mut changes, &existing);
    let mut answer = answer(origin, entities.len(), &resolution);
    let is_edge = |found: &&Discovery| found.relationship_type.is_some();
    answer["relationships"] = changes.edges.len().into();
    answer["new_relationships"] = changes.discoveries.iter().filter(is_edge).count().into();
    answer["pending"] = 0.into();
    answer["warnings"] = json!([]);
    Ok(Some(Planned { answer, changes, at: origin.now }))
}

/// What a call's entities resolve to, with what it was resolved against.
pub(crate) struct Found {
    pub(crate) mentions: Vec<Mention>,
    pub(crate) found: Vec<Entity>,
    pub(crate) resolution: Resolution,
}

/// Reads the graph and resolves; writes nothing. What people have kept apart is not doubted again. None when there was not the
/// time.
pub(crate) async fn find(
    graph: &dyn Graph,
    origin: &Origin,
    settings: &Settings,
    entities: &[Extracted],
    time: Time,
) -> Result<Option<Found>, ActionError> {
    let (mentions, scope) = (mentions(entities), origin.scope());
    let found = graph.candidates(&scope, &mentions).await.map_err(failed)?;
    let known: Vec<Known> = found.iter().map(Known::from).collect();
    let resolved = resolve_while(&mentions, &known, settings, &|| time.is_left());
    let Some(mut resolution) = resolved.map_err(|error| ActionError::from_failure(&error))? else {
        return Ok(None);
    };
    if !resolution.ambiguous.is_empty() {
        let reviews = review_ids(origin, &resolution);
        let rejected = graph.rejected(&scope, &reviews).await.map_err(failed)?;
        forget_rejected(&mut resolution, &reviews, &rejected);
    }
    Ok(Some(Found { mentions, found, resolution }))
}

pub(crate) fn origin(call: &Call, scope: &Scope) -> Origin {
    Origin::new(scope, &call.run, &call.idempotency_key, call.now)
}

#[expect(clippy::needless_pass_by_value, reason = "taken by `map_err`")]
pub(crate) fn failed(error: GraphError) -> ActionError {
    ActionError::from_failure(error.as_ref() as &dyn Failure)
}

pub(crate) fn settings(
    strategy: declared::Strategy,
    threshold: f64,
) -> Result<Settings, ActionError> {
    Settings::new(strategy.as_str(), threshold).map_err(|error| ActionError::from_failure(&error))
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
