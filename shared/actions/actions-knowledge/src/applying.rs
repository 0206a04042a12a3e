//! Applying the plan of a call, or telling what stands of it.

use countersign_knowledge::graph::{Applied, CallState, Deferred, Graph, Scope};
use countersign_registry::action::ActionError;
use jiff::Timestamp;
use serde_json::Value;

use crate::later;
use crate::resolve_entities::{GraphWrite, failed};
use crate::time::Time;

/// A call, and how its plan is applied.
pub(crate) struct Applying<'a> {
    pub(crate) graph: &'a dyn Graph,
    pub(crate) scope: &'a Scope,
    pub(crate) key: &'a str,
    /// What it is planned from.
    pub(crate) from: &'a Deferred,
    /// Behind what it waits if it has to be planned again.
    pub(crate) now: Timestamp,
    /// How long it may take.
    pub(crate) time: Time,
}

/// What came of it.
pub(crate) enum Kept {
    /// What whoever called is told.
    Told(Value, GraphWrite),
    /// It is not at its end, and stands here now: planned and partly written, or, since its plan contradicted the graph, to be
    /// planned again.
    Stands(CallState),
}

impl Applying<'_> {
    /// Applies what is planned.
    pub(crate) async fn kept(&self, stands: CallState) -> Result<Kept, ActionError> {
        let Self { graph, scope, key, from, .. } = *self;
        let planned = match stands {
            CallState::Done(answer) => return Ok(Kept::Told(answer, GraphWrite::Stored)),
            CallState::Planned(planned) => planned,
            CallState::Deferred(_) | CallState::New => {
                let answer = later::answer(from.entities.len());
                return Ok(Kept::Told(answer, GraphWrite::Deferred));
            }
        };
        let goes_on = || self.time.is_left();
        let written = match graph.apply(scope, key, &planned.changes, &goes_on).await {
            Ok(Applied::Whole) => graph.finish(scope, key).await,
            Ok(Applied::Partly) => return Ok(Kept::Stands(CallState::Planned(planned))),
            Ok(Applied::Contradicted) => {
                let stands = graph.discard_plan(scope, key, from, self.now).await;
                return stands.map(Kept::Stands).map_err(failed);
            }
            Err(error) => Err(error),
        };
        let Err(error) = written else { return Ok(Kept::Told(planned.answer, GraphWrite::Stored)) };
        // The table may not take this either; the plan that is kept says the same.
        graph.pending(scope, &planned.changes).await.ok();
        Ok(Kept::Told(planned.answer, GraphWrite::Pending(failed(error))))
    }
}
