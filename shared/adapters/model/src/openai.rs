//! Chat completions, as OpenAI documents them: `POST {base}/chat/completions`.

mod streamed;

use countersign_connector::Secret;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::chat::{ChatRequest, Message, Reply, Role, ToolSpec, ToolUse, Usage};
use crate::error::ModelError;
use crate::protocol::{Asked, Protocol, StreamedAnswer, Tokens, replied};

pub(crate) const HOME: &str = "https://api.openai.com/v1/";
/// The key of a body that holds the model to a schema.
const FORMAT: &str = "response_format";
/// The keys of a body that ask for a streamed answer, and for what it used at its end.
const STREAM: &str = "stream";
const STREAM_OPTIONS: &str = "stream_options";

pub(crate) fn headers(key: Option<&Secret>) -> Vec<(&'static str, String)> {
    key.map(|key| ("authorization", format!("Bearer {}", key.expose()))).into_iter().collect()
}

/// The interface.
pub(crate) struct Completions;

impl Protocol for Completions {
    fn path(&self, _model: &str, _streams: bool) -> String {
        "chat/completions".to_owned()
    }

    fn ask(&self, model: &str, base: &str, request: &ChatRequest<'_>) -> Asked {
        Asked { body: body(model, request, base), streams: request.follower.is_some() }
    }

    fn simpler(&self, asked: &Asked, complaint: &str) -> Option<Asked> {
        let mut asked = asked.clone();
        let fields = asked.body.as_object_mut()?;
        let names_schema = complaint.contains(FORMAT) || complaint.contains("json_schema");
        // Then only the prompt asks for the form.
        if names_schema && fields.remove(FORMAT).is_some() {
            return Some(asked);
        }
        if complaint.contains(STREAM) && fields.remove(STREAM_OPTIONS).is_some() {
            fields.insert(STREAM.to_owned(), false.into());
            asked.streams = false;
            return Some(asked);
        }
        None
    }

    fn reply(&self, answer: &[u8], max_tokens: u32) -> (Result<Reply, ModelError>, Usage) {
        replied(answer, "a chat completion", |Completion { choices, usage }| {
            (words(choices, max_tokens), usage.into())
        })
    }

    fn streamed(&self) -> Box<dyn StreamedAnswer> {
        Box::<streamed::Streamed>::default()
    }
}

/// The body of a request. OpenAI's newer models know the limit by another name than everybody else's.
fn body(model: &str, request: &ChatRequest<'_>, base: &str) -> Value {
    let is_own = base.starts_with("https://api.openai.com/");
    let limit = if is_own { "max_completion_tokens" } else { "max_tokens" };
    let messages: Vec<Value> = request.messages.iter().map(message).collect();
    let mut body = json!({
        "model": model,
        "messages": messages,
        limit: request.max_tokens,
        STREAM: request.follower.is_some(),
    });
    if request.follower.is_some() {
        body[STREAM_OPTIONS] = json!({ "include_usage": true });
    }
    if request.may_ask {
        // Servers that hold a model to a schema would keep it from asking for a tool.
        body["tools"] = request.tools.iter().map(tool).collect();
        body["tool_choice"] = "auto".into();
    } else {
        body[FORMAT] = json!({
            "type": "json_schema",
            "json_schema": { "name": "answer", "schema": request.schema, "strict": request.is_strict },
        });
    }
    if let Some(temperature) = request.temperature {
        body["temperature"] = temperature.into();
    }
    body
}

fn tool(tool: &ToolSpec) -> Value {
    let ToolSpec { name, description, schema } = tool;
    json!({
        "type": "function",
        "function": { "name": name, "description": description, "parameters": schema },
    })
}

fn message(message: &Message) -> Value {
    let Message { role, content, asks, result_of } = message;
    match (role, result_of) {
        (Role::Tool, id) => json!({ "role": role, "tool_call_id": id, "content": content }),
        _ if asks.is_empty() => json!({ "role": role, "content": content }),
        _ => {
            let calls: Vec<Value> = asks.iter().map(call).collect();
            json!({ "role": role, "content": content, "tool_calls": calls })
        }
    }
}

/// A call as it was asked for. What was no object is not shown again: servers reject a conversation with it.
fn call(of: &ToolUse) -> Value {
    let arguments = of.input().to_string();
    json!({
        "id": of.id,
        "type": "function",
        "function": { "name": of.tool, "arguments": arguments },
    })
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Choice {
    message: Said,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Said {
    content: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<CalledTool>>,
}

#[derive(Deserialize)]
struct CalledTool {
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    /// JSON in a text; some servers give the object.
    #[serde(default)]
    arguments: Value,
}

fn words(choices: Vec<Choice>, max_tokens: u32) -> Result<Reply, ModelError> {
    let choice = choices.into_iter().next();
    let choice = choice.ok_or_else(|| ModelError::Unreadable("it has no `choices`".to_owned()))?;
    match choice.finish_reason.as_deref() {
        Some("length") => return Err(ModelError::Cut { max_tokens }),
        Some("content_filter") => return Err(ModelError::Declined),
        _ => {}
    }
    if choice.message.refusal.is_some_and(|refusal| !refusal.is_empty()) {
        return Err(ModelError::Declined);
    }
    let calls = choice.message.tool_calls.unwrap_or_default();
    if !calls.is_empty() {
        let calls = calls.into_iter().map(|call| (call.function.name, call.function.arguments));
        return Ok(Reply::asks(calls));
    }
    let text = choice.message.content.map(Reply::Text);
    text.ok_or_else(|| ModelError::Unreadable("it has no `content`".to_owned()))
}
