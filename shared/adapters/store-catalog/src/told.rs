//! When an owner was told last that something of theirs does not work: of one condition they are told once, and at most once a day.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::occurrences::KEPT;
use crate::record::{self, StoredRecord};
use crate::{Answer, Catalog, keys};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Told {
    at: Timestamp,
}

impl Catalog {
    /// When the owner of a source was told last of a trouble of this kind.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn told(&self, source: &str, kind: &str) -> Answer<'_, Option<Timestamp>> {
        let doing = "look up when somebody was told";
        record::one_as(&self.table, keys::told(source, kind), doing, |told: Told| told.at)
    }

    /// Notes that the owner has been told; the later time stays.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn note_told(&self, source: &str, kind: &str, at: Timestamp) -> Answer<'_, ()> {
        let key = keys::told(source, kind);
        Box::pin(async move {
            let doing = CatalogError::doing("note that somebody was told");
            // Its version is the second: the later one stays.
            let second = u64::try_from(at.as_second()).unwrap_or_default();
            let record = StoredRecord::of("time of a notice", &Told { at }, second)?;
            let put = record.put_later(&key).map_err(doing)?.expires_at(at.as_second() + KEPT);
            self.table.try_write(put).await.map(drop).map_err(doing)
        })
    }
}
