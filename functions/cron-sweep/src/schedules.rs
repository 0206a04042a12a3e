//! Schedules that are overdue, and what they have started (P-003).

use std::time::Instant;

use countersign_clock::Clock;
use countersign_lambda_entry::Fault;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::SweepTask;

/// Due times that no tick has started, and occurrences that are not at their end.
pub struct Schedules(pub Clock);

impl SweepTask for Schedules {
    fn name(&self) -> &'static str {
        "schedules"
    }

    fn run(&self, now: Timestamp, until: Instant) -> BoxFuture<'_, Result<Value, Fault>> {
        Box::pin(async move { Ok(json!(self.0.sweep(now, until).await?)) })
    }
}
