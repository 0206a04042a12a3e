//! What a run gives back when it is over.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{FoundPage, ToolCall};

/// The answer of a run (F-020, F-035): a text, and where results went.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RunResponse")]
pub struct Response {
    /// `markdown`, `json`, `csv` or `structured`.
    pub format: String,
    /// The text; none when it could not be made or is too large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Its length in bytes, whether it is here or not.
    pub bytes: u64,
    /// Why it is not here, or what it leaves out, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// What gates held back, and what failed and a model went on without, in the order of the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<Blocked>,
    /// The pages of the web that the answer names and that models of the run found or read, with an excerpt of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<FoundPage>,
    /// How sure specialists say that they are of what they found, of each that says it. Nothing is decided by it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confidence: Vec<Confidence>,
    /// What every `route_output` step and the end of the run wrote, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<RoutedOutput>,
    /// The digests of the agent's destinations as they were at the end of the run, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agent_destinations: Vec<String>,
    /// How many entities the run resolved.
    pub entities: u64,
    /// How many of them the knowledge graph did not have.
    pub new_entities: u64,
    /// How many relationships between entities the knowledge graph did not have.
    #[serde(default)]
    pub new_relationships: u64,
}

/// How sure a specialist says that it is of what it found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ResultConfidence")]
pub struct Confidence {
    /// Its step.
    pub step: String,
    /// From 0 to 1.
    pub confidence_score: f64,
}

/// Characters of an error's message that a sentence about it has.
const MAX_MESSAGE: usize = 500;

/// What was not done, as the agent that was to do it says so: a gate held it back, or it failed (R-027, R-065…R-067).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Blocked {
    /// The gate, the step that asks for itself, or the one that failed.
    pub step: String,
    /// Always false.
    pub task_done: bool,
    /// Why.
    pub error: BlockedError,
    /// The same for people, and what was held back.
    pub partial_data: BlockedData,
}

/// Why something was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum BlockedError {
    /// Somebody refused.
    #[serde(rename = "denied_by_user")]
    DeniedByUser,
    /// Nobody decided in time.
    #[serde(rename = "hitl_timeout")]
    HitlTimeout,
    /// Nobody was asked: the run skips its gates.
    #[serde(rename = "hitl_skipped_non_streaming")]
    HitlSkippedNonStreaming,
    /// It failed or took too long, and a model went on without its result.
    #[serde(rename = "step_failed")]
    StepFailed,
}

/// What is said of what was not done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockedData {
    /// A sentence or two.
    pub reason: String,
    /// The steps that were not done.
    pub steps: Vec<String>,
    /// Their actions, or of a call the endpoint: `gmail/reply_to_message`. Each once.
    pub tools: Vec<String>,
    /// The stable code of a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The calls that the model of a failed step had answers to by then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
}

/// What became of one destination.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoutedOutput {
    /// The step that wrote it; none for the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The kind: `document`, `chat`, …
    pub destination: String,
    /// `success`, `skipped` or `error`.
    pub status: String,
    /// Ids, names and sizes of what was written, or why it was skipped.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
    /// `code`, `message` and `help` of what went wrong; `retry` is where it can be tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
    /// Where the destination is written down; none for what nobody can try again by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<OutputOrigin>,
}

/// Where a destination of a run is written down, and its place there, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputOrigin {
    /// Among the destinations of the row's step.
    Step(usize),
    /// Among those of the agent's `output_config`.
    Profile(usize),
    /// Among those that the playbook's `save_to` stands for.
    SaveTo(usize),
}

impl RoutedOutput {
    /// Whether it could not be written.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.status == "error"
    }

    /// Of one that could not be written: `publish to document: FOLDER_NOT_FOUND there is no such folder`.
    #[must_use]
    pub fn sentence(&self) -> String {
        let step = self.step.as_deref().unwrap_or("the end of the run");
        let text = |name: &str| {
            let error = self.error.as_ref().and_then(|error| error.get(name));
            error.and_then(Value::as_str).unwrap_or_default()
        };
        let message: String = text("message").chars().take(MAX_MESSAGE).collect();
        format!("{step} to {}: {} {message}", self.destination, text("code"))
    }
}
