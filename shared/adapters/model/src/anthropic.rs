//! Messages, as Anthropic documents them: `POST {base}/messages`. The answer is the input of a tool that the model has to use: so
//! it has the form of a schema. While it may ask for other tools, it has to use one of them or that one.

use countersign_connector::Secret;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::chat::{ChatRequest, Message, Reply, Role, ToolSpec, Usage};
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
        "messages": messages(&said),
        "tools": tools(request),
        "tool_choice": if request.may_ask { json!({ "type": "any" }) } else { json!({ "type": "tool", "name": TOOL }) },
    });
    if let Some(temperature) = request.temperature {
        body["temperature"] = temperature.into();
    }
    body
}

/// The tools, and the one whose input is the answer. A conversation in which tools were used has to name them to its end.
fn tools(request: &ChatRequest<'_>) -> Vec<Value> {
    let answer = json!({
        "name": TOOL, "description": "Gives the answer.", "input_schema": request.schema,
    });
    let others = request.tools.iter().map(|tool| {
        let ToolSpec { name, description, schema } = tool;
        json!({ "name": name, "description": description, "input_schema": schema })
    });
    others.chain([answer]).collect()
}

/// The messages, in which all results of one turn are one message.
fn messages(said: &[&Message]) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::with_capacity(said.len());
    for message in said {
        let Message { role, content, asks, result_of } = message;
        if let Some(id) = result_of {
            let result = json!({ "type": "tool_result", "tool_use_id": id, "content": content });
            match all.last_mut().and_then(|last| last["content"].as_array_mut()) {
                Some(results) if results.iter().all(|one| one["type"] == "tool_result") => {
                    results.push(result);
                }
                _ => all.push(json!({ "role": Role::User, "content": [result] })),
            }
        } else if asks.is_empty() {
            all.push(json!({ "role": role, "content": content }));
        } else {
            let uses = asks.iter().map(|ask| {
                let input =
                    if ask.arguments.is_object() { ask.arguments.clone() } else { json!({}) };
                json!({ "type": "tool_use", "id": ask.id, "name": ask.tool, "input": input })
            });
            all.push(json!({ "role": role, "content": uses.collect::<Vec<_>>() }));
        }
    }
    all
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
        name: String,
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

/// What the model says in an answer, and what it used. Its words are the input of the tool for them, as JSON.
pub(crate) fn reply(answer: &[u8], max_tokens: u32) -> (Result<Reply, ModelError>, Usage) {
    match serde_json::from_slice::<Answer>(answer) {
        Ok(answer) => {
            let usage = answer.usage.as_ref();
            let usage = usage.map(|of| Usage::said(of.input_tokens, of.output_tokens));
            (words(answer, max_tokens), usage.unwrap_or(Usage::Unknown))
        }
        Err(error) => (Err(unreadable("a message", &error)), Usage::Unknown),
    }
}

fn words(answer: Answer, max_tokens: u32) -> Result<Reply, ModelError> {
    match answer.stop_reason.as_deref() {
        Some("max_tokens") => return Err(ModelError::Cut { max_tokens }),
        Some("refusal") => return Err(ModelError::Declined),
        _ => {}
    }
    let mut asks = Vec::new();
    for block in answer.content {
        match block {
            Block::ToolUse { name, input } if name == TOOL => {
                return Ok(Reply::Text(input.to_string()));
            }
            Block::ToolUse { name, input } => asks.push((name, input)),
            Block::Other => {}
        }
    }
    if asks.is_empty() {
        return Err(ModelError::Unreadable("it has no `tool_use`".to_owned()));
    }
    Ok(Reply::asks(asks))
}
