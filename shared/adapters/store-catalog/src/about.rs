//! What a person says of themselves.

use countersign_identity::UserId;
use countersign_question::AboutPerson;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Answer, Catalog, keys, record};

/// What a person has said of themselves, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    pub fn about<'a>(&'a self, owner: &UserId) -> Answer<'a, Option<StoredAbout>> {
        record::one(&self.table, keys::about(owner), "read what a person says of themselves")
    }

    /// Keeps what a person says of themselves, in place of what they said before.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn set_about(&self, said: &StoredAbout) -> Answer<'_, ()> {
        let (key, doing) = (keys::about(&said.user_id), "keep what a person says of themselves");
        record::keep(&self.table, &key, ("memory", said), doing)
    }

    /// Erases what a person says of themselves.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn forget_about(&self, owner: &UserId) -> Answer<'_, ()> {
        record::remove(&self.table, &keys::about(owner), "erase what a person says of themselves")
    }
}
