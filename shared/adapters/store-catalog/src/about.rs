//! What a person says of themselves.

use countersign_identity::UserId;
use countersign_question::AboutPerson;
use countersign_store_kit::Write;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::record::{self, StoredRecord};
use crate::{Catalog, Result, keys};

/// What a person has said of themselves, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredAbout {
    /// Whose.
    pub user_id: UserId,
    /// What they say.
    #[serde(flatten)]
    pub about: AboutPerson,
    /// When they wrote it.
    pub updated_at: Timestamp,
}

impl Catalog {
    /// What a person says of themselves, if anything.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn about<'a>(&'a self, owner: &UserId) -> BoxFuture<'a, Result<Option<StoredAbout>>> {
        record::one(&self.table, keys::about(owner), "read what a person says of themselves")
    }

    /// Keeps what a person says of themselves, in place of what they said before.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn set_about<'a>(&'a self, said: &'a StoredAbout) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let doing = CatalogError::doing("keep what a person says of themselves");
            let record = StoredRecord::of("memory", said, 1)?;
            let put = record.put(&keys::about(&said.user_id)).map_err(doing)?;
            self.table.write(put).await.map_err(doing)
        })
    }

    /// Erases what a person says of themselves.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn forget_about<'a>(&'a self, owner: &'a UserId) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let doing = CatalogError::doing("erase what a person says of themselves");
            self.table.write(Write::delete(&keys::about(owner))).await.map_err(doing)
        })
    }
}
