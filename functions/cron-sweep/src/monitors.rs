//! Monitors that their own clock has not ticked (F-210).

use std::time::Instant;

use countersign_failure::Failure as _;
use countersign_lambda_entry::Fault;
use countersign_monitor::{MAX_TICKED, TICKED_AGAIN};
use countersign_states::{Once, Schedules};
use countersign_store_catalog::{Clock, MonitorStore};
use futures::future::{BoxFuture, join_all};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::SweepTask;

/// Monitors whose schedule is gone, was never set, or does not come.
pub struct Monitors {
    /// Where monitors stand.
    pub store: MonitorStore,
    /// What calls the function that ticks one.
    pub schedules: Schedules,
}

impl SweepTask for Monitors {
    fn name(&self) -> &'static str {
        "monitors"
    }

    fn run(&self, now: Timestamp, _: Instant) -> BoxFuture<'_, Result<Value, Fault>> {
        Box::pin(async move {
            let limit = i32::try_from(MAX_TICKED + 1).unwrap_or(i32::MAX);
            let overdue = self.store.overdue(now, limit).await?;
            let all = overdue.len();
            let ticks = overdue.iter().take(MAX_TICKED).map(|clock| self.tick(clock, now));
            let ticked = join_all(ticks).await;
            let failed = ticked.iter().filter(|ticked| !**ticked).count();
            let (ticked, left) = (ticked.len() - failed, all.saturating_sub(MAX_TICKED));
            Ok(json!({ "overdue": all, "ticked": ticked, "failed": failed, "left": left }))
        })
    }
}

impl Monitors {
    /// Has a monitor ticked, after all others the next time; whether that could be asked for.
    async fn tick(&self, clock: &Clock, now: Timestamp) -> bool {
        let later = now.checked_add(TICKED_AGAIN).unwrap_or(now);
        match self.store.put_off(clock, later).await {
            Ok(true) => {}
            // It has ticked in between.
            Ok(false) => return true,
            Err(error) => {
                tracing::error!(monitor = %clock.monitor, code = error.code(), "an overdue monitor could not be put off");
                return false;
            }
        }
        let set = self.schedules.set(&call(clock, now)).await;
        if let Err(error) = &set {
            tracing::error!(monitor = %clock.monitor, code = error.code(), "an overdue monitor could not be ticked");
        }
        set.is_ok()
    }
}

/// A tick at once. Its name is that of the minute: another sweep does not move it.
fn call(clock: &Clock, now: Timestamp) -> Once {
    Once {
        name: format!("{}-{}", clock.monitor, now.as_second() / 60),
        at: now,
        event: json!({ "owner": clock.owner, "monitor": clock.monitor }),
    }
}
