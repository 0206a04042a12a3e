//! Reading what is kept beside the graph: the resolution log, reviews, discoveries.

use countersign_identity::UserId;
use countersign_knowledge::graph::Scope;
use countersign_knowledge::{
    Discovery, LogId, ResolutionLogRow, ReviewId, ReviewRow, ReviewStatus,
};
use countersign_store_kit::{Page, Query, Window};
use jiff::Timestamp;
use serde::de::DeserializeOwned;

use crate::{Answer, KnowledgeStore, keys};

impl KnowledgeStore {
    pub(crate) fn page_of<T: DeserializeOwned + Send>(
        &self,
        query: Query,
        window: Window,
    ) -> Answer<'_, Page<T>> {
        self.table.page(query.within(window))
    }

    /// A page of what a list names, newest first.
    pub(crate) fn newest<T: DeserializeOwned + Send>(
        &self,
        list: &str,
        window: Window,
    ) -> Answer<'_, Page<T>> {
        self.page_of(Query::index(list).descending(), window)
    }

    /// A page of the resolution log, newest first.
    pub fn log(&self, scope: &Scope, window: Window) -> Answer<'_, Page<ResolutionLogRow>> {
        self.page_of(Query::partition(&keys::log(scope)).descending(), window)
    }

    /// One row of the log, or none.
    pub fn log_row<'a>(
        &'a self,
        scope: &'a Scope,
        id: &'a LogId,
    ) -> Answer<'a, Option<ResolutionLogRow>> {
        let query = Query::index(&keys::log_row(scope, id)).limit(1);
        Box::pin(async move {
            let found: Page<ResolutionLogRow> = self.table.page(query).await?;
            // The index may be a moment behind; the row itself says whether it was reversed.
            let Some(row) = found.items.first() else { return Ok(None) };
            self.table.get(&keys::log_place(scope, row)).await
        })
    }

    /// A page of reviews of one status, newest first.
    pub fn reviews(
        &self,
        scope: &Scope,
        status: ReviewStatus,
        window: Window,
    ) -> Answer<'_, Page<ReviewRow>> {
        self.newest(&keys::reviews(scope, status), window)
    }

    /// One review of the owner, or none.
    pub fn review(&self, scope: &Scope, id: &ReviewId) -> Answer<'_, Option<ReviewRow>> {
        self.table.read(keys::review(scope, id))
    }

    /// A page of what a run found, in whichever part of the owner's graph.
    pub fn discoveries_of(
        &self,
        owner: &UserId,
        run: &str,
        window: Window,
    ) -> Answer<'_, Page<Discovery>> {
        self.page_of(Query::partition(&keys::discoveries_of(owner, run)).prefix("DISC#"), window)
    }

    /// A page of what all runs found, newest first.
    pub fn discoveries(&self, scope: &Scope, window: Window) -> Answer<'_, Page<Discovery>> {
        self.newest(&keys::discoveries(scope), window)
    }

    /// A page of what all runs found from a time on, oldest first.
    pub fn discoveries_since(
        &self,
        scope: &Scope,
        since: Option<Timestamp>,
        window: Window,
    ) -> Answer<'_, Page<Discovery>> {
        let since = keys::place(since.unwrap_or(Timestamp::MIN), "");
        self.page_of(Query::index(&keys::discoveries(scope)).between(&since, "~"), window)
    }
}
