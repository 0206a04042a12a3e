//! What a model is asked and answers, whichever provider has it.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The rules of the conversation.
    System,
    /// Whoever asks.
    User,
    /// The model.
    Assistant,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
}

impl Message {
    /// A message.
    #[must_use]
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into() }
    }
}

/// One turn.
#[derive(Debug, Clone, Copy)]
pub struct ChatRequest<'r> {
    /// The conversation so far.
    pub messages: &'r [Message],
    /// JSON Schema of the answer.
    pub schema: &'r Value,
    /// Whether the provider may hold the model to the schema: every part of it is declared.
    pub is_strict: bool,
    /// The longest answer, tokens.
    pub max_tokens: u32,
    /// How long the turn may take, with all its tries.
    pub timeout: Duration,
}

/// What the model said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Its words, as they came.
    pub text: String,
    /// Tokens of the request, when the provider says.
    pub input_tokens: Option<u64>,
    /// Tokens of the answer, when the provider says.
    pub output_tokens: Option<u64>,
}
