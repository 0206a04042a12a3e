//! Native schedules, once more after each change (F-217): whoever saved a schedule or a monitor may have failed to set its native
//! schedule, and of two changes at once the earlier one may have come to the service last.

use std::time::Instant;

use countersign_clock::{Schedule, native, native_of_monitor};
use countersign_failure::Failure as _;
use countersign_lambda_entry::Fault;
use countersign_monitor::{MonitorId, MonitorSpec};
use countersign_schedule::ScheduleId;
use countersign_states::{Recurring, Schedules};
use countersign_store_catalog::{Catalog, NativeMark, Stored};
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};

use crate::SweepTask;

/// Whoever saved the document has this long to set it.
const OWN_TIME: SignedDuration = SignedDuration::from_mins(1);

/// How many one sweep sets; one that fails again comes after the others.
const MAX_MARKS: i32 = 50;

/// Sets and removes native schedules.
pub struct SchedulerSync {
    /// The marks, and what the documents say.
    pub catalog: Catalog,
    /// Native schedules of schedules.
    pub schedules: Schedules,
    /// Native schedules of monitors.
    pub monitors: Schedules,
}

#[derive(Default, Serialize)]
struct Counts {
    repaired: usize,
    failed: usize,
}

impl SweepTask for SchedulerSync {
    fn name(&self) -> &'static str {
        "natives"
    }

    fn run(&self, now: Timestamp, until: Instant) -> BoxFuture<'_, Result<Value, Fault>> {
        Box::pin(async move {
            let before = now.checked_sub(OWN_TIME).unwrap_or(now);
            let mut counts = Counts::default();
            for mark in self.catalog.native_open(before, MAX_MARKS).await? {
                if Instant::now() >= until {
                    break;
                }
                // One that fails must not keep the others.
                if let Err(error) = self.repair(&mark).await {
                    counts.failed += 1;
                    let code = error.code();
                    tracing::error!(id = mark.id, code, "a native schedule could not be repaired");
                    if let Err(error) = self.catalog.native_failed(&mark, now).await {
                        let code = error.code();
                        tracing::error!(
                            id = mark.id,
                            code,
                            "a native schedule could not be put off"
                        );
                    }
                } else {
                    counts.repaired += 1;
                }
            }
            Ok(json!(counts))
        })
    }
}

impl SchedulerSync {
    /// Makes the native schedule what the document says now. Of a document that is gone there is none.
    async fn repair(&self, mark: &NativeMark) -> Result<(), Fault> {
        if let Ok(id) = ScheduleId::parse(&mark.id) {
            let found = self.catalog.collection::<Schedule>().own(&mark.owner, &id).await?;
            self.set(&self.schedules, mark, found.as_ref().and_then(native)).await?;
        } else if let Ok(id) = MonitorId::parse(&mark.id) {
            let monitors = self.catalog.collection::<Stored<MonitorSpec>>();
            let recurring = match monitors.own(&mark.owner, &id).await? {
                Some(monitor) => native_of_monitor(&self.catalog, &monitor).await?,
                None => None,
            };
            self.set(&self.monitors, mark, recurring).await?;
        }
        self.catalog.native_done(mark).await?;
        Ok(())
    }

    async fn set(
        &self,
        service: &Schedules,
        mark: &NativeMark,
        recurring: Option<Recurring>,
    ) -> Result<(), Fault> {
        match recurring {
            Some(recurring) => service.repeat(&recurring).await?,
            None => service.clear(&mark.id).await?,
        }
        Ok(())
    }
}
