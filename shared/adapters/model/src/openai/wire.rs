//! What is sent and what comes back.

use countersign_http_out::HttpError;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::chat::{ChatRequest, Reply};
use crate::error::ModelError;

/// How much of what a provider complains about is told, characters.
const MAX_COMPLAINT: usize = 300;

/// The body of a request. OpenAI's newer models know the limit by another name than everybody else's.
pub(super) fn body(
    model: &str,
    request: &ChatRequest<'_>,
    with_schema: bool,
    is_openai: bool,
) -> Result<Vec<u8>, ModelError> {
    let limit = if is_openai { "max_completion_tokens" } else { "max_tokens" };
    let mut body = json!({
        "model": model,
        "messages": request.messages,
        limit: request.max_tokens,
        "stream": false,
    });
    if with_schema {
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": { "name": "answer", "schema": request.schema, "strict": request.is_strict },
        });
    }
    serde_json::to_vec(&body).map_err(|error| HttpError::Request(error.to_string()).into())
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    usage: Option<Usage>,
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
}

#[derive(Deserialize)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

/// The model's words in an answer.
pub(super) fn reply(answer: &[u8], max_tokens: u32) -> Result<Reply, ModelError> {
    let completion: Completion = serde_json::from_slice(answer).map_err(|error| {
        // The message of the parser may quote the answer; its place says enough.
        let (line, column) = (error.line(), error.column());
        ModelError::Unreadable(format!(
            "it is not a chat completion (line {line}, column {column})"
        ))
    })?;
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
    let text = choice.message.content;
    Ok(Reply {
        text: text.ok_or_else(|| ModelError::Unreadable("it has no `content`".to_owned()))?,
        input_tokens: completion.usage.as_ref().and_then(|usage| usage.prompt_tokens),
        output_tokens: completion.usage.as_ref().and_then(|usage| usage.completion_tokens),
    })
}

/// What a provider says is wrong: `error.message`, or `error`; one line, cut.
pub(super) fn complaint(answer: &[u8]) -> String {
    let json: Value = serde_json::from_slice(answer).unwrap_or_default();
    let error = &json["error"];
    let said = error["message"].as_str().or_else(|| error.as_str());
    let said = said.unwrap_or("it does not say why");
    let words: Vec<&str> = said.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(MAX_COMPLAINT).collect()
}
