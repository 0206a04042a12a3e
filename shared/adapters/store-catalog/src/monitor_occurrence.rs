//! The line of a batch in the ledger of occurrences, where it changes by itself: the run was started, cannot be, or outlives its
//! monitor.

use countersign_identity::UserId;
use countersign_monitor::{Batch, State, begun, held_up};
use countersign_run::{Occurrence, OccurrenceId, OccurrenceReason, OccurrenceState, RunStatus};
use countersign_store_kit::{Expr, Op};
use jiff::Timestamp;

use crate::monitor_clocks::clock_write;
use crate::{Batched, CatalogError, Clock, MonitorStore, Result, keys, occurrences, record};

/// A run that goes on when its monitor is removed.
const REMOVED: (&str, &str) = ("MONITOR_REMOVED", "the monitor was removed");

impl MonitorStore {
    /// The writes that go with the one of a batch's run: that it has begun. Nothing of it is written when the batch has changed
    /// since it was read, nor can the batch be parked afterwards as one that has no run.
    ///
    /// # Errors
    /// [`CatalogError::TooLarge`] when the batch does not fit into an item.
    pub fn begun(&self, batched: &Batched, now: Timestamp) -> Result<Vec<Op>> {
        let version = batched.batch.version + 1;
        let batch = Batch { version, refusals: 0, refused_for: None, ..batched.batch.clone() };
        let occurrence = batched.occurrence.as_ref().map(|one| begun(one, &batch, now));
        let after = Batched { batch, occurrence, ..batched.clone() };
        let writes = after.writes_after(batched)?;
        Ok(writes.into_iter().map(|write| self.table.op(write)).collect())
    }

    /// Notes a tick that could not start the run of a batch, with the reason.
    ///
    /// # Errors
    /// [`CatalogError::Changed`] when the monitor has moved since `state` was read.
    pub async fn held_up(
        &self,
        batched: &Batched,
        reason: &OccurrenceReason,
        state: &State,
        clock: &Clock,
    ) -> Result<()> {
        let after = Batched {
            occurrence: batched
                .occurrence
                .as_ref()
                .map(|one| held_up(one, &reason.code, &reason.message)),
            ..batched.clone()
        };
        let mut writes = after.moved(batched, state)?;
        writes.extend(clock_write(Some(clock))?);
        self.apply(writes).await
    }

    /// Ends the open batch of a monitor that was removed, when no run of it goes on: nothing starts another one.
    ///
    /// # Errors
    /// As [`MonitorStore::held_up`].
    pub async fn abandon(&self, batched: &Batched, state: &State, now: Timestamp) -> Result<()> {
        let ended = |one: &Occurrence| {
            let state = match one.state {
                OccurrenceState::Due => OccurrenceState::Skipped,
                _ => OccurrenceState::Finished,
            };
            one.ended(state, REMOVED.0, REMOVED.1, now)
        };
        let occurrence = batched.occurrence.as_ref().map(ended);
        let after = Batched { occurrence, ..batched.clone() };
        let state = State { open: None, version: state.version + 1, ..state.clone() };
        self.apply(after.moved(batched, &state)?).await
    }

    /// Ends the occurrence of a run that outlived its monitor.
    pub(crate) async fn end_orphan(
        &self,
        owner: &UserId,
        id: &OccurrenceId,
        status: RunStatus,
        now: Timestamp,
    ) -> Result<()> {
        let doing = CatalogError::doing("note the end of a run");
        let key = keys::occurrence(owner, id);
        let known: Option<Occurrence> = record::get(&self.table, &key).await.map_err(doing)?;
        let Some(known) = known.filter(|one| !one.state.is_final()) else { return Ok(()) };
        let ended = known.ended(OccurrenceState::Finished, REMOVED.0, REMOVED.1, now);
        let ended = Occurrence { status: Some(status), ..ended };
        let seen = Expr::new("#version = :seen").bind("seen", &known.version).map_err(doing)?;
        let line = occurrences::put(&ended)?.when(seen);
        self.table.try_write(line).await.map(drop).map_err(doing)
    }
}
