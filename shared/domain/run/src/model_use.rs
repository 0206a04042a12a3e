//! What is kept of a model that wrote the result of a step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The model that wrote the result of a step, what it cost, and the hashes of what was said.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelUse {
    /// `extractive`, or provider and model, such as `openai/gpt-5-mini`.
    pub model_used: String,
    /// Tokens of what the model was asked, all turns together; 0 when the provider does not say.
    pub input_tokens: u64,
    /// Tokens of what it answered.
    pub output_tokens: u64,
    /// How often it was asked: 1, one more for each round of tools, and one more when its answer did not fit.
    pub turns: u32,
    /// How long it took, milliseconds.
    pub latency_ms: u64,
    /// SHA-256, hex, of the messages of the last turn, as JSON.
    pub prompt_sha256: String,
    /// SHA-256, hex, of the text of the last answer.
    pub answer_sha256: String,
}

/// What the sentence about each step that a model has answered says.
pub const WRITTEN_BY_A_MODEL: &str = "written by the model";

/// The built-in model, as it is recorded.
const BUILT_IN: &str = "extractive";

impl ModelUse {
    /// Whether it can be told what to change of what it has written: the built-in model only quotes.
    #[must_use]
    pub fn follows_instructions(&self) -> bool {
        self.model_used != BUILT_IN
    }

    /// The same, with the turns that were before.
    #[must_use]
    pub fn after(self, before: &[Self]) -> Self {
        before.iter().fold(self, |all, one| Self {
            input_tokens: all.input_tokens.saturating_add(one.input_tokens),
            output_tokens: all.output_tokens.saturating_add(one.output_tokens),
            turns: all.turns.saturating_add(one.turns),
            latency_ms: all.latency_ms.saturating_add(one.latency_ms),
            ..all
        })
    }

    /// What whoever relies on the result has to know.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("{WRITTEN_BY_A_MODEL} `{}`; nobody has checked it", self.model_used)
    }
}
