//! What happened in a run.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ModelUse, RunStatus, StepStatus, StopReason, ToolCall};

/// How a gate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateOutcome {
    /// The right people signed.
    Approved,
    /// Somebody refused.
    Denied,
    /// The deadline passed.
    TimedOut,
    /// Nobody decided: the run ended, or the request was replaced or expired.
    Closed,
    /// Nobody was asked: the run skips its gates.
    NotAsked,
}

/// An effect that cannot be taken back is about to be sent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Sending {
    /// Which of the step's calls it is, from 1.
    pub call: u32,
    /// The receipt that allows it.
    pub receipt: String,
    /// The request that receipt closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
    /// Method, host and path, without the query: `POST api.bank.example/payments`.
    pub target: String,
    /// The idempotency key it carries: what to look for at the target. Empty for a step with several calls: each has its own.
    pub key: String,
    /// How many calls the step makes when it makes one for each item of a list; 0 for a step that makes one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub items: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// One event. Events of a step are keyed by (step, attempt, n) and commute; head events have no step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunEvent")]
pub struct Event {
    /// The step it is about; empty for events of the whole run.
    #[serde(default)]
    pub step: String,
    /// The execution it happened in.
    pub attempt: u32,
    /// Which event of the step in this attempt.
    pub n: u32,
    /// When.
    pub at: Timestamp,
    /// What.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schemars(rename = "RunEventKind")]
pub enum EventKind {
    /// The run was planned and sealed.
    Started {
        /// The seal.
        seal: String,
        /// How many steps it has.
        steps: u32,
    },
    /// Another execution took over.
    Resumed {
        /// What became of the one before.
        reason: String,
    },
    /// A step is about to send something. Written before it does, so from here on it may have happened.
    Sending(Sending),
    /// A tool that a model asked for in a step has answered, or was refused.
    ToolCalled(ToolCall),
    /// A tool or agent step is over.
    StepEnded {
        /// How.
        status: StepStatus,
        /// How many records came out, where that has a meaning.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u64>,
        /// The stable code of the error or reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        /// The message for people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// How long it took, milliseconds.
        #[serde(default)]
        took_ms: u64,
        /// The model that wrote the result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<ModelUse>,
    },
    /// A gate opened and people were asked.
    GateOpened {
        /// The approval request.
        approval: String,
    },
    /// A gate ended.
    GateClosed {
        /// The approval request.
        approval: String,
        /// How.
        verdict: GateOutcome,
    },
    /// Somebody asked for changes at a gate: steps before it are carried out again, and it asks anew.
    Revised {
        /// The approval request that was closed for it.
        approval: String,
        /// The steps that are carried out again.
        again: Vec<String>,
    },
    /// The run is to end early.
    Stopped {
        /// Why.
        reason: StopReason,
        /// For people.
        message: String,
    },
    /// The run is over.
    Finished {
        /// How.
        status: RunStatus,
    },
}
