//! The end of a monitor's run, written down: its batch is closed and the watermarks move, or it waits for its next try.

use countersign_monitor::{
    Batch, BatchOutcome, BatchState, MonitorId, SETTLE_TRIES, Settled, Watermark, fate, parked_by,
    settle,
};
use countersign_run::{FromMonitor, Head, Occurrence, RunStatus};
use countersign_store_kit::Window;
use jiff::Timestamp;

use crate::monitor_clocks::clock_write;
use crate::{
    Answer, Batched, CatalogError, Clock, MonitorProgress, MonitorStore, Result, keys, record,
};

/// So many batches are read at once where one is looked for by its id.
const PAGE: i32 = 100;

impl MonitorStore {
    /// Writes what the end of a monitor's run means, for its batch and its occurrence; where the batch stands then. None when it
    /// is not this run's any more, or the run is not of a monitor: everything here may be done again.
    ///
    /// # Errors
    /// [`CatalogError`] when the table does not answer, or others change the monitor again and again.
    pub async fn ended(
        &self,
        head: &Head,
        status: RunStatus,
        now: Timestamp,
    ) -> Result<Option<BatchState>> {
        let Some(from) = &head.from_monitor else { return Ok(None) };
        let mut tries = 1;
        loop {
            match self.try_to_end(from, head, status, now).await {
                Err(CatalogError::Changed(_)) if tries < SETTLE_TRIES => tries += 1,
                outcome => return outcome,
            }
        }
    }

