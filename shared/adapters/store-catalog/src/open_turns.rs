//! Open occurrences by turns: each look goes on where the last one stopped.
//!
//! What is due or waits has a list of its own beside the list of all, so that many runs that wait for people do not keep others
//! from beginning.

use countersign_identity::UserId;
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

/// Where the last look at them stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The next look reads what is behind this one in the list; none when the list was looked at to its end.
    pub after: Option<String>,
    /// How many of those that the last look read have had their turn.
    #[serde(default)]
    pub had: usize,
}

impl Catalog {
    /// Where the last look at them stopped: the next one goes on there.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn place_of_open(&self, which: Open) -> BoxFuture<'_, Result<Place>> {
        Box::pin(async move {
            let doing = CatalogError::doing("go on with open occurrences");
            let place: Option<Place> =
                record::get(&self.table, &which.place()).await.map_err(doing)?;
            Ok(place.unwrap_or_default())
        })
    }

    /// Has the next look go on here.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn set_place_of_open<'a>(
        &'a self,
        which: Open,
        place: &'a Place,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let doing = CatalogError::doing("note how far open occurrences were looked at");
            let record = StoredRecord::of("place of a look", place, 1)?;
            let put = record.put(&which.place()).map_err(doing)?;
            self.table.write(put).await.map_err(doing)
        })
    }

    /// Some of them behind this place, in the order of the list: those that wait owner by owner, the others by their ids. A page
    /// may have fewer than there are behind it, or none: its `next` says whether more follows, and where that begins.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn open_behind<'a>(
        &'a self,
        which: Open,
        after: Option<&'a str>,
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
            let low = after.map_or_else(|| "!".to_owned(), |after| format!("{after}!"));
            let query = query.between(&low, "~").limit(limit).after(next);
            let page = self.table.query(query).await.map_err(doing)?;
            let mut page: Page<OpenOccurrence> = record::page(&self.table, page).map_err(doing)?;
            page.items.retain(|open| open.is_waiting == (which == Open::Waiting));
            Ok(page)
        })
    }

    /// How many of an owner are due or wait, counted up to `many`. The index may be a moment behind.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn waiting_of<'a>(
        &'a self,
        owner: &'a UserId,
        many: usize,
    ) -> BoxFuture<'a, Result<usize>> {
        Box::pin(async move {
            let doing = CatalogError::doing("count what waits of an owner");
            let most = i32::try_from(many).unwrap_or(i32::MAX);
            let query = Query::index(keys::WAITING_OCCURRENCES).prefix(&keys::waiting_of(owner));
            Ok(self.table.query(query.limit(most)).await.map_err(doing)?.items.len())
        })
    }
}
