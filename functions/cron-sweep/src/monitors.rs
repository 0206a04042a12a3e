//! Monitors that their own clock has not ticked (F-210).

use countersign_lambda_entry::Fault;
use countersign_states::{Once, Schedules};
use countersign_store_catalog::{Clock, MonitorStore};
use futures::future::{BoxFuture, join_all};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::Chore;

/// How many monitors one sweep ticks; the others are still overdue in a minute.
const MAX_MONITORS: i32 = 100;

/// Monitors whose schedule is gone, was never set, or does not come.
pub struct Monitors {
    /// Where monitors stand.
    pub store: MonitorStore,
    /// What calls the function that ticks one.
    pub schedules: Schedules,
}

impl Chore for Monitors {
    fn name(&self) -> &'static str {
        "monitors"
    }

    fn run(&self, now: Timestamp) -> BoxFuture<'_, Result<Value, Fault>> {
        Box::pin(async move {
            let overdue = self.store.overdue(now, MAX_MONITORS).await?;
            let calls: Vec<Once> = overdue.iter().map(|clock| call(clock, now)).collect();
            let set = join_all(calls.iter().map(|once| self.schedules.set(once))).await;
            let failed = set.iter().filter(|outcome| outcome.is_err()).count();
            for error in set.into_iter().filter_map(Result::err) {
                tracing::error!(%error, "an overdue monitor could not be ticked");
            }
            Ok(
                json!({ "overdue": overdue.len(), "ticked": overdue.len() - failed, "failed": failed }),
            )
        })
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
