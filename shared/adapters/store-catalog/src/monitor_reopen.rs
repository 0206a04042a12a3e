//! A parked batch that becomes the open one of its monitor again.

use countersign_monitor::{Batch, NotReopened, SETTLE_TRIES, asked_again};
use jiff::Timestamp;

use crate::monitor_clocks::clock_write;
use crate::{Answer, Batched, CatalogError, Clock, MonitorStore, Result};

impl MonitorStore {
    /// Opens a parked batch again; the batch as it is then. It is written at once with its occurrence, with the monitor's state and with
    /// a clock that is overdue at `now`: whoever dies behind this leaves the start of its run to the sweeper. Opening it twice is
    /// opening it once.
    ///
    /// # Errors
    /// [`CatalogError`] when the table does not answer, or others change the monitor again and again; [`NotReopened`] when it is
    /// not to be opened.
    pub fn reopen<'a>(
        &'a self,
        batched: &'a Batched,
        clock: &'a Clock,
        now: Timestamp,
    ) -> Answer<'a, std::result::Result<Batch, NotReopened>> {
        Box::pin(async move {
            let mut tries = 1;
            loop {
                match self.try_to_reopen(&batched.batch, clock, now).await {
                    Err(CatalogError::Changed(_)) if tries < SETTLE_TRIES => tries += 1,
                    outcome => return outcome,
                }
            }
        })
    }

    async fn try_to_reopen(
        &self,
        of: &Batch,
        clock: &Clock,
        now: Timestamp,
    ) -> Result<std::result::Result<Batch, NotReopened>> {
        let state = self.standing(&of.monitor_id).await?.state;
        let known = self.batch(&of.monitor_id, of.number).await?;
        let known = known.ok_or(CatalogError::NotFound("batch"))?;
        let (batch, state) = match known.batch.reopened(&state, now) {
            Ok(Some(changed)) => changed,
            Ok(None) => return Ok(Ok(known.batch)),
            Err(why) => return Ok(Err(why)),
        };
        let occurrence = known.occurrence.as_ref().map(|one| asked_again(one, now));
        let after = Batched { batch, occurrence, ..known.clone() };
        let mut writes = after.moved(&known, &state)?;
        writes.extend(clock_write(Some(clock))?);
        self.apply(writes).await?;
        Ok(Ok(after.batch))
    }
}
