//! One way of speaking to a provider, and what its requests and answers have in common with the others.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::chat::{ChatRequest, Reply, Usage};
use crate::error::ModelError;

/// A request, before it has an address and headers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    /// The body.
    pub(crate) body: Value,
    /// Whether the answer is to be streamed.
    pub(crate) streams: bool,
}

/// How a provider is spoken to, as it documents it.
pub(crate) trait Protocol: Send + Sync {
    /// Where a model is asked, relative to the base address.
    fn path(&self, model: &str, streams: bool) -> String;

    /// What a model is asked at this base address.
    fn ask(&self, model: &str, base: &str, request: &ChatRequest<'_>) -> Asked;

    /// The same request without what the server says that it does not know; none when it says something else.
    fn simpler(&self, asked: &Asked, complaint: &str) -> Option<Asked>;

    /// What the model says in a whole answer, and what it used.
    fn reply(&self, answer: &[u8], max_tokens: u32) -> (Result<Reply, ModelError>, Usage);

    /// What gathers a streamed answer.
    fn streamed(&self) -> Box<dyn StreamedAnswer>;
}

/// What has come of a streamed answer.
pub(crate) trait StreamedAnswer: Send {
    /// Takes the data of the next event; gives the part of the answer's text that is in it.
    fn take(&mut self, data: &str) -> Result<Option<String>, ModelError>;

    /// Whether nothing more comes.
    fn is_over(&self) -> bool;

    /// Whether the model has said that it is finished.
    fn is_complete(&self) -> bool;

    /// What the model says in all, and what it used.
    fn end(self: Box<Self>, max_tokens: u32) -> (Result<Reply, ModelError>, Usage);
}

/// What an answer used, by the names of each provider.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub(crate) struct Tokens {
    #[serde(alias = "prompt_tokens", alias = "inputTokens")]
    input_tokens: Option<u64>,
    #[serde(alias = "completion_tokens", alias = "outputTokens")]
    output_tokens: Option<u64>,
}

impl Tokens {
    /// Without what was answered: a stream says at its beginning how much it was, when it was hardly anything.
    pub(crate) fn of_request(self) -> Self {
        Self { output_tokens: None, ..self }
    }

    /// The counts of a stream are totals; a later one replaces the one before.
    pub(crate) fn replaced_by(self, later: Self) -> Self {
        Self {
            input_tokens: later.input_tokens.or(self.input_tokens),
            output_tokens: later.output_tokens.or(self.output_tokens),
        }
    }
}

impl From<Option<Tokens>> for Usage {
    fn from(tokens: Option<Tokens>) -> Self {
        let tokens = tokens.unwrap_or_default();
        Self::said(tokens.input_tokens, tokens.output_tokens)
    }
}

/// An answer that is not what its provider documents. The parser's own words may quote it; the place says enough.
pub(crate) fn unreadable(what: &str, error: &serde_json::Error) -> ModelError {
    let (line, column) = (error.line(), error.column());
    ModelError::Unreadable(format!("it is not {what} (line {line}, column {column})"))
}

/// What a whole answer says, which is `what`; `said` reads it from the answer in its type.
pub(crate) fn replied<A: DeserializeOwned>(
    answer: &[u8],
    what: &str,
    said: impl FnOnce(A) -> (Result<Reply, ModelError>, Usage),
) -> (Result<Reply, ModelError>, Usage) {
    match serde_json::from_slice(answer) {
        Ok(answer) => said(answer),
        Err(error) => (Err(unreadable(what, &error)), Usage::Unknown),
    }
}

/// An answer that breaks off, in the words of its provider.
pub(crate) fn broke_off(json: &Value) -> ModelError {
    ModelError::BrokeOff(problem(json))
}

/// What a provider says is wrong, `error.message`, `error` or `message`, as one line.
pub(crate) fn problem(json: &Value) -> String {
    let error = &json["error"];
    let said = error["message"].as_str().or_else(|| error.as_str());
    let said = said.or_else(|| json["message"].as_str()).or_else(|| json["Message"].as_str());
    let words: Vec<&str> = said.unwrap_or("it does not say why").split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).collect()
}
