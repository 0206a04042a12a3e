//! How the last run of a source ended, and when one succeeded last: beside the ledger, of which only the newest lines are looked at.

use countersign_identity::UserId;
use countersign_run::{Occurrence, RunStatus};
use countersign_store_kit::Write;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::keys::{self, Owner};
use crate::record::{self, StoredRecord};
use crate::{Answer, Catalog, Result};

/// A run that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRun {
    /// When it was due.
    pub due_at: Timestamp,
    /// How it ended.
    pub status: RunStatus,
}

impl LastRun {
    /// The run of an occurrence that is over.
    #[must_use]
    pub fn of(occurrence: &Occurrence) -> Option<Self> {
        Some(Self { due_at: occurrence.due_at, status: occurrence.status? })
    }

    /// Whether it did what it was to do, or as much of it as could be done.
    #[must_use]
    pub fn is_success(&self) -> bool {
        matches!(self.status, RunStatus::Complete | RunStatus::Partial)
    }
}

/// Which of the runs of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Last {
    /// The one that was due last of those that are over.
    Finished,
    /// The same of those that succeeded.
    Success,
}

impl Last {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Finished => "LAST",
            Self::Success => "SUCCESS",
        }
    }
}

impl Catalog {
    /// Notes how the run of an occurrence ended. What was due before another run that is over changes nothing, so noting it twice
    /// is noting it once.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn note_last_run<'a>(&'a self, over: &'a Occurrence) -> Answer<'a, ()> {
        Box::pin(async move {
            let Some(run) = LastRun::of(over) else { return Ok(()) };
            self.note_last(over, Last::Finished, &run).await?;
            if run.is_success() {
                self.note_last(over, Last::Success, &run).await?;
            }
            Ok(())
        })
    }

    async fn note_last(&self, over: &Occurrence, which: Last, run: &LastRun) -> Result<()> {
        let doing = CatalogError::doing("note how the last run ended");
        // Its version is the second it was due: the later one stays.
        let due = u64::try_from(run.due_at.as_second()).unwrap_or_default();
        let record = StoredRecord::of("last run", run, due)?;
        let key = keys::last_run(Owner::User(&over.owner), &over.source_id, which);
        let put = record.put_later(&key).map_err(doing)?;
        self.table.try_write(put).await.map(drop).map_err(doing)
    }

    /// The last run of a source; none when there was none since releases note it.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn last_run(
        &self,
        owner: &UserId,
        source: &str,
        which: Last,
    ) -> Answer<'_, Option<LastRun>> {
        let key = keys::last_run(Owner::User(owner), source, which);
        record::one(&self.table, key, "read how the last run ended")
    }
}

/// What is deleted with a source.
pub(crate) fn forgotten(owner: Option<&UserId>, source: &str) -> [Write; 2] {
    let gone = |which| Write::delete(&keys::last_run(Owner::of(owner), source, which));
    [Last::Finished, Last::Success].map(gone)
}
