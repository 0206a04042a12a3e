//! What is left of a monitor that was removed: watermarks, batches, and what those hold in the bucket.

use countersign_monitor::MonitorId;
use countersign_store_kit::{Item, Key, Query, Write, decode};
use futures::future::try_join_all;

use crate::record::StoredRecord;
use crate::{Answer, Batched, CatalogError, MonitorStore, Result, keys};

/// How many batches are forgotten at once: each may have an object in the bucket.
const BATCHES: i32 = 25;

/// How many times as many one call forgets.
const ROUNDS: usize = 20;

impl MonitorStore {
    /// Forgets watermarks and batches of a monitor that was removed, with what the batches hold; whether nothing is left. What
    /// a call does not come to, the next one does: until then its clock is still there, so that it is ticked again.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table or the bucket does not answer.
    pub fn forget<'a>(&'a self, monitor: &'a MonitorId) -> Answer<'a, bool> {
        Box::pin(async move {
            for _ in 0..ROUNDS {
                if self.forget_batches(monitor).await? == 0 {
                    self.forget_standing(monitor).await?;
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// First the objects, then the records that say where they are.
    async fn forget_batches(&self, monitor: &MonitorId) -> Result<usize> {
        let doing = CatalogError::doing("forget the batches of a monitor");
        let query = Query::partition(&keys::monitor(monitor)).prefix("BATCH#");
        let page = self.table.query(query.consistent().limit(BATCHES)).await.map_err(doing)?;
        let keys: Vec<Key> = page.items.iter().filter_map(Key::of).collect();
        let batched = page.items.into_iter().map(|item| self.read_batch(item));
        let batched: Vec<Batched> = batched.collect::<Result<_>>()?;
        try_join_all(batched.iter().map(|one| self.discard(one))).await?;
        let gone = keys.iter().map(Write::delete).collect();
        self.table.write_many(gone).await.map_err(doing)?;
        Ok(keys.len())
    }

    /// Watermarks and state.
    async fn forget_standing(&self, monitor: &MonitorId) -> Result<()> {
        let doing = CatalogError::doing("forget where a monitor stands");
        loop {
            let query = Query::partition(&keys::monitor(monitor)).between("MARK#", "STATE");
            let page = self.table.query(query.consistent()).await.map_err(doing)?;
            let gone: Vec<Write> =
                page.items.iter().filter_map(Key::of).map(|key| Write::delete(&key)).collect();
            self.table.write_many(gone).await.map_err(doing)?;
            if page.next.is_none() {
                return Ok(());
            }
        }
    }

    fn read_batch(&self, item: Item) -> Result<Batched> {
        let record = decode::<StoredRecord>(self.table.name(), item);
        let batched = record.and_then(|record| record.read(self.table.name()));
        batched.map_err(CatalogError::doing("read the batch"))
    }

    /// Removes what a batch holds from the bucket.
    pub(crate) async fn discard(&self, batched: &Batched) -> Result<()> {
        let doing = CatalogError::doing("remove what a batch holds");
        self.blobs.discard(&batched.content).await.map_err(doing)
    }
}
