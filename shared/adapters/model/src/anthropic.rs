//! Messages, as Anthropic documents them: `POST {base}/messages`.

use countersign_connector::Secret;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer_tool::{StreamedUses, TOOL, rules_and_said, tools, words};
use crate::chat::{ChatRequest, Message, Reply, Role, Usage};
use crate::error::ModelError;
use crate::protocol::{Asked, Protocol, StreamedAnswer, Tokens, broke_off, replied, unreadable};

pub(crate) const HOME: &str = "https://api.anthropic.com/v1/";
/// The version of the interface.
const VERSION: &str = "2023-06-01";

pub(crate) fn headers(key: Option<&Secret>) -> Vec<(&'static str, String)> {
    let key = key.map(|key| ("x-api-key", key.expose().to_owned()));
    std::iter::once(("anthropic-version", VERSION.to_owned())).chain(key).collect()
}

/// The interface.
pub(crate) struct Messages;

impl Protocol for Messages {
    fn path(&self, _model: &str, _streams: bool) -> String {
        "messages".to_owned()
    }

    fn ask(&self, model: &str, _base: &str, request: &ChatRequest<'_>) -> Asked {
        Asked { body: body(model, request), streams: request.follower.is_some() }
    }

    fn simpler(&self, _asked: &Asked, _complaint: &str) -> Option<Asked> {
        None
    }

    fn reply(&self, answer: &[u8], max_tokens: u32) -> (Result<Reply, ModelError>, Usage) {
        replied(answer, "a message", |Answer { content, stop_reason, usage }| {
            let uses = content.into_iter().filter_map(|block| match block {
                Block::ToolUse { name, input } => Some((name, input)),
                Block::Other => None,
            });
            (said(uses, stop_reason.as_deref(), max_tokens), usage.into())
        })
    }

    fn streamed(&self) -> Box<dyn StreamedAnswer> {
        Box::<Streamed>::default()
    }
}

/// The body of a request. Its rules stand beside the conversation.
fn body(model: &str, request: &ChatRequest<'_>) -> Value {
    let (rules, said) = rules_and_said(request);
    let rules: Vec<&str> = rules.iter().map(|message| message.content.as_str()).collect();
    let tool = |name: &str, description: &str, schema: &Value| json!({ "name": name, "description": description, "input_schema": schema });
    let told = json!({ "type": "tool", "name": TOOL });
    let mut body = json!({
        "model": model,
        "max_tokens": request.max_tokens,
        "system": rules.join("\n"),
        "messages": messages(&said),
        "tools": tools(request, tool),
        "tool_choice": if request.may_ask { json!({ "type": "any" }) } else { told },
    });
    if request.follower.is_some() {
        body["stream"] = true.into();
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = temperature.into();
    }
    body
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
                json!({ "type": "tool_use", "id": ask.id, "name": ask.tool, "input": ask.input() })
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

/// What a model says. Words of its own do not count: it has to use a tool.
fn said(
    uses: impl Iterator<Item = (String, Value)>,
    stop_reason: Option<&str>,
    max_tokens: u32,
) -> Result<Reply, ModelError> {
    match stop_reason {
        Some("max_tokens") => Err(ModelError::Cut { max_tokens }),
        Some("refusal") => Err(ModelError::Declined),
        _ => words(uses, None),
    }
}

/// An event of a streamed answer. Kinds that are not known here are passed over, as the provider asks for.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Begun,
    },
    ContentBlockStart {
        index: u32,
        content_block: Started,
    },
    ContentBlockDelta {
        index: u32,
        delta: Delta,
    },
    MessageDelta {
        delta: Ending,
        usage: Option<Tokens>,
    },
    MessageStop,
    Error {
        error: Value,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Begun {
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Started {
    ToolUse {
        name: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Delta {
    InputJsonDelta {
        partial_json: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Ending {
    stop_reason: Option<String>,
}

#[derive(Default)]
struct Streamed {
    uses: StreamedUses,
    stop_reason: Option<String>,
    usage: Tokens,
    is_over: bool,
}

impl StreamedAnswer for Streamed {
    fn take(&mut self, data: &str) -> Result<Option<String>, ModelError> {
        let event = serde_json::from_str(data);
        match event.map_err(|error| unreadable("an event of a message", &error))? {
            Event::MessageStart { message } => self.count(message.usage.map(Tokens::of_request)),
            Event::ContentBlockStart { index, content_block: Started::ToolUse { name } } => {
                self.uses.begin(index, name);
            }
            Event::ContentBlockDelta { index, delta: Delta::InputJsonDelta { partial_json } } => {
                return self.uses.add(index, partial_json);
            }
            Event::MessageDelta { delta, usage } => {
                self.stop_reason = delta.stop_reason.or(self.stop_reason.take());
                self.count(usage);
            }
            Event::MessageStop => self.is_over = true,
            Event::Error { error } => return Err(broke_off(&json!({ "error": error }))),
            Event::ContentBlockStart { .. } | Event::ContentBlockDelta { .. } | Event::Other => {}
        }
        Ok(None)
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn is_complete(&self) -> bool {
        self.is_over || self.stop_reason.is_some()
    }

    fn end(self: Box<Self>, max_tokens: u32) -> (Result<Reply, ModelError>, Usage) {
        let Self { uses, stop_reason, usage, is_over: _ } = *self;
        (said(uses.end(), stop_reason.as_deref(), max_tokens), Some(usage).into())
    }
}

impl Streamed {
    fn count(&mut self, tokens: Option<Tokens>) {
        self.usage = self.usage.replaced_by(tokens.unwrap_or_default());
    }
}
