//! Reading what is kept beside the graph: the resolution log, reviews, discoveries.

use countersign_identity::UserId;
use countersign_knowledge::graph::Scope;
use countersign_knowledge::{
    Discovery, LogId, ResolutionLogRow, ReviewId, ReviewRow, ReviewStatus,
};
use countersign_store_kit::{Query, decode};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::de::DeserializeOwned;

use crate::reads::Page;
use crate::{KnowledgeStore, Result, keys};

/// Which part of a list.
#[derive(Debug, Clone, Copy)]
pub struct Window<'a> {
    /// At most so many items.
    pub limit: i32,
    /// Where an earlier page ended.
    pub after: Option<&'a str>,
}

impl KnowledgeStore {
    pub(crate) async fn page_of<T: DeserializeOwned>(
        &self,
        query: Query,
        window: Window<'_>,
    ) -> Result<Page<T>> {
        let query = query.limit(window.limit).after(window.after);
        self.table.query(query).await?.decode(self.table.name())
    }

    /// A page of the resolution log, newest first.
    pub fn log<'a>(
        &'a self,
        scope: &'a Scope,
        window: Window<'a>,
    ) -> BoxFuture<'a, Result<Page<ResolutionLogRow>>> {
        let query = Query::partition(&keys::log(scope)).descending();
        Box::pin(self.page_of(query, window))
    }

    /// One row of the log, or none.
    pub fn log_row<'a>(
        &'a self,
        scope: &'a Scope,
        id: &'a LogId,
    ) -> BoxFuture<'a, Result<Option<ResolutionLogRow>>> {
        Box::pin(async move {
            let page = self.table.query(Query::index(&keys::log_row(scope, id)).limit(1)).await?;
            // The index may be a moment behind; the row itself says whether it was reversed.
            let Some(found) = page.items.into_iter().next() else { return Ok(None) };
            let row: ResolutionLogRow = decode(self.table.name(), found)?;
            self.table.get(&keys::log_place(scope, &row)).await
        })
    }

    /// A page of reviews of one status, newest first.
    pub fn reviews<'a>(
        &'a self,
        scope: &'a Scope,
        status: ReviewStatus,
        window: Window<'a>,
    ) -> BoxFuture<'a, Result<Page<ReviewRow>>> {
        let query = Query::index(&keys::reviews(scope, status)).descending();
        Box::pin(self.page_of(query, window))
    }

    /// One review of the owner, or none.
    pub fn review<'a>(
        &'a self,
        scope: &'a Scope,
        id: &'a ReviewId,
    ) -> BoxFuture<'a, Result<Option<ReviewRow>>> {
        Box::pin(async move { self.table.get(&keys::review(scope, id)).await })
    }

    /// A page of what a run found, in whichever part of the owner's graph.
    pub fn discoveries_of<'a>(
        &'a self,
        owner: &'a UserId,
        run: &'a str,
        window: Window<'a>,
    ) -> BoxFuture<'a, Result<Page<Discovery>>> {
        let query = Query::partition(&keys::discoveries_of(owner, run)).prefix("DISC#");
        Box::pin(self.page_of(query, window))
    }

    /// A page of what all runs found, newest first.
    pub fn discoveries<'a>(
        &'a self,
        scope: &'a Scope,
        window: Window<'a>,
    ) -> BoxFuture<'a, Result<Page<Discovery>>> {
        let query = Query::index(&keys::discoveries(scope)).descending();
        Box::pin(self.page_of(query, window))
    }

    /// A page of what all runs found from a time on, oldest first.
    pub fn discoveries_since<'a>(
        &'a self,
        scope: &'a Scope,
        since: Option<Timestamp>,
        window: Window<'a>,
    ) -> BoxFuture<'a, Result<Page<Discovery>>> {
        let since = keys::place(since.unwrap_or(Timestamp::MIN), "");
        let query = Query::index(&keys::discoveries(scope)).between(&since, "~");
        Box::pin(self.page_of(query, window))
    }
}
