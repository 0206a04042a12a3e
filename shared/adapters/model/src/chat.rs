//! What a model is asked and answers, whichever provider has it.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::error::ModelError;

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
    /// How freely the model chooses its words; left out, as its provider does.
    pub temperature: Option<f64>,
    /// The longest answer, tokens.
    pub max_tokens: u32,
    /// How long the turn may take, with all its tries.
    pub timeout: Duration,
}

/// What a turn used, as far as anybody can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// Nothing: no request was carried out.
    Nothing,
    /// What the provider says, tokens.
    Said {
        /// Of the request.
        input: u64,
        /// Of the answer.
        output: u64,
    },
    /// The request may have been carried out, and the provider does not say what it used.
    Unknown,
}

impl Usage {
    /// What the provider says; unknown unless it says both.
    pub(crate) fn said(input: Option<u64>, output: Option<u64>) -> Self {
        match (input, output) {
            (Some(input), Some(output)) => Self::Said { input, output },
            _ => Self::Unknown,
        }
    }
}

/// What came of a turn. An answer that cannot be used has been paid for too.
#[derive(Debug)]
pub struct Turn {
    /// The model's words, as they came.
    pub reply: Result<String, ModelError>,
    /// What it used.
    pub usage: Usage,
    /// How many requests were sent.
    pub requests: u32,
}
