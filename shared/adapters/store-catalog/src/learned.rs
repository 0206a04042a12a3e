//! What was learned of a person from what they asked.

use countersign_identity::UserId;
use countersign_question::{Finding, Learned, LearnedFrom};
use countersign_store_kit::StoreError;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::record::{self, StoredRecord};
use crate::{Answer, Catalog, Result, keys};

/// How often it is tried when other runs of the person end at the same time.
const MAX_TRIES: usize = 4;
/// How long it is kept after something was learned last, seconds: a year.
const KEPT: i64 = 365 * 24 * 3_600;

/// What was learned, as it is stored. What was erased leaves the time behind: nothing of an earlier question is learned any more.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct StoredLearned {
    learned: Learned,
    /// Raised by every change.
    version: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    erased_at: Option<Timestamp>,
}

impl Catalog {
    /// What was learned of a person.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub async fn learned(&self, owner: &UserId) -> Result<Learned> {
        Ok(self.stored_learned(owner).await?.learned)
    }

    async fn stored_learned(&self, owner: &UserId) -> Result<StoredLearned> {
        let doing = "read what was learned of a person";
        Ok(record::one(&self.table, keys::learned(owner), doing).await?.unwrap_or_default())
    }

    /// Adds what a model has found in a question. Adding it again changes nothing.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer, or too many write at once.
    pub fn learn<'a>(
        &'a self,
        owner: &'a UserId,
        found: &'a Finding<'a>,
        from: &'a LearnedFrom,
        now: Timestamp,
    ) -> Answer<'a, ()> {
        let change = move |mut stored: StoredLearned| {
            let is_erased = stored.erased_at.is_some_and(|erased| from.at <= erased);
            (!is_erased && stored.learned.add(found, from)).then_some(stored)
        };
        Box::pin(self.change_learned(owner, change, now))
    }

    /// Erases what was learned of a person.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer, or too many write at once.
    pub fn forget_learned<'a>(&'a self, owner: &'a UserId, now: Timestamp) -> Answer<'a, ()> {
        let change = move |stored: StoredLearned| {
            let erased_at = Some(now);
            Some(StoredLearned { learned: Learned::default(), erased_at, ..stored })
        };
        Box::pin(self.change_learned(owner, change, now))
    }

    async fn change_learned(
        &self,
        owner: &UserId,
        change: impl Fn(StoredLearned) -> Option<StoredLearned>,
        now: Timestamp,
    ) -> Result<()> {
        let doing = || CatalogError::doing("change what was learned of a person");
        for _ in 0..MAX_TRIES {
            let stored = self.stored_learned(owner).await?;
            let seen = stored.version;
            let Some(next) = change(stored) else { return Ok(()) };
            let next = StoredLearned { version: seen + 1, ..next };
            let record = StoredRecord::of("memory", &next, next.version)?;
            let put = record.put_after(&keys::learned(owner), seen).map_err(doing())?;
            let put = put.expires_at(now.as_second() + KEPT);
            if self.table.try_write(put).await.map_err(doing())? {
                return Ok(());
            }
        }
        let reason = "others write it at the same time".to_owned();
        Err(doing()(StoreError::Unavailable { table: self.table.name().to_owned(), reason }))
    }
}
