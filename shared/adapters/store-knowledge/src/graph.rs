//! The table as the keeper of the graph.

use std::collections::BTreeSet;

use countersign_knowledge::change::Changes;
use countersign_knowledge::graph::{
    CallState, Deferred, EdgeKey, Graph, GraphFuture, Planned, Scope,
};
use countersign_knowledge::{DiscoveryStatus, Edge, Entity, Mention, ReviewId};
use countersign_store_kit::boxed;

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
    ) -> GraphFuture<'a, CallState> {
        boxed(self.write_deferred(scope, key, deferred))
    }

    fn plan<'a>(
        &'a self,
        scope: &'a Scope,
        key: &'a str,
        planned: &'a Planned,
    ) -> GraphFuture<'a, CallState> {
        boxed(self.write_plan(scope, key, planned))
    }

    fn apply<'a>(&'a self, scope: &'a Scope, changes: &'a Changes) -> GraphFuture<'a, ()> {
        boxed(self.apply_all(scope, changes))
    }

    fn pending<'a>(&'a self, scope: &'a Scope, changes: &'a Changes) -> GraphFuture<'a, ()> {
        boxed(self.write_unstored(scope, changes, DiscoveryStatus::Pending))
    }

    fn finish<'a>(&'a self, scope: &'a Scope, key: &'a str) -> GraphFuture<'a, ()> {
        boxed(self.finish_call(scope, key))
    }
}
