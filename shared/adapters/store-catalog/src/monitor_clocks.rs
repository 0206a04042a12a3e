//! Clocks of monitors: when somebody else is to tick one whose own schedule has not.

use countersign_identity::UserId;
use countersign_monitor::MonitorId;
use countersign_store_kit::{Expr, Item, Page, StoreError, Write};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;
use crate::{Answer, MonitorStore, Result, keys, record};

/// When somebody else is to tick a monitor whose own clock has not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    /// Whose.
    pub owner: UserId,
    /// The monitor.
    pub monitor: MonitorId,
    /// Since when it is overdue.
    pub overdue_at: Timestamp,
}

impl Clock {
    pub(crate) fn put(&self) -> std::result::Result<Write, StoreError> {
        let put = Write::put(&keys::monitor_clock(&self.monitor), self)?;
        Ok(put.indexed(&keys::clocks(&self.monitor), &self.place()))
    }

    /// Where the index has it.
    fn place(&self) -> String {
        format!("{}#{}", self.overdue_at, self.monitor)
    }
}

impl MonitorStore {
    /// The first clocks that are overdue.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub async fn overdue(&self, now: Timestamp, most: i32) -> Result<Vec<Clock>> {
        let doing = CatalogError::doing("look for overdue monitors");
        let (table, until) = (&self.table, now.to_string());
        let read = |page: Page<Item>| page.decode::<Clock>(table.name());
        let by_time = (read, |clock: &Clock| clock.overdue_at);
        let clocks = record::first_until(table, keys::all_clocks(), &until, most, by_time);
        clocks.await.map_err(doing)
    }

    /// Puts an overdue clock behind the others: whoever is overdue for ever must not keep them waiting. `false` when the monitor
    /// has ticked since.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn put_off(&self, clock: &Clock, to: Timestamp) -> Answer<'_, bool> {
        let seen = Expr::new("#GSI1SK = :at").bind("at", &clock.place());
        let later = Clock { overdue_at: to, ..clock.clone() }.put();
        Box::pin(async move {
            let doing = CatalogError::doing("put a clock off");
            let later = later.map_err(doing)?.when(seen.map_err(doing)?);
            self.table.try_write(later).await.map_err(doing)
        })
    }

    /// Says when a monitor is overdue.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn set_clock<'a>(&'a self, clock: &'a Clock) -> Answer<'a, ()> {
        Box::pin(async move {
            let doing = CatalogError::doing("set the clock of the monitor");
            self.table.write(clock.put().map_err(doing)?).await.map_err(doing)
        })
    }

    /// A monitor that does not look, or is gone, is never overdue.
    ///
    /// # Errors
    /// [`CatalogError::Store`] when the table does not answer.
    pub fn stop_clock(&self, monitor: &MonitorId) -> Answer<'_, ()> {
        record::remove(&self.table, &keys::monitor_clock(monitor), "stop the clock of the monitor")
    }
}

pub(crate) fn clock_write(clock: Option<&Clock>) -> Result<Option<Write>> {
    let put = clock.map(Clock::put).transpose();
    put.map_err(CatalogError::doing("set the clock of the monitor"))
}
