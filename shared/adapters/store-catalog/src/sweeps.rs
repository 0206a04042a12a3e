//! When the sweeper has looked.

use countersign_schedule::Sweeps;
use countersign_store_kit::Key;

use crate::{Answer, Catalog, keys, record};

fn key() -> Key {
    Key::new(keys::OPEN_TURNS, "SWEEPS")
}

impl Catalog {
    /// When the sweeper has looked; none before its first look.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn sweeps(&self) -> Answer<'_, Option<Sweeps>> {
        record::one(&self.table, key(), "read when the sweeper looked")
    }

    /// Writes down when it has.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn note_sweeps(&self, sweeps: &Sweeps) -> Answer<'_, ()> {
        record::keep(&self.table, &key(), ("sweeps", sweeps), "note that the sweeper looked")
    }
}
