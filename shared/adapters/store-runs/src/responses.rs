//! What runs gave back.

use countersign_effect::hash_parts;
use countersign_run::{Response, RoutedOutput, RunId};
use countersign_store_kit::{Expr, StoreError, Stored, Write};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Result, RunStore, keys};

/// A response as it is stored: above 100 KB in the data bucket.
#[derive(Debug, Serialize, Deserialize)]
struct ResponseItem {
    response: Stored,
}

/// A destination of a finished run that is to be tried again.
#[derive(Debug, Serialize, Deserialize)]
struct DeliveryItem {
    n: usize,
    /// Until when somebody writes it, epoch seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    until: Option<i64>,
}

/// Longer than the function that writes it may run, in seconds: then it was broken off.
const LEASE: i64 = 300;

/// That nobody writes it, or whoever did was broken off.
const FREE: &str = "(attribute_not_exists(#until) OR #until < :now)";

/// How often a row is put into a response that others change too.
const TRIES: u32 = 8;

impl RunStore {
    /// Keeps the response of a run, once. Answers with the one that is kept: this one, or an earlier one.
    ///
    /// # Errors
    /// [`StoreError`] when the table or bucket does not answer.
    pub async fn keep_response(&self, run: &RunId, response: Response) -> Result<Response> {
        let stored = self.stored_response(run, &response).await?;
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

    async fn stored_response(&self, run: &RunId, response: &Response) -> Result<Stored> {
        let value = serde_json::to_value(response).map_err(StoreError::encode)?;
        // Named by what it is, so that two who finish the run do not overwrite each other's.
        let hash = hash_parts(&[value.to_string().as_bytes()]);
        self.blobs.store(&format!("runs/{run}/response-{hash}.json"), &value).await
    }

    /// Notes that output `n` of a finished run is to be written again; noting it twice, or while it is being written, is noting
    /// it once.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn ask_delivery(&self, run: &RunId, n: usize, now: Timestamp) -> Result<()> {
        let free = Expr::new(FREE).bind("now", &now.as_second())?;
        let put = Write::put(&keys::delivery(run, n), &DeliveryItem { n, until: None })?;
        self.table.try_write(put.when(free)).await.map(drop)
    }

    /// Takes on output `n` of a finished run that is to be written again. `false` when somebody else has, or it was not asked
    /// for.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn claim_delivery(&self, run: &RunId, n: usize, now: Timestamp) -> Result<bool> {
        let free = Expr::new(&format!("attribute_exists(#PK) AND {FREE}"));
        let free = free.bind("now", &now.as_second())?;
        let claim =
            Write::update(&keys::delivery(run, n)).set("until", &(now.as_second() + LEASE))?;
        self.table.try_write(claim.when(free)).await
    }

    /// Gives back what was taken on and could not be done now.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn release_delivery(&self, run: &RunId, n: usize) -> Result<()> {
        let put = Write::put(&keys::delivery(run, n), &DeliveryItem { n, until: None })?;
        self.table.write(put).await
    }

    /// Forgets that output `n` was to be written again.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn forget_delivery(&self, run: &RunId, n: usize) -> Result<()> {
        self.table.write(Write::delete(&keys::delivery(run, n))).await
    }

    /// The outputs of a run that are to be written again.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer.
    pub async fn deliveries(&self, run: &RunId) -> Result<Vec<usize>> {
        let query = keys::deliveries(run).consistent();
        self.table.query_all_as(query, 1_000, |item: DeliveryItem| item.n).await
    }

    /// Puts what became of output `n` into the response, as long as that says that it failed, and forgets that it was asked for.
    ///
    /// # Errors
    /// [`StoreError`] when table or bucket do not answer, or too many write at once.
    pub async fn delivered(&self, run: &RunId, n: usize, row: &RoutedOutput) -> Result<()> {
        for _ in 0..TRIES {
            let key = keys::response(run);
            let Some(item) = self.table.get::<ResponseItem>(&key).await? else { break };
            let mut response: Response = self.blobs.load_as(&item.response).await?;
            let Some(place) = response.outputs.get_mut(n) else { break };
            // Somebody else has written it meanwhile.
            if !place.is_failed() {
                return self.forget_delivery(run, n).await;
            }
            *place = row.clone();
            let stored = self.stored_response(run, &response).await?;
            let unchanged = Expr::new("#response = :before").bind("before", &item.response)?;
            let put = Write::put(&key, &ResponseItem { response: stored })?.when(unchanged);
            if self.table.try_write(put).await? {
                return self.forget_delivery(run, n).await;
            }
        }
        Err(StoreError::Unavailable {
            table: self.table.name().to_owned(),
            reason: "the response could not be changed".to_owned(),
        })
    }
}
