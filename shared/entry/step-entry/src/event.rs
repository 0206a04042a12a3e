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

/// What a tool Lambda answers the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// The step is over.
    Over(Envelope),
    /// It has calls left and no time: invoke it again.
    More(More),
}

/// `{"status": "more"}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename = "more")]
pub struct More {}

impl From<Envelope> for Answer {
    fn from(envelope: Envelope) -> Self {
        Self::Over(envelope)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_machine_reads_the_status_of_every_answer() {
        assert_eq!(json!(Answer::More(More {})), json!({ "status": "more" }));
        let over = Answer::from(Envelope { status: StepStatus::Done, count: Some(3) });
        assert_eq!(json!(over), json!({ "status": "done", "count": 3 }));
    }
}
