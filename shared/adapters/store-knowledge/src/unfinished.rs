//! Calls that somebody has to come back to: names that wait to be resolved, and plans that were not applied. Each list is in the
//! order of time; what was tried in vain goes behind the others.

use countersign_knowledge::DiscoveryStatus;
use countersign_knowledge::graph::{CallState, Deferred, Planned, Scope};
use countersign_store_kit::{Expr, Item, Key, Query, Write, decode};
use jiff::Timestamp;

use crate::calls::Unfinished;
use crate::{KnowledgeStore, Result, keys};

/// A plan that was stored and not applied: its function was killed, or the table did not answer.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenPlan {
    /// Whose graph.
    pub scope: Scope,
    /// The key of the call.
    pub call: String,
    /// What is left to do.
    pub planned: Planned,
}

/// A call that waits to be resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct DeferredCall {
    /// Whose graph.
    pub scope: Scope,
    /// The key of the call.
    pub call: String,
    /// What is to be resolved.
    pub deferred: Deferred,
}

impl KnowledgeStore {
    /// The first calls that wait to be resolved. One that cannot be read is logged, and goes behind the others.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn deferred(&self, limit: i32, now: Timestamp) -> Result<Vec<DeferredCall>> {
        let query = Query::index(keys::DEFERRED).limit(limit);
        let mut waiting = Vec::new();
        for (scope, call, state) in self.unfinished(query, now).await? {
            // The index may be a moment behind.
            if let CallState::Deferred(deferred) = state {
                waiting.push(DeferredCall { scope, call, deferred: *deferred });
            }
        }
        Ok(waiting)
    }

    /// The first plans that were stored, or tried in vain, before this time. One that cannot be read is logged, and goes behind the
    /// others.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn open_plans(
        &self,
        before: Timestamp,
        limit: i32,
        now: Timestamp,
    ) -> Result<Vec<OpenPlan>> {
        let query = Query::index(keys::OPEN_PLANS).between("0", &keys::place(before, ""));
        let mut open = Vec::new();
        for (scope, call, state) in self.unfinished(query.limit(limit), now).await? {
            // The index may be a moment behind.
            if let CallState::Planned(planned) = state {
                open.push(OpenPlan { scope, call, planned: *planned });
            }
        }
        Ok(open)
    }

    async fn unfinished(
        &self,
        query: Query,
        now: Timestamp,
    ) -> Result<Vec<(Scope, String, CallState)>> {
        let page = self.table.query(query).await?;
        let mut found = Vec::with_capacity(page.items.len());
        for item in page.items {
            let Some(key) = Key::of(&item) else { continue };
            match self.read_unfinished(&key, item).await {
                Ok(read) => found.push(read),
                // One that does not read must not keep the others.
                Err(error) => {
                    tracing::error!(call = key.sk, %error, "a call that is not finished cannot be read");
                    self.put_back(&key, now).await?;
                }
            }
        }
        Ok(found)
    }

    async fn read_unfinished(&self, key: &Key, item: Item) -> Result<(Scope, String, CallState)> {
        let Unfinished { owner, namespace, call } = decode(self.table.name(), item)?;
        let state = self.read_call(key).await?;
        Ok((Scope { owner, namespace }, call, state))
    }

    /// Puts a call that was tried in vain behind the others of its list.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn put_off(&self, scope: &Scope, call: &str, now: Timestamp) -> Result<()> {
        self.put_back(&keys::call(scope, call), now).await
    }

    async fn put_back(&self, key: &Key, now: Timestamp) -> Result<()> {
        let write = Write::update(key).set("GSI1SK", &keys::place(now, &key.sk))?;
        // Otherwise somebody has finished it.
        let write = write.when(Expr::new("attribute_exists(#GSI1PK)"));
        self.table.try_write(write).await.map(drop)
    }

    /// Applies a plan and marks its call done. When that fails, what it has found is pending.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer; the plan stays open.
    pub async fn resume(&self, open: &OpenPlan) -> Result<()> {
        let changes = &open.planned.changes;
        if let Err(error) = self.apply_all(&open.scope, changes).await {
            self.write_unstored(&open.scope, changes, DiscoveryStatus::Pending).await?;
            return Err(error);
        }
        self.finish_call(&open.scope, &open.call).await
    }

    /// Gives a plan up: nobody applies it any more, and what it has found says so.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn give_up(&self, open: &OpenPlan) -> Result<()> {
        self.write_unstored(&open.scope, &open.planned.changes, DiscoveryStatus::GivenUp).await?;
        let write = Write::update(&keys::call(&open.scope, &open.call));
        self.table.write(write.remove("GSI1PK").remove("GSI1SK")).await
    }
}
