//! Reading runs.

use std::collections::{BTreeMap, BTreeSet};

use countersign_identity::UserId;
use countersign_run::{Event, Head, RunId};
use countersign_store_kit::{Page, Query, Window, decode};
use jiff::Timestamp;

use crate::records::OutcomeItem;
use crate::{Result, RunStore, StepOutcome, keys};

/// A plan has at most 500 steps and a step a handful of events per attempt; this bounds one read.
const MAX_EVENTS: usize = 20_000;

impl RunStore {
    /// The head of a run.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn head(&self, run: &RunId) -> Result<Option<Head>> {
        self.table.get(&keys::head(run)).await
    }

    /// The head of a run if this owner has it; a foreign run is as absent as an unknown one.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn owned_head(&self, owner: &UserId, run: &RunId) -> Result<Option<Head>> {
        Ok(self.head(run).await?.filter(|head| head.owner == *owner))
    }

    /// The runs of an owner that were asked for between two times, to the millisecond, newest first.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer or the cursor is none.
    pub async fn list(
        &self,
        owner: &UserId,
        (from, to): (Option<Timestamp>, Option<Timestamp>),
        window: Window,
    ) -> Result<Page<Head>> {
        let query = Query::index(&keys::owner_index(owner)).descending().within(window);
        let (low, high) = keys::owner_range(from, to);
        self.table.query(query.between(&low, &high)).await?.decode(self.table.name())
    }

    /// The heads of several runs, by run; those there are.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn heads(&self, runs: &[&RunId]) -> Result<BTreeMap<RunId, Head>> {
        let unique: BTreeSet<&RunId> = runs.iter().copied().collect();
        if unique.is_empty() {
            return Ok(BTreeMap::new());
        }
        let wanted: Vec<_> = unique.into_iter().map(keys::head).collect();
        let found = self.table.get_many(&wanted).await?.into_values();
        let heads = found.map(|item| decode::<Head>(self.table.name(), item));
        heads.map(|head| head.map(|head| (head.run.clone(), head))).collect()
    }

    /// The heads of several runs, in the same order; those there are.
    pub(crate) async fn heads_in_order(&self, runs: &[&RunId]) -> Result<Vec<Head>> {
        let mut heads = self.heads(runs).await?;
        Ok(runs.iter().filter_map(|run| heads.remove(*run)).collect())
    }

    /// Everything that happened in a run, oldest first.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn events(&self, run: &RunId) -> Result<Vec<Event>> {
        let query = keys::events(run).consistent().limit(1000);
        let mut events: Vec<Event> = self.table.query_all(query, MAX_EVENTS).await?;
        events
            .sort_by(|a, b| (a.at, &a.step, a.attempt, a.n).cmp(&(b.at, &b.step, b.attempt, b.n)));
        Ok(events)
    }

    /// What came of every step so far, without outputs that lie in the bucket being read: those are null.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn all_outcomes(&self, run: &RunId) -> Result<Vec<StepOutcome>> {
        let sized = self.sized_outcomes(run).await?;
        Ok(sized.into_iter().map(|(outcome, _)| outcome).collect())
    }

    /// As [`RunStore::all_outcomes`]; beside each the size of its output in the bucket, in bytes, 0 when it is here.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn sized_outcomes(&self, run: &RunId) -> Result<Vec<(StepOutcome, u64)>> {
        let query = keys::outcomes(run).consistent();
        let items: Vec<OutcomeItem> = self.table.query_all(query, MAX_EVENTS).await?;
        let mut outcomes = Vec::with_capacity(items.len());
        for item in items.into_iter().filter_map(OutcomeItem::standing) {
            let (output, elsewhere) = match &item.output {
                inline @ countersign_store_kit::Stored::Item { .. } => {
                    (self.blobs.load(inline).await?, 0)
                }
                countersign_store_kit::Stored::Bucket { bytes, .. } => {
                    (serde_json::Value::Null, *bytes)
                }
            };
            outcomes.push((item.with_output(output), elsewhere));
        }
        Ok(outcomes)
    }

    /// What came of one step, with its output wherever it lies.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table or bucket does not answer.
    pub async fn outcome(&self, run: &RunId, step: &str) -> Result<Option<StepOutcome>> {
        let found = self.table.get::<OutcomeItem>(&keys::outcome(run, step)).await?;
        match found.and_then(OutcomeItem::standing) {
            Some(item) => self.load_outcome(item).await.map(Some),
            None => Ok(None),
        }
    }

    pub(crate) async fn load_outcome(&self, item: OutcomeItem) -> Result<StepOutcome> {
        let output = self.blobs.load(&item.output).await?;
        Ok(item.with_output(output))
    }
}
