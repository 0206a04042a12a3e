//! What most methods of the directory come to: a read, a page, or a write under a condition. `doing` is what an error says was tried.

use countersign_store_kit::{Key, Page, Query, StoreError, Write};
use serde::de::DeserializeOwned;

use crate::{Answer, Directory, DirectoryError};

/// What is to be written, unless it has no form that the table takes.
pub(crate) type Encoded<T> = Result<T, StoreError>;

impl Directory {
    /// Reads one record.
    pub(crate) fn one<T: DeserializeOwned + Send>(
        &self,
        key: Key,
        doing: &'static str,
    ) -> Answer<'_, Option<T>> {
        Box::pin(async move { self.table.get(&key).await.map_err(DirectoryError::doing(doing)) })
    }

    /// Reads a page of records.
    pub(crate) fn page<T: DeserializeOwned + Send>(
        &self,
        query: Query,
        doing: &'static str,
    ) -> Answer<'_, Page<T>> {
        Box::pin(async move { self.table.page(query).await.map_err(DirectoryError::doing(doing)) })
    }

    /// Removes what is under a key.
    pub(crate) fn remove(&self, key: Key, doing: &'static str) -> Answer<'_, ()> {
        Box::pin(async move {
            self.table.write(Write::delete(&key)).await.map_err(DirectoryError::doing(doing))
        })
    }

    /// Does a write if its condition holds; false when it does not.
    pub(crate) fn try_write(&self, write: Encoded<Write>, doing: &'static str) -> Answer<'_, bool> {
        Box::pin(async move {
            let doing = DirectoryError::doing(doing);
            self.table.try_write(write.map_err(&doing)?).await.map_err(doing)
        })
    }

    /// Does all writes if every condition holds; false when one does not.
    pub(crate) fn try_transact(
        &self,
        writes: Encoded<Vec<Write>>,
        doing: &'static str,
    ) -> Answer<'_, bool> {
        Box::pin(async move {
            let doing = DirectoryError::doing(doing);
            self.table.try_transact(writes.map_err(&doing)?).await.map_err(doing)
        })
    }
}
