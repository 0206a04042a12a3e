//! The turn of a schedule or trigger whose runs go one after the other: one occurrence has it until it is at its end. Nobody gives it back;
//! whoever asks next sees that its holder is at its end, and takes it over.

use countersign_run::{Occurrence, OccurrenceId};
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::occurrences::KEPT;
use crate::record::{self, StoredRecord};
use crate::{Answer, Catalog, Result, keys};

/// Who has the turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Turn {
    occurrence: OccurrenceId,
    /// Raised by every change.
    version: u64,
}

impl Catalog {
    /// Takes the turn of this occurrence's source. `false` while another occurrence that is not at its end has it. Whoever takes it
    /// for the same occurrence at the same moment has it too: what they begin is the same.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn take_turn<'a>(&'a self, of: &'a Occurrence) -> Answer<'a, bool> {
        Box::pin(async move {
            let held = self.turn(of).await?;
            let version = held.as_ref().map_or(0, |turn| turn.version);
            if let Some(Turn { occurrence, .. }) = &held {
                if *occurrence == of.id {
                    return Ok(true);
                }
                // Of one whose line has expired, the run ended long ago.
                let holder = self.occurrence(&of.owner, occurrence).await?;
                if holder.is_some_and(|holder| !holder.state.is_final()) {
                    return Ok(false);
                }
            }
            if self.put_turn(of, version).await? {
                return Ok(true);
            }
            // Somebody was faster: another occurrence, or another function with this one.
            self.holds_turn(of).await
        })
    }

    /// Whether an occurrence has the turn of its source.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub async fn holds_turn(&self, of: &Occurrence) -> Result<bool> {
        Ok(self.turn(of).await?.is_some_and(|turn| turn.occurrence == of.id))
    }

    async fn turn(&self, of: &Occurrence) -> Result<Option<Turn>> {
        record::one(&self.table, keys::turn(&of.source_id), "look whose turn it is").await
    }

    /// Gives an occurrence the turn, unless it has changed since this version was seen.
    async fn put_turn(&self, of: &Occurrence, seen: u64) -> Result<bool> {
        let doing = CatalogError::doing("take the turn of a schedule or trigger");
        let turn = Turn { occurrence: of.id.clone(), version: seen + 1 };
        let record = StoredRecord::of("turn", &turn, turn.version)?;
        let put = record.put_after(&keys::turn(&of.source_id), seen).map_err(doing)?;
        let put = put.expires_at(of.due_at.as_second() + KEPT);
        self.table.try_write(put).await.map_err(doing)
    }
}
