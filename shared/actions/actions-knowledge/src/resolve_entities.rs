//! Plan, write down the plan, apply it, mark it done: a repetition goes on where the last attempt stopped.

use std::time::Duration;

use countersign_failure::Failure;
use countersign_knowledge::change::{
    Origin, Resolved, answer, changes_while, forget_rejected, mentions, review_ids,
};
use countersign_knowledge::extract::Extracted;
use countersign_knowledge::graph::{
    CallState, Graph, GraphError, Planned, Scope, forget_known_edges,
};
use countersign_knowledge::{
    Discovery, Entity, Known, Mention, Resolution, Settings, resolve_while,
};
use countersign_registry::Perform;
use countersign_registry::action::{ActionError, Call};
use countersign_registry::actions::resolve_entities as declared;
use countersign_registry::shape::Formed;
use serde_json::{Value, json};

use crate::applying::{Applying, Kept};
use crate::given::Given;
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
        let given = Given::read(&inputs.entities)?;
        let entities = given.entities.as_slice();
        let origin = origin(call, &scope);
        let within = within(params.within_seconds, call.remaining);
        let mut answer = if call.info.dry_run {
            let planned = in_time(within, |time| plan(graph, &origin, &settings, entities, time));
            let planned = planned.await?.map(|planned| planned.answer);
            planned.unwrap_or_else(|| later::answer(entities.len()))
        } else {
            match remember(graph, &origin, &settings, entities, within).await? {
                (answer, GraphWrite::Stored | GraphWrite::Deferred) => answer,
                // The step is tried again; if that is in vain too, the sweeper applies the plan.
                (_, GraphWrite::Pending(error)) => return Err(error),
            }
        };
        given.tell(&mut answer);
        Ok(answer.into())
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

/// How often a plan that contradicts the graph is made anew while somebody waits.
const TRIES: usize = 3;

/// Resolves entities and keeps what comes out, once per idempotency key: plan, write down the plan, apply it, mark it done. When
/// planning takes longer than `within`, the call is put off, and the answer says how many names wait. When somebody else has made
/// another entity of a planned name meanwhile, it is planned anew.
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
    let deferred = later::deferred(origin, settings, entities);
    let applying = Applying {
        graph,
        scope: &scope,
        key,
        from: &deferred,
        now: origin.now,
        time: Time::ENOUGH,
    };
    let mut stands = graph.call(&scope, key).await.map_err(failed)?;
    for _ in 0..TRIES {
        if matches!(stands, CallState::New) {
            let planned =
                in_time(within, |time| plan(graph, origin, settings, entities, time)).await?;
            let written = match planned {
                Some(planned) => graph.plan(&scope, key, &planned).await,
                None => graph.defer(&scope, key, &deferred, origin.now).await,
            };
            stands = written.map_err(failed)?;
        }
        stands = match applying.kept(stands).await? {
            Kept::Told(answer, write) => return Ok((answer, write)),
            // It is planned anew at once: somebody waits.
            Kept::Stands(CallState::Deferred(_)) => CallState::New,
            Kept::Stands(other) => other,
        };
    }
    // It is listed among what is resolved in the background.
    Ok((later::answer(entities.len()), GraphWrite::Deferred))
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
    let of = Resolved { entities, mentions: &mentions, resolution: &resolution, known: &found };
    let Some(mut changes) = changes_while(origin, &of, &|| time.is_left()) else {
        return Ok(None);
    };
    let existing = graph.existing(&origin.scope(), &changes.edges, &found).await.map_err(failed)?;
    forget_known_edges(&mut changes, &existing);
    let mut answer = answer(origin, entities.len(), &resolution);
    let is_edge = |found: &&Discovery| found.relationship_type.is_some();
    answer["relationships"] = changes.edges.len().into();
    answer["new_relationships"] = changes.discoveries.iter().filter(is_edge).count().into();
    answer["pending"] = 0.into();
    answer["warnings"] = json!([]);
    let from = Some(Box::new(later::deferred(origin, settings, entities)));
    Ok(Some(Planned { answer, changes, at: origin.now, from }))
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