    /// How many items the end of a monitor's run parks; none when it parks nothing. Asked before [`MonitorStore::ended`] writes it:
    /// whoever is told of it afterwards is not told when that was done already.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub async fn parks(
        &self,
        head: &Head,
        status: RunStatus,
        now: Timestamp,
    ) -> Result<Option<usize>> {
        let Some(from) = &head.from_monitor else { return Ok(None) };
        if matches!(fate(status), None | Some(BatchOutcome::Done)) {
            return Ok(None);
        }
        let state = self.standing(&from.monitor).await?.state;
        let Some(open) = state.open.as_ref().filter(|open| open.batch == from.batch) else {
            return Ok(None);
        };
        let batched = self.batch(&from.monitor, open.number).await?;
        let settled = batched.and_then(|it| settle(&it.batch, &state, &head.run, status, now));
        let parked = settled.filter(|settled| settled.batch.state == BatchState::Parked);
        Ok(parked.map(|settled| settled.batch.count))
    }

    /// Whether this run's end has parked its batch, as its occurrence says; of a run from before there was one, as the batch says.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn was_parked_by<'a>(&'a self, head: &'a Head, from: &'a FromMonitor) -> Answer<'a, bool> {
        Box::pin(async move {
            let run = &head.run;
            if let Some(id) = &head.occurrence {
                let key = keys::occurrence(&head.owner, id);
                let known: Option<Occurrence> =
                    record::one(&self.table, key, "read an occurrence").await?;
                return Ok(known.is_some_and(|known| parked_by(&known, run)));
            }
            let own = self.batch_of(from).await?;
            Ok(own.is_some_and(|batch| batch.run == *run && batch.state.is_parked()))
        })
    }

    /// The batch of a run, however many came after it; none where the monitor was removed.
    async fn batch_of(&self, from: &FromMonitor) -> Result<Option<Batch>> {
        let mut after = None;
        loop {
            let page = self.batches(&from.monitor, Window { limit: PAGE, after }).await?;
            let mut batches = page.items.into_iter().map(|one| one.batch);
            let own = batches.find(|batch| batch.id == from.batch);
            if own.is_some() || page.next.is_none() {
                return Ok(own);
            }
            after = page.next;
        }
    }

    /// Notes that the owner could not be told that this run's end has parked its batch: the next tick, which is due at once, has them
    /// told. Nothing where the batch is not parked, or the monitor was removed.
    ///
    /// # Errors
    /// As [`MonitorStore::ended`].
    pub async fn leave_untold(
        &self,
        head: &Head,
        from: &FromMonitor,
        now: Timestamp,
    ) -> Result<()> {
        let Some(own) = self.batch_of(from).await? else { return Ok(()) };
        let (owner, monitor) = (head.owner.clone(), from.monitor.clone());
        let clock = Clock { owner, monitor, overdue_at: now };
        let mut tries = 1;
        loop {
            match self.try_to_leave_untold(&own, &clock, now).await {
                Err(CatalogError::Changed(_)) if tries < SETTLE_TRIES => tries += 1,
                outcome => return outcome,
            }
        }
    }

    async fn try_to_leave_untold(&self, of: &Batch, clock: &Clock, now: Timestamp) -> Result<()> {
        let state = self.standing(&of.monitor_id).await?.state;
        let known = self.batch(&of.monitor_id, of.number).await?;
        let is_own = |known: &Batched| known.batch.id == of.id && known.batch.state.is_parked();
        let Some(known) = known.filter(is_own).filter(|_| state.version > 0) else { return Ok(()) };
        let after = Batched { batch: known.batch.untold(), ..known.clone() };
        let mut writes = after.moved(&known, &state.untold(of.number, now))?;
        writes.extend(clock_write(Some(clock))?);
        self.apply(writes).await
    }

    async fn try_to_end(
        &self,
        from: &FromMonitor,
        head: &Head,
        status: RunStatus,
        now: Timestamp,
    ) -> Result<Option<BatchState>> {
        let standing = self.standing(&from.monitor).await?;
        // Nothing is stored of a monitor that was removed.
        if let (0, Some(occurrence)) = (standing.state.version, &head.occurrence) {
            self.end_orphan(&head.owner, occurrence, status, now).await?;
            return Ok(None);
        }
        let open = standing.state.open.as_ref().filter(|open| open.batch == from.batch);
        let Some(open) = open else { return Ok(None) };
        let Some(batched) = self.batch(&from.monitor, open.number).await? else {
            // The monitor was removed, and what is left of it is being forgotten.
            if let Some(occurrence) = &head.occurrence {
                self.end_orphan(&head.owner, occurrence, status, now).await?;
            }
            return Ok(None);
        };
        let Some(mut settled) = settle(&batched.batch, &standing.state, &head.run, status, now)
        else {
            return Ok(None);
        };
        let moved = self.moved_by(&batched, &mut settled, &standing, now).await?;
        self.settle(&batched, &settled, &moved, None).await?;
        Ok(Some(settled.batch.state))
    }

    /// Notes that the run of a batch was refused, with the reason: it is tried again, or its items are parked and the watermarks
    /// move.
    ///
    /// # Errors
    /// [`CatalogError::Changed`] when the monitor has moved since the state was read that this follows from.
    pub async fn refused(
        &self,
        batched: &Batched,
        settled: &Settled,
        clock: &Clock,
        now: Timestamp,
    ) -> Result<()> {
        let mut settled = settled.clone();
        let standing = self.standing(&settled.batch.monitor_id).await?;
        let moved = self.moved_by(batched, &mut settled, &standing, now).await?;
        self.settle(batched, &settled, &moved, Some(clock)).await
    }

    /// The watermarks that move when a batch is closed.
    async fn moved_by(
        &self,
        batched: &Batched,
        settled: &mut Settled,
        standing: &MonitorProgress,
        now: Timestamp,
    ) -> Result<Vec<Watermark>> {
        let mut moved = Vec::new();
        if !settled.moves {
            return Ok(moved);
        }
        for (step, position) in self.content(batched).await?.proposed {
            let mark = standing.marks.get(&step).cloned();
            let mark = mark.unwrap_or_else(|| Watermark::new(&step));
            // Whoever reset it in between wants to see everything again.
            if batched.batch.previous.get(&step).copied().unwrap_or_default() == mark.version {
                moved.push(mark.moved(position, now));
            }
        }
        settled.batch.has_moved = !moved.is_empty();
        Ok(moved)
    }

    /// Sets the watermarks of these steps back: what is there counts as new at the next look (F-215).
    ///
    /// # Errors
    /// As [`MonitorStore::ended`].
    pub fn reset<'a>(
        &'a self,
        monitor: &'a MonitorId,
        steps: &'a [String],
        now: Timestamp,
    ) -> Answer<'a, Vec<Watermark>> {
        Box::pin(async move {
            let mut tries = 1;
            loop {
                let standing = self.standing(monitor).await?;
                let mark = |step: &String| {
                    let mark = standing.marks.get(step).cloned();
                    mark.unwrap_or_else(|| Watermark::new(step)).reset(now)
                };
                let marks: Vec<Watermark> = steps.iter().map(mark).collect();
                let mut state = standing.state.clone();
                state.version += 1;
                match self.note(monitor, &state, &marks, None).await {
                    Err(CatalogError::Changed(_)) if tries < SETTLE_TRIES => tries += 1,
                    outcome => return outcome.map(|()| marks),
                }
            }
        })
    }
}
