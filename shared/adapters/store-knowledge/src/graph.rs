//! The table as the keeper of the graph.

use std::collections::BTreeSet;

use countersign_knowledge::change::Changes;
use countersign_knowledge::graph::{
    Applied, CallState, Deferred, EdgeKey, GoesOn, Graph, GraphFuture, Planned, Scope,
};
use countersign_knowledge::{DiscoveryStatus, Edge, Entity, Mention, ReviewId};
use countersign_store_kit::boxed;
use jiff::Timestamp;

use crate::{KnowledgeStore, keys};

impl Graph for KnowledgeStore {
    fn call<'a>(&'a self, scope: &'a Scope, key: &'a str) -> GraphFuture<'a, CallState> {
        boxed(async move { self.read_call(&keys::call(scope, key)).await })
    }

    fn candidates<'a>(
        &'a self,
        scope: &'a Scope,
        mentions: &'a [Mention],
    ) -> GraphFuture<'a, Vec<Entity>> {
        boxed(self.candidates_of(scope, mentions))
    }

    fn existing<'a>(
        &'a self,
        scope: &'a Scope,
        edges: &'a [Edge],
        known: &'a [Entity],
    ) -> GraphFuture<'a, BTreeSet<EdgeKey>> {
        boxed(self.existing_of(scope, edges, known))
    }

    fn rejected<'a>(
        &'a self,
        scope: &'a Scope,
        reviews: &'a [ReviewId],
    ) -> GraphFuture<'a, BTreeSet<ReviewId>> {
        boxed(self.rejected_of(scope, reviews))
    }

    fn defer<'a>(
        &'a self,
        scope: &'a Scope,
        key: &'a str,
        deferred: &'a Deferred,
        at: Timestamp,
    ) -> GraphFuture<'a, CallState> {
        boxed(self.write_deferred(scope, key, deferred, at))
    }

    fn discard_plan<'a>(
        &'a self,
        scope: &'a Scope,
        key: &'a str,
        from: &'a Deferred,
        at: Timestamp,
    ) -> GraphFuture<'a, CallState> {
        boxed(self.write_discarded(scope, key, from, at))
    }

    fn plan<'a>(
        &'a self,
        scope: &'a Scope,
        key: &'a str,
        planned: &'a Planned,
    ) -> GraphFuture<'a, CallState> {
        boxed(self.write_plan(scope, key, planned))
    }

    fn apply<'a>(
        &'a self,
        scope: &'a Scope,
        key: &'a str,
        changes: &'a Changes,
        goes_on: GoesOn<'a>,
    ) -> GraphFuture<'a, Applied> {
        boxed(self.apply_or_forget(scope, key, changes, goes_on))
    }

    fn pending<'a>(&'a self, scope: &'a Scope, changes: &'a Changes) -> GraphFuture<'a, ()> {
        boxed(self.write_unstored(scope, changes, DiscoveryStatus::Pending, None))
    }

    fn finish<'a>(&'a self, scope: &'a Scope, key: &'a str) -> GraphFuture<'a, ()> {
        boxed(self.finish_call(scope, key))
    }
}
