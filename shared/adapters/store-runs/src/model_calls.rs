//! The turns of a run with models.

use countersign_run::{ModelCall, RunId};
use countersign_store_kit::{Page, Query, Write};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::{Result, RunStore, keys};

impl RunStore {
    /// Writes the record of a turn; writing it again replaces it.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub async fn put_model_call(&self, run: &RunId, call: &ModelCall) -> Result<()> {
        let key = keys::model_call(run, &call.step, call.asked_at, call.turn);
        self.table.write(Write::put(&key, &Row { call: call.clone() })?).await
    }

    /// A page of the turns of a run: by step, and of a step by time.
    ///
    /// # Errors
    /// [`StoreError`](countersign_store_kit::StoreError) when the table does not answer.
    pub fn model_calls(
        &self,
        run: &RunId,
        limit: i32,
        after: Option<&str>,
    ) -> BoxFuture<'_, Result<Page<ModelCall>>> {
        let (partition, prefix) = keys::model_calls(run);
        let query = Query::partition(&partition).prefix(prefix).limit(limit).after(after);
        self.table.page_as(query, |row: Row| row.call)
    }
}

/// A turn as it is stored, apart from its keys.
#[derive(Serialize, Deserialize)]
struct Row {
    call: ModelCall,
}
