//! Native schedules that are still to be set or removed. A mark is written together with the document, and goes once the service
//! has done it: whatever breaks off in between is made up for by the sweeper.

use countersign_identity::UserId;
use countersign_store_kit::{Expr, Query, Write};
use futures::TryFutureExt as _;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::record;
use crate::stored::{Spec, Stored};
use crate::{Answer, Catalog, Result, keys};

/// The native schedule of a document, which may differ from what the document says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeMark {
    /// Whose.
    pub owner: UserId,
    /// The id of a schedule or a monitor.
    pub id: String,
    /// The version of the document that says how it is to be; one more than the last of a document that was removed.
    pub version: u64,
    /// When it was written, or tried last.
    pub at: Timestamp,
}

impl NativeMark {
    /// The mark of a document that was written; none of what the deployment ships.
    #[must_use]
    pub fn of<S: Spec>(document: &Stored<S>) -> Option<Self> {
        let (owner, id) = (document.user_id.clone()?, document.id.to_string());
        Some(Self { owner, id, version: document.version, at: document.updated_at })
    }

    /// The mark of a document that was removed.
    #[must_use]
    pub fn of_removed<S: Spec>(document: &Stored<S>) -> Option<Self> {
        Self::of(document).map(|mark| Self { version: mark.version + 1, ..mark })
    }

    /// The mark of a change.
    pub(crate) fn written<S: Spec>(
        before: Option<&Stored<S>>,
        after: Option<&Stored<S>>,
    ) -> Result<Option<Write>> {
        let mark = after.and_then(Self::of).or_else(|| before.and_then(Self::of_removed));
        mark.as_ref().map(Self::put).transpose()
    }

    fn put(&self) -> Result<Write> {
        let key = keys::native(&self.owner, &self.id);
        let mark = ("mark of a native schedule", self, self.version);
        let put = record::put(&key, mark, "note that a native schedule is to be set")?;
        Ok(put.indexed(keys::NATIVE, &format!("{}#{}", self.at, self.id)))
    }

    fn unchanged(&self) -> Result<Expr> {
        let seen = Expr::new("#version = :seen").bind("seen", &self.version);
        seen.map_err(CatalogError::doing("change the mark of a native schedule"))
    }
}

impl Catalog {
    /// Notes that the service has what the document says. Nothing happens when the document has changed since.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn native_done<'a>(&'a self, mark: &'a NativeMark) -> Answer<'a, bool> {
        Box::pin(async move {
            let gone = Write::delete(&keys::native(&mark.owner, &mark.id)).when(mark.unchanged()?);
            let doing = CatalogError::doing("note that a native schedule is set");
            self.table.try_write(gone).await.map_err(doing)
        })
    }

    /// Notes that a try failed: the others come first.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn native_failed<'a>(&'a self, mark: &'a NativeMark, at: Timestamp) -> Answer<'a, bool> {
        Box::pin(async move {
            let later = NativeMark { at, ..mark.clone() }.put()?.when(mark.unchanged()?);
            let doing = CatalogError::doing("put the mark of a native schedule off");
            self.table.try_write(later).await.map_err(doing)
        })
    }

    /// Native schedules that are still to be set or removed, noted or tried before this time; the oldest first.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn native_open(&self, before: Timestamp, most: i32) -> Answer<'_, Vec<NativeMark>> {
        let query = Query::index(keys::NATIVE).between("0", &before.to_string()).limit(most);
        let doing = "look for native schedules that are to be set";
        Box::pin(record::list(&self.table, query, doing).map_ok(|page| page.items))
    }
}
