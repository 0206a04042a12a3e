//! Chat completions, as OpenAI documents them: `POST {base}/chat/completions`.

use countersign_connector::Secret;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use crate::chat::{ChatRequest, Message, Reply, Role, ToolSpec, ToolUse, Usage};
use crate::error::ModelError;
use crate::provider::unreadable;

pub(crate) const HOME: &str = "https://api.openai.com/v1/";
pub(crate) const PATH: &str = "chat/completions";
/// The key of a body that holds the model to a schema.
const FORMAT: &str = "response_format";

pub(crate) fn headers(key: Option<&Secret>) -> Vec<(&'static str, String)> {
    key.map(|key| ("authorization", format!("Bearer {}", key.expose()))).into_iter().collect()
}

/// The body of a request. OpenAI's newer models know the limit by another name than everybody else's.
pub(crate) fn body(model: &str, request: &ChatRequest<'_>, base: &Url) -> Value {
    let is_own = base.as_str().starts_with("https://api.openai.com/");
    let limit = if is_own { "max_completion_tokens" } else { "max_tokens" };
    let messages: Vec<Value> = request.messages.iter().map(message).collect();
    let mut body = json!({
        "model": model,
        "messages": messages,
        limit: request.max_tokens,
        "stream": false,
    });
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
    let arguments = if of.arguments.is_object() { of.arguments.to_string() } else { "{}".into() };
    json!({
        "id": of.id,
        "type": "function",
        "function": { "name": of.tool, "arguments": arguments },
    })
}

/// Whether a server says that it cannot be held to a schema.
pub(crate) fn knows_no_schema(body: &Value, reply: &Result<Reply, ModelError>) -> bool {
    let Err(ModelError::Rejected { status: 400 | 422, message }) = reply else { return false };
    body.get(FORMAT).is_some() && (message.contains(FORMAT) || message.contains("json_schema"))
}

/// The same request, in which only the prompt asks for the form.
pub(crate) fn without_schema(mut body: Value) -> Value {
    if let Some(fields) = body.as_object_mut() {
        fields.remove(FORMAT);
    }
    body
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

#[derive(Deserialize)]
struct Said {
    content: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<Asked>>,
}

#[derive(Deserialize)]
struct Asked {
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    /// JSON in a text; some servers give the object.
    #[serde(default)]
    arguments: Value,
}

#[derive(Deserialize)]
struct Tokens {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

/// What the model says in an answer, and what it used.
pub(crate) fn reply(answer: &[u8], max_tokens: u32) -> (Result<Reply, ModelError>, Usage) {
    match serde_json::from_slice::<Completion>(answer) {
        Ok(completion) => {
            let usage = completion.usage.as_ref();
            let usage = usage.map(|of| Usage::said(of.prompt_tokens, of.completion_tokens));
            (words(completion, max_tokens), usage.unwrap_or(Usage::Unknown))
        }
        Err(error) => (Err(unreadable("a chat completion", &error)), Usage::Unknown),
    }
}

fn words(completion: Completion, max_tokens: u32) -> Result<Reply, ModelError> {
    let choice = completion.choices.into_iter().next();
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
