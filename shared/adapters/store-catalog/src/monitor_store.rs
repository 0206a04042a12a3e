//! Where monitors stand: state, watermarks, batches.
//!
//! Every change goes through the version of a monitor's state, so that of two that come at once one is lost: whoever is late
//! reads again. A look that finds nothing is one query and one transaction.

use std::collections::BTreeMap;

use countersign_monitor::{Batch, Content, MonitorId, Settled, State, Watermark, followed};
use countersign_run::Occurrence;
use countersign_store_kit::{Blobs, Expr, Page, Query, StoreError, Table, Window, Write, decode};
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::monitor_clocks::{Clock, clock_write};
use crate::record::{self, StoredRecord};
use crate::{Answer, Result, keys, occurrences};

/// Where a monitor stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MonitorProgress {
    /// Its open batch and its last tick.
    pub state: State,
    /// The watermarks of its detection steps, by step.
    pub marks: BTreeMap<String, Watermark>,
}

/// A batch as stored, with where its content lies.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Batched {
    /// The batch.
    pub batch: Batch,
    pub(crate) content: countersign_store_kit::Stored,
    /// Its line in the ledger of occurrences. Batches from before there was one have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<Occurrence>,
}

impl Batched {
    /// The same after a change of the batch; its occurrence follows.
    fn after(&self, batch: &Batch) -> Self {
        let occurrence = self.occurrence.as_ref().map(|occurrence| followed(occurrence, batch));
        Self { batch: batch.clone(), occurrence, content: self.content.clone() }
    }

    /// Both records, while the batch is as it was read: the batch and its occurrence. That a run was started is written with the
    /// run, without the monitor's state.
    pub(crate) fn writes_after(&self, before: &Self) -> Result<Vec<Write>> {
        let seen = Expr::new("#version = :seen").bind("seen", &before.batch.version);
        let seen = seen.map_err(CatalogError::doing("note the batch"))?;
        let mut writes = vec![put_batch(self)?.when(seen)];
        if let Some(occurrence) = &self.occurrence {
            writes.push(occurrences::put(occurrence)?);
        }
        Ok(writes)
    }

    /// As [`Batched::writes_after`], together with the monitor's state.
    pub(crate) fn moved(&self, before: &Self, state: &State) -> Result<Vec<Write>> {
        let mut writes = vec![put_state(&self.batch.monitor_id, state)?];
        writes.extend(self.writes_after(before)?);
        Ok(writes)
    }
}

/// What was found new, about to be written down.
#[derive(Debug, Clone, Copy)]
pub struct NewBatch<'a> {
    /// The batch.
    pub batch: &'a Batch,
    /// What it holds.
    pub content: &'a Content,
    /// Its line in the ledger of occurrences.
    pub occurrence: &'a Occurrence,
}

/// Monitors beside what their owners wrote.
#[derive(Debug, Clone)]
pub struct MonitorStore {
    pub(crate) table: Table,
    pub(crate) blobs: Blobs,
}

impl MonitorStore {
    /// The store over the table `Catalog` and the data bucket.
    #[must_use]
    #[inline]
    pub fn new(table: Table, blobs: Blobs) -> Self {
        Self { table, blobs }
    }

