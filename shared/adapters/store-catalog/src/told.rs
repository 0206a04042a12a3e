//! When an owner was told last that something of theirs does not work: of one condition they are told once, and at most once a day.

use countersign_store_kit::Expr;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::occurrences::KEPT;
use crate::record::{self, StoredRecord};
use crate::schedules::moved;
use crate::{Catalog, Result, keys};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Told {
    at: Timestamp,
}

impl Catalog {
    /// When the owner of a source was told last of a trouble of this kind.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn told<'a>(
        &'a self,
        source: &'a str,
        kind: &'a str,
    ) -> BoxFuture<'a, Result<Option<Timestamp>>> {
        Box::pin(async move {
            let doing = CatalogError::doing("look up when somebody was told");
            let told: Option<Told> =
                record::get(&self.table, &keys::told(source, kind)).await.map_err(doing)?;
            Ok(told.map(|told| told.at))
        })
    }

    /// Notes that the owner has been told; the later time stays.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn note_told<'a>(
        &'a self,
        source: &'a str,
        kind: &'a str,
        at: Timestamp,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let doing = CatalogError::doing("note that somebody was told");
            // Its version is the second: the later one stays.
            let second = u64::try_from(at.as_second()).unwrap_or_default();
            let record = StoredRecord::of("time of a notice", &Told { at }, second)?;
            let put = record.put(&keys::told(source, kind)).map_err(doing)?;
            let later =
                Expr::new("attribute_not_exists(#PK) OR #version < :at").bind("at", &second);
            let put = put.expires_at(at.as_second() + KEPT).when(later.map_err(doing)?);
            moved(self.table.write(put).await).map(drop).map_err(doing)
        })
    }
}
