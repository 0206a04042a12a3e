//! Since when an occurrence that had its turn could not be begun.

use countersign_run::Occurrence;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::occurrences::KEPT;
use crate::record::{self, StoredRecord};
use crate::{Catalog, Result, keys};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Unbegun {
    since: Timestamp,
}

impl Catalog {
    /// When an occurrence could not be begun for the first time; that is now, unless it was noted before.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub async fn unbegun_since(&self, of: &Occurrence, now: Timestamp) -> Result<Timestamp> {
        let doing = CatalogError::doing("note since when an occurrence could not be begun");
        let key = keys::unbegun(&of.id);
        let record = StoredRecord::of("first try of an occurrence", &Unbegun { since: now }, 1)?;
        let put = record.put(&key).map_err(doing)?.if_absent();
        let put = put.expires_at(of.due_at.as_second() + KEPT);
        if self.table.try_write(put).await.map_err(doing)? {
            return Ok(now);
        }
        let known: Option<Unbegun> = record::get(&self.table, &key).await.map_err(doing)?;
        Ok(known.map_or(now, |known| known.since))
    }
}
