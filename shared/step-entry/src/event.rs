//! What the state machine sends to a step, and what it gets back: ids and a status, never data.

use countersign_run::{RunId, StepStatus};
use countersign_store_runs::Outcome;
use serde::{Deserialize, Serialize};

/// The event of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepEvent {
    /// The run.
    pub run: RunId,
    /// The step's name in the plan.
    pub step: String,
    /// The execution: 1, 2, …
    pub attempt: u32,
    /// The seal the execution was started with.
    pub seal: String,
}

/// The answer of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope {
    /// What became of it.
    pub status: StepStatus,
    /// How many records came out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

impl From<&Outcome> for Envelope {
    fn from(outcome: &Outcome) -> Self {
        Self { status: outcome.status, count: outcome.count }
    }
}
