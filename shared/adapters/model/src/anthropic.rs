//! Messages, as Anthropic documents them: `POST {base}/messages`. The answer is the input of a tool that the model has to use: so
//! it has the form of a schema.

use countersign_connector::Secret;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::chat::{ChatRequest, Message, Role, Usage};
use crate::error::ModelError;
use crate::provider::unreadable;

pub(crate) const HOME: &str = "https://api.anthropic.com/v1/";
pub(crate) const PATH: &str = "messages";
/// The version of the interface.
const VERSION: &str = "2023-06-01";
/// The tool.
const TOOL: &str = "answer";

pub(crate) fn headers(key: Option<&Secret>) -> Vec<(&'static str, String)> {
    let key = key.map(|key| ("x-api-key", key.expose().to_owned()));
    std::iter::once(("anthropic-version", VERSION.to_owned())).chain(key).collect()
}

/// The body of a request. Its rules stand beside the conversation.
pub(crate) fn body(model: &str, request: &ChatRequest<'_>) -> Value {
    let (rules, said): (Vec<&Message>, Vec<&Message>) =
        request.messages.iter().partition(|message| message.role == Role::System);
    let rules: Vec<&str> = rules.iter().map(|message| message.content.as_str()).collect();
    let mut body = json!({
        "model": model,
        "max_tokens": request.max_tokens,
        "system": rules.join("\n"),
        "messages": said,
        "tools": [{ "name": TOOL, "description": "Gives the answer.", "input_schema": request.schema }],
        "tool_choice": { "type": "tool", "name": TOOL },
    });
    if let Some(temperature) = request.temperature {
        body["temperature"] = temperature.into();
    }
    body
}

#[derive(Deserialize)]
struct Answer {
    content: Vec<Block>,
    stop_reason: Option<String>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    ToolUse {
        input: Value,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Tokens {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

/// The model's words in an answer, which are the input of the tool, as JSON; and what they used.
pub(crate) fn reply(answer: &[u8], max_tokens: u32) -> (Result<String, ModelError>, Usage) {
    match serde_json::from_slice::<Answer>(answer) {
        Ok(answer) => {
            let usage = answer.usage.as_ref();
            let usage = usage.map(|of| Usage::said(of.input_tokens, of.output_tokens));
            (words(answer, max_tokens), usage.unwrap_or(Usage::Unknown))
        }
        Err(error) => (Err(unreadable("a message", &error)), Usage::Unknown),
    }
}

fn words(answer: Answer, max_tokens: u32) -> Result<String, ModelError> {
    match answer.stop_reason.as_deref() {
        Some("max_tokens") => return Err(ModelError::Cut { max_tokens }),
        Some("refusal") => return Err(ModelError::Declined),
        _ => {}
    }
    let input = answer.content.into_iter().find_map(|block| match block {
        Block::ToolUse { input } => Some(input.to_string()),
        Block::Other => None,
    });
    input.ok_or_else(|| ModelError::Unreadable("it has no `tool_use`".to_owned()))
}
