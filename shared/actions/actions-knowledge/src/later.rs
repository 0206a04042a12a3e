//! Names that are resolved in the background, because it would have taken too long while somebody waited (F-250).

use std::time::{Duration, Instant};

use countersign_knowledge::Settings;
use countersign_knowledge::change::{self, Changes, Origin};
use countersign_knowledge::extract::Extracted;
use countersign_knowledge::graph::{CallState, Deferred, Graph, Planned, Scope};
use countersign_registry::action::ActionError;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::applying::{Applying, Kept};
use crate::resolve_entities::{GraphWrite, failed, plan};
use crate::time::{Time, in_time};

/// What became of a call that was put off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// Its names are in the graph.
    Stored,
    /// It is planned, and the rest is written later.
    Pending,
    /// It takes too long as one: its halves wait now.
    Split,
    /// Somebody else has made another entity of one of its names meanwhile: it waits to be planned again.
    Again,
    /// It takes too long and cannot be taken apart.
    Waiting,
}

/// A call that was put off.
#[derive(Clone, Copy)]
pub struct PutOff<'a> {
    /// The graph.
    pub graph: &'a dyn Graph,
    /// Whose.
    pub scope: &'a Scope,
    /// The key of the call.
    pub key: &'a str,
    /// What is to be resolved.
    pub deferred: &'a Deferred,
    /// When it is done: its parts wait behind what waits by now.
    pub now: Timestamp,
}

/// Resolves what was put off, within this time. A call that takes longer is taken apart, so that each part comes to its end; doing
/// it again, or twice at once, changes nothing.
///
/// # Errors
/// [`ActionError`] when the graph does not answer; the call waits on.
pub async fn settle(of: PutOff<'_>, within: Duration) -> Result<Settled, ActionError> {
    let PutOff { graph, scope, key, deferred, .. } = of;
    let origin = origin(scope, key, deferred);
    let Deferred { settings, entities, .. } = deferred;
    let begin = Instant::now();
    let planned = in_time(within, |time| plan(graph, &origin, settings, entities, time)).await?;
    let Some(planned) = planned else { return split(of).await };
    let stands = graph.plan(scope, key, &planned).await.map_err(failed)?;
    settled(of, stands, Time::until(begin, within)).await
}

/// Gives up what could not be resolved, and says why. What is shown of the run's discoveries has a row for each name then, which
/// says so.
///
/// # Errors
/// [`ActionError`] when the graph does not answer; the call waits on.
pub async fn give_up(of: PutOff<'_>, why: &str, within: Duration) -> Result<Settled, ActionError> {
    let PutOff { graph, scope, key, deferred, .. } = of;
    let given = deferred.entities.len();
    let changes = change::given_up(&origin(scope, key, deferred), &deferred.entities, why);
    let mut answer = answer(given);
    answer["warnings"] = json!([format!("{} given up: {why}", names(given))]);
    let planned = Planned { changes, answer, at: deferred.at, from: None };
    let stands = graph.plan(scope, key, &planned).await.map_err(failed)?;
    settled(of, stands, Time::until(Instant::now(), within)).await
}

async fn settled(of: PutOff<'_>, stands: CallState, time: Time) -> Result<Settled, ActionError> {
    let PutOff { graph, scope, key, deferred: from, now } = of;
    Ok(match (Applying { graph, scope, key, from, now, time }).kept(stands).await? {
        Kept::Told(_, GraphWrite::Stored) => Settled::Stored,
        Kept::Told(_, GraphWrite::Pending(_)) | Kept::Stands(CallState::Planned(_)) => {
            Settled::Pending
        }
        Kept::Told(_, GraphWrite::Deferred) => Settled::Waiting,
        Kept::Stands(CallState::Done(_)) => Settled::Stored,
        Kept::Stands(CallState::Deferred(_) | CallState::New) => Settled::Again,
    })
}

fn origin(scope: &Scope, key: &str, deferred: &Deferred) -> Origin {
    Origin::new(scope, &deferred.run, key, deferred.at)
}

/// Both halves are noted before the whole is marked done, under keys that follow from it. They wait behind the others.
async fn split(of: PutOff<'_>) -> Result<Settled, ActionError> {
    let PutOff { graph, scope, key, deferred, now } = of;
    let Some(halves) = deferred.halves() else { return Ok(Settled::Waiting) };
    for (n, half) in halves.iter().enumerate() {
        graph.defer(scope, &format!("{key}/{n}"), half, now).await.map_err(failed)?;
    }
    let answer = answer(deferred.entities.len());
    let planned = Planned { changes: Changes::default(), answer, at: deferred.at, from: None };
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
