//! What runs gave back.

use countersign_effect::hash_parts;
use countersign_run::{Response, RunId};
use countersign_store_kit::{StoreError, Stored, Write};
use serde::{Deserialize, Serialize};

use crate::{Result, RunStore, keys};

/// A response as it is stored: above 100 KB in the data bucket.
#[derive(Debug, Serialize, Deserialize)]
struct ResponseItem {
    response: Stored,
}

impl RunStore {
    /// Keeps the response of a run, once. Answers with the one that is kept: this one, or an earlier one.
    ///
    /// # Errors
    /// [`StoreError`] when the table or bucket does not answer.
    pub async fn keep_response(&self, run: &RunId, response: Response) -> Result<Response> {
        let value = serde_json::to_value(&response)
            .map_err(|error| StoreError::Encode(error.to_string()))?;
        // Named by what it is, so that two who finish the run do not overwrite each other's.
        let hash = hash_parts(&[value.to_string().as_bytes()]);
        let stored = self.blobs.store(&format!("runs/{run}/response-{hash}.json"), &value).await?;
        let put = Write::put(&keys::response(run), &ResponseItem { response: stored })?.if_absent();
        match self.table.transact(vec![put]).await {
            Ok(()) => Ok(response),
            Err(error) if error.is_condition() => self.response(run).await?.ok_or(error),
            Err(error) => Err(error),
        }
    }

    /// The response of a run, once it is over; none when it gave none.
    ///
    /// # Errors
    /// [`StoreError`] when the table or bucket does not answer.
    pub async fn response(&self, run: &RunId) -> Result<Option<Response>> {
        match self.table.get::<ResponseItem>(&keys::response(run)).await? {
            Some(item) => self.blobs.load_as(&item.response).await.map(Some),
            None => Ok(None),
        }
    }
}