    /// Where a monitor stands.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn standing<'a>(&'a self, monitor: &'a MonitorId) -> Answer<'a, MonitorProgress> {
        Box::pin(async move {
            let doing = CatalogError::doing("read where the monitor stands");
            let query = Query::partition(&keys::monitor(monitor)).between("MARK#", keys::STATE);
            let mut query = query.consistent();
            let mut standing = MonitorProgress::default();
            loop {
                let page = self.table.query(query.clone()).await.map_err(doing)?;
                for item in page.items {
                    self.read_into(&mut standing, item).map_err(doing)?;
                }
                match page.next {
                    Some(next) => query = query.after(Some(&next)),
                    None => break,
                }
            }
            let MonitorProgress { state, marks } = &mut standing;
            state.complete(marks);
            Ok(standing)
        })
    }

    fn read_into(
        &self,
        standing: &mut MonitorProgress,
        item: countersign_store_kit::Item,
    ) -> std::result::Result<(), StoreError> {
        let is_state = text(&item, "SK").as_deref() == Some(keys::STATE);
        let record: StoredRecord = decode(self.table.name(), item)?;
        if is_state {
            standing.state = record.read(self.table.name())?;
        } else {
            let mark: Watermark = record.read(self.table.name())?;
            standing.marks.insert(mark.step_name.clone(), mark);
        }
        Ok(())
    }

    /// Notes a tick: the state after it, the watermarks that looked, and when the next one is overdue. Without a clock the
    /// monitor does not look any more.
    ///
    /// # Errors
    /// [`CatalogError::Changed`] when the monitor has moved since `state` was read.
    pub fn note<'a>(
        &'a self,
        monitor: &'a MonitorId,
        state: &'a State,
        marks: &'a [Watermark],
        clock: Option<&'a Clock>,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut writes = vec![put_state(monitor, state)?];
            for mark in marks {
                writes.push(put_mark(monitor, mark)?);
            }
            writes.extend(clock_write(clock)?);
            self.apply(writes).await
        })
    }

    /// Writes a new batch and its occurrence together with the tick that found it.
    ///
    /// # Errors
    /// As [`MonitorStore::note`]; [`CatalogError::Store`] when the content cannot be kept.
    pub fn open<'a>(
        &'a self,
        state: &'a State,
        marks: &'a [Watermark],
        clock: Option<&'a Clock>,
        new: NewBatch<'a>,
    ) -> Answer<'a, Batched> {
        Box::pin(async move {
            let batch = new.batch;
            let content = self.keep(batch, new.content, state.version).await?;
            let batched =
                Batched { batch: batch.clone(), content, occurrence: Some(new.occurrence.clone()) };
            let mut writes = vec![put_state(&batch.monitor_id, state)?, put_batch(&batched)?];
            writes.push(occurrences::put(new.occurrence)?.if_absent());
            for mark in marks {
                writes.push(put_mark(&batch.monitor_id, mark)?);
            }
            writes.extend(clock_write(clock)?);
            match self.apply(writes).await {
                Err(lost @ CatalogError::Changed(_)) => {
                    self.discard_unless_named(&batched).await?;
                    Err(lost)
                }
                written => written.map(|()| batched),
            }
        })
    }

    /// Removes what a batch that lost a race holds. Whoever won may have seen the same: then both named the same object, and
    /// the record that was written refers to it.
    async fn discard_unless_named(&self, lost: &Batched) -> Result<()> {
        let written = self.batch(&lost.batch.monitor_id, lost.batch.number).await?;
        if written.is_some_and(|written| written.content == lost.content) {
            return Ok(());
        }
        self.discard(lost).await
    }

    async fn keep(
        &self,
        batch: &Batch,
        content: &Content,
        version: u64,
    ) -> Result<countersign_store_kit::Stored> {
        let doing = CatalogError::doing("keep what is new");
        let place = format!("monitors/{}/{}-{version}.json", batch.monitor_id, batch.number);
        let value = serde_json::to_value(content);
        let value = value.map_err(|error| doing(StoreError::encode(error)))?;
        self.blobs.store(&place, &value).await.map_err(doing)
    }

    /// Changes a batch and its monitor's state together; the batch as it is then.
    ///
    /// # Errors
    /// As [`MonitorStore::note`].
    pub async fn change(&self, batched: &Batched, batch: &Batch, state: &State) -> Result<Batched> {
        let after = batched.after(batch);
        self.apply(after.moved(batched, state)?).await.map(|()| after)
    }

    /// Writes what the end of a run, or that there is none, means: batch, state, and the watermarks that move.
    pub(crate) async fn settle(
        &self,
        batched: &Batched,
        settled: &Settled,
        moved: &[Watermark],
        clock: Option<&Clock>,
    ) -> Result<()> {
        let monitor = &settled.batch.monitor_id;
        let mut writes = batched.after(&settled.batch).moved(batched, &settled.state)?;
        for mark in moved {
            writes.push(put_mark(monitor, mark)?);
        }
        writes.extend(clock_write(clock)?);
        self.apply(writes).await
    }

    /// A batch by its number.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn batch(&self, monitor: &MonitorId, number: u64) -> Answer<'_, Option<Batched>> {
        record::one(&self.table, keys::batch(monitor, number), "read the batch")
    }

    /// What a batch holds.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the bucket does not answer, or holds something else.
    pub fn content<'a>(&'a self, batched: &'a Batched) -> Answer<'a, Content> {
        Box::pin(async move {
            let doing = CatalogError::doing("read what the batch holds");
            self.blobs.load_as(&batched.content).await.map_err(doing)
        })
    }

    /// A page of a monitor's batches, the newest first.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn batches(&self, monitor: &MonitorId, window: Window) -> Answer<'_, Page<Batched>> {
        let query = Query::partition(&keys::monitor(monitor)).prefix("BATCH#");
        let query = query.descending().consistent().within(window);
        record::list(&self.table, query, "list the batches")
    }

    pub(crate) async fn apply(&self, writes: Vec<Write>) -> Result<()> {
        let doing = "note where the monitor stands";
        let is_unchanged = record::change(&self.table, Ok(writes), doing).await?;
        is_unchanged.then_some(()).ok_or(CatalogError::Changed("monitor"))
    }
}

fn text(item: &countersign_store_kit::Item, name: &str) -> Option<String> {
    item.get(name).and_then(|value| value.as_s().ok()).cloned()
}

/// The state, unless another change came first.
fn put_state(monitor: &MonitorId, state: &State) -> Result<Write> {
    let record = StoredRecord::of("state of the monitor", state, state.version)?;
    let put = record.put_after(&keys::monitor_state(monitor), state.version.saturating_sub(1));
    put.map_err(CatalogError::doing("note where the monitor stands"))
}

fn put_mark(monitor: &MonitorId, mark: &Watermark) -> Result<Write> {
    let key = keys::watermark(monitor, &mark.step_name);
    record::put(&key, ("watermark", mark, mark.version), "note the watermark")
}

pub(crate) fn put_batch(batched: &Batched) -> Result<Write> {
    let batch = &batched.batch;
    let key = keys::batch(&batch.monitor_id, batch.number);
    record::put(&key, ("batch", batched, batch.version), "note the batch")
}
