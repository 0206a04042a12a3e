//! The calls of a step that makes one for each item of a list: one record each, written before the call is made.

use countersign_run::{Event, RunId, Sending};
use countersign_store_kit::{Expr, Page, Stored, Window, Write, broken_condition};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::outcomes::goes_on;
use crate::{Intent, Result, RunStore, keys};

/// The most calls a step may make.
pub const MAX_ITEMS: usize = 1_000;

/// What became of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemStatus {
    /// It is being made, or the invocation that made it ended without a word.
    Sending,
    /// It was made and answered.
    Done,
    /// It was refused, or somebody said that it did not happen.
    Failed,
    /// It may have been made; its answer was lost.
    Unknown,
}

impl ItemStatus {
    /// Whether it is not known what became of the call.
    #[must_use]
    pub fn is_unknown(self) -> bool {
        matches!(self, Self::Sending | Self::Unknown)
    }

    /// The word of the API, once the step is over.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Sending | Self::Unknown => "unknown",
        }
    }
}

/// One call, from the moment it may have been made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemCall {
    /// The step.
    pub step: String,
    /// Its number in the list that was signed, from 0.
    pub n: u32,
    /// The item's own key, as the playbook makes it.
    pub item: String,
    /// The hash of its effect, hex.
    pub leaf: String,
    /// What became of it.
    pub status: ItemStatus,
    /// What was sent. Its `call` is 1, and more after each answer to send it again.
    pub sending: Sending,
    /// When it was about to be sent.
    pub at: Timestamp,
    /// When its end was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// What it answered; see [`RunStore::item_output`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Stored>,
    /// The stable code of its error. A call of unknown outcome that has one is not asked about again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// For people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl ItemCall {
    /// Whether people have to be asked what became of it.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.status.is_unknown() && self.code.is_none()
    }
}

/// Whether some calls may be made.
#[derive(Debug, Clone, PartialEq)]
pub enum Begun {
    /// They are noted; make them.
    Now,
    /// The run is to end; do not.
    Stopped,
    /// Another invocation is at the step, or has noted one of these calls before.
    Taken,
}

impl RunStore {
    /// Notes calls that are about to be made, and leaves the step's own mark, unless the run is to end or somebody has left a
    /// mark since `seen` was read. One transaction.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn begin_items(
        &self,
        run: &RunId,
        mark: &Intent,
        seen: Option<&Intent>,
        calls: &[ItemCall],
    ) -> Result<Begun> {
        let mut writes = vec![Write::check(&keys::head(run), goes_on())];
        writes.push(Write::put(&keys::intent(run, &mark.step), mark)?.when(unchanged(seen)?));
        for call in calls {
            let fresh = Expr::new("attribute_not_exists(#PK) OR #call < :call");
            let fresh = fresh.bind("call", &call.sending.call)?;
            let put = Write::put(&keys::item(run, &call.step, call.n), &Row::of(call))?;
            writes.push(put.when(fresh));
        }
        if seen.is_none() {
            let event: Event = mark.event();
            let key = keys::event(run, &event.step, event.attempt, event.n);
            writes.push(Write::put(&key, &event)?);
        }
        Ok(match broken_condition(self.table.transact(writes).await)? {
            None => Begun::Now,
            Some(0) => Begun::Stopped,
            Some(_) => Begun::Taken,
        })
    }

    /// Writes what became of calls. One transaction.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer, or one of the calls has been made again since.
    pub async fn end_items(&self, run: &RunId, calls: &[ItemCall]) -> Result<()> {
        let mut writes = Vec::with_capacity(calls.len());
        for call in calls {
            let same = Expr::new("#call = :call").bind("call", &call.sending.call)?;
            writes
                .push(Write::put(&keys::item(run, &call.step, call.n), &Row::of(call))?.when(same));
        }
        self.table.transact(writes).await
    }

    /// The calls of a step that were made or begun, by number.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn items(&self, run: &RunId, step: &str) -> Result<Vec<ItemCall>> {
        let query = keys::items(run, step).consistent();
        self.table.query_all_as(query, MAX_ITEMS, |row: Row| row.item).await
    }

    /// A page of the same.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub fn items_page(
        &self,
        run: &RunId,
        step: &str,
        window: Window,
    ) -> BoxFuture<'_, Result<Page<ItemCall>>> {
        let query = keys::items(run, step).within(window);
        self.table.page_as(query, |row: Row| row.item)
    }

    /// Keeps what a call answered: in its record, or in the bucket when it is large.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the bucket does not answer.
    pub async fn keep_item_output(
        &self,
        run: &RunId,
        call: &ItemCall,
        output: &Value,
    ) -> Result<Stored> {
        let key = format!("runs/{run}/{}/items/{}-{}.json", call.step, call.n, call.sending.call);
        self.blobs.store(&key, output).await
    }

    /// What a call answered; null when it did not.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the bucket does not answer.
    pub async fn item_output(&self, call: &ItemCall) -> Result<Value> {
        self.blobs.load_or_null(call.output.as_ref()).await
    }
}

/// Nobody has left a mark since `seen` was read.
fn unchanged(seen: Option<&Intent>) -> Result<Expr> {
    match seen {
        None => Ok(Expr::absent()),
        Some(seen) => {
            let same = Expr::new("#lease_until = :lease_until AND #call = :call");
            same.bind("lease_until", &seen.lease_until)?.bind("call", &seen.sending.call)
        }
    }
}

/// A call as it is stored: its number of calls beside it, for conditions.
#[derive(Serialize, Deserialize)]
struct Row {
    call: u32,
    item: ItemCall,
}

impl Row {
    fn of(call: &ItemCall) -> Self {
        Self { call: call.sending.call, item: call.clone() }
    }
}
