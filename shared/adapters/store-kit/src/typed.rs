//! What most methods of a store come to: one item, one page or all items of a type, or a write that may find its condition broken.
//!
//! Keys and queries are taken by value, so that such a method borrows nothing but its store.

use futures::future::BoxFuture;
use serde::de::DeserializeOwned;

use crate::error::StoreError;
use crate::key::Key;
use crate::query::{Page, Query};
use crate::table::Table;
use crate::transact::Op;
use crate::write::Write;

impl Table {
    /// Reads the item under a key, strongly consistent; none when nothing is there.
    pub fn read<T, E>(&self, key: Key) -> BoxFuture<'_, Result<Option<T>, E>>
    where
        T: DeserializeOwned + Send,
        E: From<StoreError>,
    {
        Box::pin(async move { Ok(self.get(&key).await?) })
    }

    /// As [`Table::read`], of an item that holds more than its caller asks for.
    pub fn read_as<R, T, E>(
        &self,
        key: Key,
        view: fn(R) -> T,
    ) -> BoxFuture<'_, Result<Option<T>, E>>
    where
        R: DeserializeOwned + Send + 'static,
        T: 'static,
        E: From<StoreError>,
    {
        Box::pin(async move { Ok(self.get(&key).await?.map(view)) })
    }

    /// Reads one page.
    pub fn page<T, E>(&self, query: Query) -> BoxFuture<'_, Result<Page<T>, E>>
    where
        T: DeserializeOwned + Send,
        E: From<StoreError>,
    {
        Box::pin(async move { Ok(self.query(query).await?.decode(self.name())?) })
    }

    /// As [`Table::page`], of items that hold more than their caller asks for.
    pub fn page_as<R, T, E>(
        &self,
        query: Query,
        view: fn(R) -> T,
    ) -> BoxFuture<'_, Result<Page<T>, E>>
    where
        R: DeserializeOwned + Send + 'static,
        T: 'static,
        E: From<StoreError>,
    {
        Box::pin(async move { Ok(self.query(query).await?.decode(self.name())?.map(view)) })
    }

    /// As [`Table::query_all`], of items that hold more than their caller asks for.
    ///
    /// # Errors
    /// As [`Table::query_all`].
    pub async fn query_all_as<R, T>(
        &self,
        query: Query,
        most: usize,
        view: fn(R) -> T,
    ) -> Result<Vec<T>, StoreError>
    where
        R: DeserializeOwned,
    {
        Ok(self.query_all(query, most).await?.into_iter().map(view).collect())
    }

    /// Removes what is under a key, if anything is.
    pub fn remove<E: From<StoreError>>(&self, key: Key) -> BoxFuture<'_, Result<(), E>> {
        Box::pin(async move { Ok(self.write(Write::delete(&key)).await?) })
    }

    /// Does a write if its condition holds; false when it does not.
    pub fn try_write(&self, write: Write) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(async move { held(self.write(write).await) })
    }

    /// Does all writes if every condition holds; false when one does not.
    pub fn try_transact(&self, writes: Vec<Write>) -> BoxFuture<'_, Result<bool, StoreError>> {
        self.try_transact_across(writes.into_iter().map(|write| self.op(write)).collect())
    }

    /// As [`Table::try_transact`], across tables.
    pub fn try_transact_across(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(async move { held(self.transact_across(ops).await) })
    }

    /// Does a put unless something is under its key already; gives what is there afterwards.
    pub fn put_once<'a, T, E>(&'a self, put: Write, item: &'a T) -> BoxFuture<'a, Result<T, E>>
    where
        T: DeserializeOwned + Clone + Send + Sync,
        E: From<StoreError>,
    {
        Box::pin(async move {
            let key = put.key.clone();
            if self.try_write(put.if_absent()).await? {
                return Ok(item.clone());
            }
            Ok(self.get(&key).await?.unwrap_or_else(|| item.clone()))
        })
    }
}

/// Which of the writes of a transaction had a condition that did not hold, from 0; none when all is written.
///
/// # Errors
/// [`StoreError`] when the transaction failed by anything else.
pub fn broken_condition(written: Result<(), StoreError>) -> Result<Option<usize>, StoreError> {
    match written {
        Ok(()) => Ok(None),
        Err(StoreError::ConditionFailed { index, .. }) => Ok(Some(index)),
        Err(error) => Err(error),
    }
}

/// Whether the condition of a write held.
fn held(written: Result<(), StoreError>) -> Result<bool, StoreError> {
    broken_condition(written).map(|index| index.is_none())
}
