//! Names that are resolved in the background, because it would have taken too long while somebody waited (F-250).

use std::time::Duration;

use countersign_knowledge::Settings;
use countersign_knowledge::change::{self, Changes, Origin};
use countersign_knowledge::extract::Extracted;
use countersign_knowledge::graph::{CallState, Deferred, Graph, Planned, Scope};
use countersign_registry::action::ActionError;
use serde_json::{Value, json};

use crate::resolve_entities::{GraphWrite, failed, kept, plan};
use crate::time::in_time;

/// What became of a call that was put off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// Its names are in the graph.
    Stored,
    /// It is planned, and written when the graph answers again.
    Pending,
    /// It takes too long as one: its halves wait now.
    Split,
    /// It takes too long and cannot be taken apart.
    Waiting,
}

/// Resolves what was put off. A call that takes longer than `within` is taken apart, so that each part comes to its end; doing
/// it again, or twice at once, changes nothing.
///
/// # Errors
/// [`ActionError`] when the graph does not answer; the call waits on.
pub async fn settle(
    graph: &dyn Graph,
    scope: &Scope,
    key: &str,
    deferred: &Deferred,
    within: Duration,
) -> Result<Settled, ActionError> {
    let origin = origin(scope, key, deferred);
    let Deferred { settings, entities, .. } = deferred;
    let planned = in_time(within, |time| plan(graph, &origin, settings, entities, time)).await?;
    let Some(planned) = planned else { return split(graph, scope, key, deferred).await };
    let stands = graph.plan(scope, key, &planned).await.map_err(failed)?;
    Ok(match kept(graph, scope, key, stands, entities.len()).await?.1 {
        GraphWrite::Stored => Settled::Stored,
        GraphWrite::Pending(_) => Settled::Pending,
        GraphWrite::Deferred => Settled::Waiting,
    })
}

/// Gives up what could not be resolved. What is shown of the run's discoveries has a row for each name then, which says so.
///
/// # Errors
/// [`ActionError`] when the graph does not answer; the call waits on.
pub async fn give_up(
    graph: &dyn Graph,
    scope: &Scope,
    key: &str,
    deferred: &Deferred,
) -> Result<Settled, ActionError> {
    let given = deferred.entities.len();
    let why = "it could not be resolved in the background for seven days";
    let changes = change::given_up(&origin(scope, key, deferred), &deferred.entities, why);
    let mut answer = answer(given);
    answer["warnings"] = json!([format!("{} given up: {why}", names(given))]);
    let planned = Planned { changes, answer, at: deferred.at };
    let stands = graph.plan(scope, key, &planned).await.map_err(failed)?;
    Ok(match kept(graph, scope, key, stands, given).await?.1 {
        GraphWrite::Stored => Settled::Stored,
        GraphWrite::Pending(_) => Settled::Pending,
        GraphWrite::Deferred => Settled::Waiting,
    })
}

fn origin(scope: &Scope, key: &str, deferred: &Deferred) -> Origin {
    Origin::new(scope, &deferred.run, key, deferred.at)
}

/// Both halves are noted before the whole is marked done, under keys that follow from it.
async fn split(
    graph: &dyn Graph,
    scope: &Scope,
    key: &str,
    deferred: &Deferred,
) -> Result<Settled, ActionError> {
    let Some(halves) = deferred.halves() else { return Ok(Settled::Waiting) };
    for (n, half) in halves.iter().enumerate() {
        graph.defer(scope, &format!("{key}/{n}"), half).await.map_err(failed)?;
    }
    let answer = answer(deferred.entities.len());
    let planned = Planned { changes: Changes::default(), answer, at: deferred.at };
    if let CallState::Planned(_) = graph.plan(scope, key, &planned).await.map_err(failed)? {
        graph.finish(scope, key).await.map_err(failed)?;
    }
    Ok(Settled::Split)
}

pub(crate) fn deferred(origin: &Origin, settings: &Settings, entities: &[Extracted]) -> Deferred {
    Deferred {
        entities: entities.to_vec(),
        settings: *settings,
        run: origin.run.clone(),
        at: origin.now,
    }
}

/// What `resolve_entities` answers meanwhile: nothing that is not known.
pub(crate) fn answer(given: usize) -> Value {
    json!({
        "resolved": [], "merge_count": 0, "ambiguous": [], "ambiguous_left_out": 0,
        "relationships": 0, "new_relationships": 0, "pending": given, "warnings": [sentence(given)],
    })
}

fn names(given: usize) -> String {
    let names = if given == 1 { "name is" } else { "names are" };
    format!("{given} {names}")
}

fn sentence(given: usize) -> String {
    let names = names(given);
    format!(
        "{names} not resolved yet: it takes longer than the step has, and is done in the background; `GET /api/agent-factory/executions/{{id}}/discoveries` shows what comes of it"
    )
}
