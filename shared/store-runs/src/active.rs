//! The marks of runs that are not finished: what a sweeper looks through.

use countersign_run::{Head, RunId};
use countersign_store_kit::Query;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Result, RunStore, keys};

/// The mark of a run that is not finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Active {
    /// The run.
    pub run: RunId,
    /// When it was asked for.
    pub started_at: Timestamp,
}

impl Active {
    pub(crate) fn starting(head: &Head) -> Self {
        Self { run: head.run.clone(), started_at: head.started_at }
    }
}

impl RunStore {
    /// Runs that are not finished, up to `most` of each partition.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn active(&self, most: usize) -> Result<Vec<Active>> {
        let mut all = Vec::new();
        for shard in 0..keys::SHARDS {
            all.extend(
                self.table
                    .query_all::<Active>(Query::partition(&keys::active_shard(shard)), most)
                    .await?,
            );
        }
        Ok(all)
    }
}
