//! What a run of a monitor came of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

countersign_ids::prefixed_id! {
    /// One monitor.
    pub struct MonitorId("mon");
}

countersign_ids::prefixed_id! {
    /// What a monitor found new at one look.
    pub struct BatchId("batch");
}

/// What a run of a monitor came of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FromMonitor {
    /// The monitor.
    pub monitor: MonitorId,
    /// What it processes; its detection steps have this result and look for nothing themselves.
    pub batch: BatchId,
}
