//! A table.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::delete_item::DeleteItemError;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure;
use aws_sdk_dynamodb::types::error::ConditionalCheckFailedException;
use futures::future::BoxFuture;
use serde::de::DeserializeOwned;

use crate::decode::decode;
use crate::error::StoreError;
use crate::expr::{names, non_empty};
use crate::key::{Item, Key};
use crate::query::{Page, Query, decode_cursor, encode_cursor};
use crate::write::{Kind, Write};
use crate::{Result, counters};

/// A table and the client that reaches it.
#[derive(Debug, Clone)]
pub struct Table {
    pub(crate) client: Client,
    name: String,
}

impl Table {
    /// The table of this name.
    #[must_use]
    #[inline]
    pub fn new(client: Client, name: impl Into<String>) -> Self {
        Self { client, name: name.into() }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads one item, strongly consistent.
    ///
    /// # Errors
    /// [`StoreError`] when the table does not answer, refuses, or the item has another shape.
    pub async fn get<T: DeserializeOwned>(&self, key: &Key) -> Result<Option<T>> {
        self.get_item(key).await?.map(|item| decode(&self.name, item)).transpose()
    }

    /// Reads one item as it is, strongly consistent.
    pub fn get_item<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<Item>>> {
        Box::pin(async move {
            if !key.fits() {
                return Ok(None);
            }
            counters::read();
            let request = self
                .client
                .get_item()
                .table_name(&self.name)
                .set_key(Some(key.item()))
                .consistent_read(true);
            Ok(request.send().await.map_err(|error| StoreError::sdk(&self.name, &error))?.item)
        })
    }

    pub(crate) async fn pause_before_retry(&self, tries: u32) -> Result<()> {
        if tries > 6 {
            let reason = "items stayed unprocessed after six tries".to_owned();
            return Err(StoreError::Unavailable { table: self.name.clone(), reason });
        }
        tokio::time::sleep(std::time::Duration::from_millis(25 << tries)).await;
        Ok(())
    }

    /// Reads one page.
    pub fn query(&self, query: Query) -> BoxFuture<'_, Result<Page<Item>>> {
        Box::pin(async move {
            if !query.fits() {
                return Ok(Page { items: Vec::new(), next: None });
            }
            counters::read();
            let condition = query.condition()?;
            let after = query.after.as_deref().map(decode_cursor).transpose()?;
            let mut request = self
                .client
                .query()
                .table_name(&self.name)
                .key_condition_expression(&condition.text);
            request = request.set_expression_attribute_names(non_empty(names(&condition.text)));
            request = request.set_expression_attribute_values(non_empty(condition.values));
            request = request
                .scan_index_forward(!query.descending)
                .limit(query.limit)
                .set_exclusive_start_key(after);
            if query.index {
                request = request.index_name("GSI1");
            } else if query.consistent {
                request = request.consistent_read(true);
            }
            let answer =
                request.send().await.map_err(|error| StoreError::sdk(&self.name, &error))?;
            let next = answer.last_evaluated_key.as_ref().and_then(encode_cursor);
            Ok(Page { items: answer.items.unwrap_or_default(), next })
        })
    }

    /// Reads every page, up to `most` items.
    ///
    /// # Errors
    /// [`StoreError`] as [`Table::query`].
    pub async fn query_all<T: DeserializeOwned>(
        &self,
        query: Query,
        most: usize,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        let mut query = query;
        loop {
            let page = self.query(query.clone()).await?;
            for item in page.items {
                all.push(decode(&self.name, item)?);
            }
            match page.next {
                Some(next) if all.len() < most => query.after = Some(next),
                _ => return Ok(all),
            }
        }
    }

