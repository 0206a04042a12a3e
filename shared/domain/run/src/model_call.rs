//! One turn with a model of a provider, as it is recorded.

use std::sync::{Mutex, PoisonError};

use countersign_identity::UserId;
use countersign_model_list::Cost;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How far a turn came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelCallStatus {
    /// The model is being asked, or the invocation that asked it ended without a word.
    Asked,
    /// It answered.
    Answered,
    /// There is no answer that can be used.
    Failed,
}

/// One turn, from before the model is asked. It holds no prompt and no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelCall {
    /// The step.
    pub step: String,
    /// 1, or 2 for the turn that repairs the first answer.
    pub turn: u32,
    /// Provider and model, such as `openai/gpt-5-mini`.
    pub model: String,
    /// How far it came.
    pub status: ModelCallStatus,
    /// The stable code of its error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// When the model was asked.
    pub asked_at: Timestamp,
    /// How long it took, with all tries, milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
    /// How many requests were sent.
    #[serde(default)]
    pub requests: u32,
    /// Tokens of what the model was shown, when the provider says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens of what it answered, when the provider says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// What the budgets count, tokens: until it has ended, the most that it could use.
    pub counted_tokens: u64,
    /// What they cost, when the price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_cost: Option<Cost>,
    /// SHA-256, hex, of the messages, as JSON.
    pub prompt_sha256: String,
    /// SHA-256, hex, of the text of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_sha256: Option<String>,
}

/// A turn that is over and not written as such: it is written with what came of it, in one transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCallEnd {
    /// The record as it was written when the turn began, with what was taken out of the budgets for it.
    pub reserved: ModelCall,
    /// How it ended, with what it used.
    pub ended: ModelCall,
    /// Whose budget of the day counts.
    pub who: UserId,
    /// When the step began that asked: the day that counts.
    pub at: Timestamp,
    /// Whether something of its answer was shown while it was written.
    pub is_shown: bool,
}

/// Where the end of a turn is left until it is written.
#[derive(Debug, Default)]
pub struct LeftEnd(Mutex<Option<ModelCallEnd>>);

impl LeftEnd {
    /// Leaves it there.
    pub fn put(&self, end: ModelCallEnd) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
    }

    /// Takes it, to write it.
    #[must_use]
    pub fn take(&self) -> Option<ModelCallEnd> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
