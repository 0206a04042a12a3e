//! The turn of a trigger whose runs go one after the other: one occurrence has it until it is at its end. Nobody gives it back;
//! whoever asks next sees that its holder is at its end, and takes it over.

use countersign_run::{Occurrence, OccurrenceId};
use countersign_store_kit::Expr;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::occurrences::KEPT;
use crate::record::{self, StoredRecord};
use crate::schedules::moved;
use crate::{Catalog, Result, keys};

/// Who has the turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Turn {
    occurrence: OccurrenceId,
    /// Raised by every change.
    version: u64,
}

impl Catalog {
    /// Takes the turn of this occurrence's source. `false` while another occurrence that is not at its end has it.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn take_turn<'a>(&'a self, of: &'a Occurrence) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move {
            let doing = CatalogError::doing("take the turn of a trigger");
            let key = keys::turn(&of.source_id);
            let held: Option<Turn> = record::get(&self.table, &key).await.map_err(doing)?;
            let version = held.as_ref().map_or(0, |turn| turn.version);
            if let Some(Turn { occurrence, .. }) = &held {
                if *occurrence == of.id {
                    return Ok(true);
                }
                let holder = self.occurrence(&of.owner, occurrence).await?;
                if holder.is_some_and(|holder| !holder.state.is_final()) {
                    return Ok(false);
                }
            }
            let turn = Turn { occurrence: of.id.clone(), version: version + 1 };
            let record = StoredRecord::of("turn", &turn, turn.version)?;
            let put = record.put(&key).map_err(doing)?;
            let put = put.expires_at(of.due_at.as_second() + KEPT);
            let put = match version {
                0 => put.if_absent(),
                seen => put.when(Expr::new("#version = :seen").bind("seen", &seen).map_err(doing)?),
            };
            moved(self.table.write(put).await).map_err(doing)
        })
    }
}