    /// Does one write.
    pub fn write(&self, write: Write) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            counters::wrote();
            match &write.kind {
                Kind::Put(item) => self.put(&write, item.clone()).await,
                Kind::Update { .. } => self.update(&write).await,
                Kind::Delete => self.delete(&write).await,
                Kind::Check => {
                    Err(StoreError::Encode("a check only makes sense in a transaction".to_owned()))
                }
            }
        })
    }

    /// What came of a write; `condition` is what its service says when the condition does not hold.
    fn done<T, E: ProvideErrorMetadata, R>(
        &self,
        sent: std::result::Result<T, SdkError<E, R>>,
        condition: impl FnOnce(&E) -> Option<&ConditionalCheckFailedException>,
    ) -> Result<()> {
        sent.map(drop).map_err(|error| match error.as_service_error().and_then(condition) {
            Some(failed) => self.failed(0, failed.item.clone()),
            None => StoreError::sdk(&self.name, &error),
        })
    }

    async fn put(&self, write: &Write, item: Item) -> Result<()> {
        let (text, names, values) = write.parts("");
        let request = self
            .client
            .put_item()
            .table_name(&self.name)
            .set_item(Some(item))
            .set_condition_expression(text);
        let request =
            request.set_expression_attribute_names(names).set_expression_attribute_values(values);
        let request = request
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        self.done(request.send().await, |said| match said {
            PutItemError::ConditionalCheckFailedException(failed) => Some(failed),
            _ => None,
        })
    }

    async fn update(&self, write: &Write) -> Result<()> {
        let (update, _) = write.update_text();
        let (text, names, values) = write.parts(&update);
        let request =
            self.client.update_item().table_name(&self.name).set_key(Some(write.key.item()));
        let request = request.update_expression(update).set_condition_expression(text);
        let request =
            request.set_expression_attribute_names(names).set_expression_attribute_values(values);
        let request = request
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        self.done(request.send().await, |said| match said {
            UpdateItemError::ConditionalCheckFailedException(failed) => Some(failed),
            _ => None,
        })
    }

    async fn delete(&self, write: &Write) -> Result<()> {
        let (text, names, values) = write.parts("");
        let request =
            self.client.delete_item().table_name(&self.name).set_key(Some(write.key.item()));
        let request = request.set_condition_expression(text);
        let request =
            request.set_expression_attribute_names(names).set_expression_attribute_values(values);
        self.done(request.send().await, |said| match said {
            DeleteItemError::ConditionalCheckFailedException(failed) => Some(failed),
            _ => None,
        })
    }

    fn failed(&self, index: usize, item: Option<Item>) -> StoreError {
        StoreError::ConditionFailed { table: self.name.clone(), index, item: item.map(Box::new) }
    }

    /// Puts and deletes up to 25 items a request, without conditions; unprocessed ones are tried again, six times.
    pub fn write_many(&self, writes: Vec<Write>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            use aws_sdk_dynamodb::types::{DeleteRequest, PutRequest, WriteRequest};
            let mut pending = Vec::with_capacity(writes.len());
            for write in writes {
                let request = WriteRequest::builder();
                pending.push(match write.kind {
                    Kind::Put(item) => request
                        .put_request(
                            PutRequest::builder()
                                .set_item(Some(item))
                                .build()
                                .map_err(StoreError::encode)?,
                        )
                        .build(),
                    Kind::Delete => {
                        let delete = DeleteRequest::builder()
                            .set_key(Some(write.key.item()))
                            .build()
                            .map_err(StoreError::encode)?;
                        request.delete_request(delete).build()
                    }
                    Kind::Update { .. } | Kind::Check => {
                        return Err(StoreError::Encode(
                            "only puts and deletes can be written in bulk".to_owned(),
                        ));
                    }
                });
            }
            let mut tries = 0_u32;
            while !pending.is_empty() {
                let rest = pending.split_off(pending.len().min(25));
                counters::wrote();
                let sent =
                    self.client.batch_write_item().request_items(&self.name, pending).send().await;
                let answer = sent.map_err(|error| StoreError::sdk(&self.name, &error))?;
                let unwritten = answer
                    .unprocessed_items
                    .unwrap_or_default()
                    .remove(&self.name)
                    .unwrap_or_default();
                if !unwritten.is_empty() {
                    tries += 1;
                    self.pause_before_retry(tries).await?;
                }
                pending = unwritten.into_iter().chain(rest).collect();
            }
            Ok(())
        })
    }
}
