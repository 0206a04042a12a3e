//! What a model is asked and answers, whichever provider has it.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

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
    /// A tool that the model asked for.
    Tool,
}

/// A tool that the model may ask for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolSpec {
    /// Its name: letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments: an object.
    pub schema: Value,
}

/// A tool that the model asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolUse {
    /// What names it in this conversation. What a provider calls it is not kept: nothing it says is more than a name.
    pub id: String,
    /// The tool's name, as the model wrote it.
    pub tool: String,
    /// The arguments: an object, or the text as it came when it is not one.
    pub arguments: Value,
}

impl ToolUse {
    /// The arguments; none where they were no object: providers reject a conversation with such a call.
    pub(crate) fn input(&self) -> Value {
        let is_object = self.arguments.is_object();
        if is_object { self.arguments.clone() } else { Value::Object(serde_json::Map::new()) }
    }
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
    /// What the model asks for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<ToolUse>,
    /// Of a tool's result: which of the calls it is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_of: Option<String>,
}

impl Message {
    /// A message.
    #[must_use]
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), asks: Vec::new(), result_of: None }
    }

    /// The model asks for tools.
    #[must_use]
    pub fn asking(asks: Vec<ToolUse>) -> Self {
        Self { asks, ..Self::new(Role::Assistant, "") }
    }

    /// What a tool answers.
    #[must_use]
    pub fn result(id: impl Into<String>, content: impl Into<String>) -> Self {
        Self { result_of: Some(id.into()), ..Self::new(Role::Tool, content) }
    }
}

/// One turn.
#[derive(Debug, Clone, Copy)]
pub struct ChatRequest<'r> {
    /// The conversation so far.
    pub messages: &'r [Message],
    /// JSON Schema of the answer.
    pub schema: &'r Value,
    /// The tools of the conversation, also those of turns before this one.
    pub tools: &'r [ToolSpec],
    /// Whether the model may ask for them in this turn; if not, it has to answer.
    pub may_ask: bool,
    /// Whether the provider may hold the model to the schema: every part of it is declared.
    pub is_strict: bool,
    /// How freely the model chooses its words; left out, as its provider does.
    pub temperature: Option<f64>,
    /// The longest answer, tokens.
    pub max_tokens: u32,
    /// How long the turn may take, with all its tries.
    pub timeout: Duration,
    /// Where the text of the answer goes while it is streamed, part by part. An answer that was followed may fail all the same,
    /// and not every server streams.
    pub follower: Option<&'r UnboundedSender<String>>,
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
    /// Tokens that were used, of the request and of the answer; none when nobody can say.
    #[must_use]
    pub fn tokens(self) -> Option<(u64, u64)> {
        match self {
            Self::Nothing => Some((0, 0)),
            Self::Said { input, output } => Some((input, output)),
            Self::Unknown => None,
        }
    }

    /// What the provider says; unknown unless it says both.
    pub(crate) fn said(input: Option<u64>, output: Option<u64>) -> Self {
        match (input, output) {
            (Some(input), Some(output)) => Self::Said { input, output },
            _ => Self::Unknown,
        }
    }
}

/// What a model says in a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Its words, as they came.
    Text(String),
    /// It asks for tools, at most 32.
    Asks(Vec<ToolUse>),
}

/// The most calls of one turn that are read.
const MAX_ASKS: usize = 32;
/// The longest name of a tool that is read, characters.
const MAX_NAME: usize = 100;

impl Reply {
    /// Calls by name and arguments; text that is not JSON stays text.
    pub(crate) fn asks(calls: impl IntoIterator<Item = (String, Value)>) -> Self {
        let calls = calls.into_iter().take(MAX_ASKS).enumerate();
        let ask = |(n, (tool, arguments)): (usize, (String, Value))| ToolUse {
            id: format!("call_{n}"),
            tool: tool.chars().take(MAX_NAME).collect(),
            arguments: read(arguments),
        };
        Self::Asks(calls.map(ask).collect())
    }
}

/// Arguments that came as JSON in a text, as some interfaces have them. A tool without parameters may have none.
fn read(arguments: Value) -> Value {
    let Value::String(text) = arguments else { return arguments };
    if text.trim().is_empty() {
        return Value::Object(serde_json::Map::new());
    }
    match serde_json::from_str::<Value>(&text) {
        Ok(object @ Value::Object(_)) => object,
        _ => Value::String(text),
    }
}

/// What came of a turn. An answer that cannot be used has been paid for too.
#[derive(Debug)]
pub struct Turn {
    /// What the model says.
    pub reply: Result<Reply, ModelError>,
    /// What it used.
    pub usage: Usage,
    /// How many requests were sent.
    pub requests: u32,
}
