//! Open occurrences by turns: each look goes on where the last one stopped.
//!
//! What is due or waits has a list of its own beside the list of all, so that many runs that wait for people do not keep others
//! from beginning.

use countersign_run::OccurrenceId;
use countersign_store_kit::{Key, Page, Query};
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::record::StoredRecord;
use crate::{Catalog, OpenOccurrence, Result, keys, record};

/// Which open occurrences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Open {
    /// Those that are due, or wait for the run before them.
    Waiting,
    /// The others: their runs have begun. Marks of earlier releases do not say whether they have; these are among them.
    Begun,
}

impl Open {
    fn place(self) -> Key {
        let which = match self {
            Self::Waiting => "WAITING",
            Self::Begun => "BEGUN",
        };
        Key::new(keys::OPEN_TURNS, which)
    }
}

/// The occurrence that was looked at last; none when the last look came to the end.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    after: Option<OccurrenceId>,
}

impl Catalog {
    /// The last one of them that was looked at: the next look begins behind it.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn place_of_open(&self, which: Open) -> BoxFuture<'_, Result<Option<OccurrenceId>>> {
        Box::pin(async move {
            let doing = CatalogError::doing("go on with open occurrences");
            let place: Option<Place> =
                record::get(&self.table, &which.place()).await.map_err(doing)?;
            Ok(place.and_then(|place| place.after))
        })
    }

    /// Has the next look begin behind this one, or at the beginning.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn set_place_of_open(
        &self,
        which: Open,
        after: Option<OccurrenceId>,
    ) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let doing = CatalogError::doing("note how far open occurrences were looked at");
            let record = StoredRecord::of("place of a look", &Place { after }, 1)?;
            let put = record.put(&which.place()).map_err(doing)?;
            self.table.write(put).await.map_err(doing)
        })
    }

    /// Some of them behind this one, in the order of their ids. A page may have fewer than there are behind it, or none: its
    /// `next` says whether more follows, and where that begins.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn open_behind<'a>(
        &'a self,
        which: Open,
        after: Option<&'a OccurrenceId>,
        limit: i32,
        next: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Page<OpenOccurrence>>> {
        Box::pin(async move {
            let doing = CatalogError::doing("list open occurrences");
            let query = match which {
                Open::Waiting => Query::index(keys::WAITING_OCCURRENCES),
                Open::Begun => Query::partition(keys::OPEN_OCCURRENCES).consistent(),
            };
            // No id has a character before `-`.
            let low = after.map_or_else(|| "!".to_owned(), |id| format!("{id}!"));
            let query = query.between(&low, "~").limit(limit).after(next);
            let page = self.table.query(query).await.map_err(doing)?;
            let mut page: Page<OpenOccurrence> = record::page(&self.table, page).map_err(doing)?;
            page.items.retain(|open| open.is_waiting == (which == Open::Waiting));
            Ok(page)
        })
    }
}
