//! The table as the keeper of the graph.

use std::collections::BTreeSet;

use countersign_knowledge::change::Changes;
use countersign_knowledge::graph::{
    CallState, Deferred, EdgeKey, Graph, GraphError, Planned, Scope,
};
use countersign_knowledge::{DiscoveryStatus, Edge, Entity, Mention, ReviewId};
use countersign_store_kit::StoreError;
use futures::future::BoxFuture;

use crate::{KnowledgeStore, keys};

pub(crate) fn boxed(error: StoreError) -> GraphError {
    Box::new(error)
}

impl Graph for KnowledgeStore {
    fn call<'a>(
        &'a self,
        scope: &'a Scope,
        key: &'a str,
    ) -> BoxFuture<'a, Result<CallState, GraphError>> {
        Box::pin(async move { self.read_call(&keys::call(scope, key)).await.map_err(boxed) })
    }

    fn candidates<'a>(
        &'a self,
        scope: &'a Scope,
        mentions: &'a [Mention],
    ) -> BoxFuture<'a, Result<Vec<Entity>, GraphError>> {
        Box::pin(async move { self.candidates_of(scope, mentions).await.map_err(boxed) })
    }

    fn existing<'a>(
        &'a self,
        scope: &'a Scope,
        edges: &'a [Edge],
        known: &'a [Entity],
    ) -> BoxFuture<'a, Result<BTreeSet<EdgeKey>, GraphError>> {
        Box::pin(async move { self.existing_of(scope, edges, known).await.map_err(boxed) })
    }

    fn rejected<'a>(
        &'a self,
        scope: &'a Scope,
        reviews: &'a [ReviewId],
    ) -> BoxFuture<'a, Result<BTreeSet<ReviewId>, GraphError>> {
        Box::pin(async move { self.rejected_of(scope, reviews).await.map_err(boxed) })
    }

    fn defer<'a>(
        &'a self,
        scope: &'a Scope,
        key: &'a str,
        deferred: &'a Deferred,
    ) -> BoxFuture<'a, Result<CallState, GraphError>> {
        Box::pin(async move { self.write_deferred(scope, key, deferred).await.map_err(boxed) })
    }

    fn plan<'a>(
        &'a self,
        scope: &'a Scope,
        key: &'a str,
        planned: &'a Planned,
    ) -> BoxFuture<'a, Result<CallState, GraphError>> {
        Box::pin(async move { self.write_plan(scope, key, planned).await.map_err(boxed) })
    }

    fn apply<'a>(
        &'a self,
        scope: &'a Scope,
        changes: &'a Changes,
    ) -> BoxFuture<'a, Result<(), GraphError>> {
        Box::pin(async move { self.apply_all(scope, changes).await.map_err(boxed) })
    }

    fn pending<'a>(
        &'a self,
        scope: &'a Scope,
        changes: &'a Changes,
    ) -> BoxFuture<'a, Result<(), GraphError>> {
        Box::pin(async move {
            self.write_unstored(scope, changes, DiscoveryStatus::Pending).await.map_err(boxed)
        })
    }

    fn finish<'a>(
        &'a self,
        scope: &'a Scope,
        key: &'a str,
    ) -> BoxFuture<'a, Result<(), GraphError>> {
        Box::pin(async move { self.finish_call(scope, key).await.map_err(boxed) })
    }
}
