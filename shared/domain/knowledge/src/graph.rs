//! What resolution needs of the place the graph is kept in. `store-knowledge` implements it over a table.
//!
//! A call is first **planned**: its writes and its answer are stored under its idempotency key, before any of them is
//! done. Then they are applied, which may be repeated, and the call is marked done. A second call with the same key
//! finds the plan (and applies it again, if it was not done) or the answer (and writes nothing).

use std::collections::BTreeSet;

use countersign_failure::Failure;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::change::Changes;
use crate::extract::Extracted;
use crate::model::{Edge, EntityId, Relationship};
pub use crate::scope::Scope;
use crate::{Entity, Mention, ReviewId, Settings};

/// What the keeper of the graph says when it cannot.
pub type GraphError = Box<dyn Failure>;

/// An answer that is waited for.
pub type GraphFuture<'a, T> = BoxFuture<'a, Result<T, GraphError>>;

/// A call's writes and answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    /// What is written.
    pub changes: Changes,
    /// What the caller gets.
    pub answer: Value,
    /// When it was planned.
    #[serde(default)]
    pub at: Timestamp,
    /// What it was planned from, so that it can be planned again; none where there is nothing to resolve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Box<Deferred>>,
}

/// What became of the writes of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// The graph has all of them.
    Whole,
    /// There was not the time for all. What is written is noted: the next attempt goes on there.
    Partly,
    /// The id of an entity that it would make is somebody else's by now. It cannot be written as it is: its call is to be
    /// planned again.
    Contradicted,
}

/// Asked between writes: whether there is time for more.
pub type GoesOn<'a> = &'a (dyn Fn() -> bool + Send + Sync);

/// Names that are resolved later, because it would have taken too long while somebody waited (F-250).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Deferred {
    /// What was found in records.
    pub entities: Vec<Extracted>,
    /// How they are compared.
    pub settings: Settings,
    /// The run that found them.
    pub run: String,
    /// When it did.
    pub at: Timestamp,
}

impl Deferred {
    /// Two parts: with whole records each, or two of one record. None of a single name. No relationship is lost: each name says
    /// itself what it relates to.
    #[must_use]
    pub fn halves(&self) -> Option<[Self; 2]> {
        let record = |n: usize| self.entities.get(n).map(|entity| entity.source_record_index);
        let middle = self.entities.len() / 2;
        let is_border = |n: &usize| *n > 0 && record(*n) != record(n - 1);
        let places = (middle..self.entities.len()).chain((0..middle).rev());
        let border = places.into_iter().find(is_border);
        let (left, right) = self.entities.split_at(border.or((middle > 0).then_some(middle))?);
        let part = |entities: &[Extracted]| Self { entities: entities.to_vec(), ..self.clone() };
        Some([part(left), part(right)])
    }
}

/// Where a call stands.
#[derive(Debug, Clone, PartialEq)]
pub enum CallState {
    /// Never seen.
    New,
    /// To be resolved in the background.
    Deferred(Box<Deferred>),
    /// Planned; perhaps partly written.
    Planned(Box<Planned>),
    /// Written; this was the answer.
    Done(Value),
}

/// The three parts that name an edge.
pub type EdgeKey = (EntityId, Relationship, EntityId);

/// Reading and writing one owner's graph.
pub trait Graph: Send + Sync {
    /// Where the call with this key stands.
    fn call<'a>(&'a self, scope: &'a Scope, key: &'a str) -> GraphFuture<'a, CallState>;

    /// The entities that could be meant by one of these mentions. More is allowed, less is not.
    fn candidates<'a>(
        &'a self,
        scope: &'a Scope,
        mentions: &'a [Mention],
    ) -> GraphFuture<'a, Vec<Entity>>;

    /// Which of these edges exist, perhaps under what was merged into one of their ends, which is among the known.
    fn existing<'a>(
        &'a self,
        scope: &'a Scope,
        edges: &'a [Edge],
        known: &'a [Entity],
    ) -> GraphFuture<'a, BTreeSet<EdgeKey>>;

    /// Which of these reviews a person has answered with no.
    fn rejected<'a>(
        &'a self,
        scope: &'a Scope,
        reviews: &'a [ReviewId],
    ) -> GraphFuture<'a, BTreeSet<ReviewId>>;

    /// Notes that the call is resolved later, unless it is planned already, and answers where it stands. It waits behind what was
    /// noted before `at`.
    fn defer<'a>(
        &'a self,
        scope: &'a Scope,
        key: &'a str,
        deferred: &'a Deferred,
        at: Timestamp,
    ) -> GraphFuture<'a, CallState>;

    /// Discards a plan that contradicts the graph: the call is resolved again, from this. Nothing where it is done by now. Answers
    /// where the call stands.
    fn discard_plan<'a>(
        &'a self,
        scope: &'a Scope,
        key: &'a str,
        from: &'a Deferred,
        at: Timestamp,
    ) -> GraphFuture<'a, CallState>;

    /// Stores the plan unless the call has one, and answers with the one that stands. One that was put off is planned now.
    fn plan<'a>(
        &'a self,
        scope: &'a Scope,
        key: &'a str,
        planned: &'a Planned,
    ) -> GraphFuture<'a, CallState>;

    /// Does the writes of a planned call, as long as `goes_on` says so; at least some of them. Doing them again changes nothing.
    /// Whoever calls this discards a plan that contradicts the graph: nothing is shown as pending of it any more.
    fn apply<'a>(
        &'a self,
        scope: &'a Scope,
        key: &'a str,
        changes: &'a Changes,
        goes_on: GoesOn<'a>,
    ) -> GraphFuture<'a, Applied>;

    /// Writes down what was found and could not be written, as pending (F-314). The plan stays, and is applied later.
    fn pending<'a>(&'a self, scope: &'a Scope, changes: &'a Changes) -> GraphFuture<'a, ()>;

    /// Marks the call done.
    fn finish<'a>(&'a self, scope: &'a Scope, key: &'a str) -> GraphFuture<'a, ()>;
}

/// Leaves out the discoveries of relationships the graph has already.
pub fn forget_known_edges(changes: &mut Changes, existing: &BTreeSet<EdgeKey>) {
    let known: BTreeSet<(&EntityId, Relationship, String)> = existing
        .iter()
        .map(|(from, relationship, to)| (from, *relationship, to.to_string()))
        .collect();
    changes.discoveries.retain(|found| {
        let to = found.details.get("to").and_then(Value::as_str).unwrap_or_default();
        found.relationship_type.is_none_or(|relationship| {
            !known.contains(&(&found.entity_id, relationship, to.to_owned()))
        })
    });
}
