//! Open occurrences by turns: each look goes on where the last one stopped.
//!
//! What is due or waits has a list of its own beside the list of all, so that many runs that wait for people do not keep others
//! from beginning.

use countersign_identity::UserId;
use countersign_run::{OpenOccurrence, OpenPlace};
use countersign_store_kit::{Key, Page, Query};
use futures::TryFutureExt as _;

use crate::error::CatalogError;
use crate::{Answer, Catalog, keys, record};

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

impl Catalog {
    /// Where the last look at them stopped: the next one goes on there.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn place_of_open(&self, which: Open) -> Answer<'_, OpenPlace> {
        let place = record::one(&self.table, which.place(), "go on with open occurrences");
        Box::pin(place.map_ok(Option::unwrap_or_default))
    }

    /// Has the next look go on here.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn set_place_of_open(&self, which: Open, place: &OpenPlace) -> Answer<'_, ()> {
        let doing = "note how far open occurrences were looked at";
        record::keep(&self.table, &which.place(), ("place of a look", place), doing)
    }

    /// Some of them behind this place, in the order of the list: those that wait owner by owner, the others by their ids. A page
    /// may have fewer than there are behind it, or none: its `next` says whether more follows, and where that begins.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn open_behind(
        &self,
        which: Open,
        after: Option<&str>,
        limit: i32,
        next: Option<&str>,
    ) -> Answer<'_, Page<OpenOccurrence>> {
        let query = match which {
            Open::Waiting => Query::index(keys::WAITING_OCCURRENCES),
            Open::Begun => Query::partition(keys::OPEN_OCCURRENCES).consistent(),
        };
        // No id has a character before `-`.
        let low = after.map_or_else(|| "!".to_owned(), |after| format!("{after}!"));
        let query = query.between(&low, "~").limit(limit).after(next);
        let page = record::list(&self.table, query, "list open occurrences");
        Box::pin(page.map_ok(move |mut page: Page<OpenOccurrence>| {
            page.items.retain(|open| open.is_waiting == (which == Open::Waiting));
            page
        }))
    }

    /// How many of an owner are due or wait, counted up to `many`. The index may be a moment behind.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn waiting_of(&self, owner: &UserId, many: usize) -> Answer<'_, usize> {
        let most = i32::try_from(many).unwrap_or(i32::MAX);
        let query =
            Query::index(keys::WAITING_OCCURRENCES).prefix(&OpenOccurrence::waiting_of(owner));
        let waiting = self.table.query(query.limit(most)).map_ok(|page| page.items.len());
        Box::pin(waiting.map_err(CatalogError::doing("count what waits of an owner")))
    }
}
