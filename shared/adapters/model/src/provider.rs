//! A model of a provider, whichever interface it has: one request, one answer, the tries that its failures allow.

use countersign_failure::address_problem;
use std::sync::Arc;
use std::time::Duration;

use countersign_connector::answer::{StatusMeaning, meaning};
use countersign_connector::{DeploymentSecrets, Secret};
use countersign_http_out::{Answer, Call, Egress, HttpError};
use countersign_resilience::{CallFailure, Remedy, Tried, retry_after};
use jiff::Timestamp;
use serde_json::Value;
use tokio::time::Instant;
use url::Url;

use crate::chat::{ChatRequest, Reply, Turn, Usage};
use crate::error::ModelError;
use crate::{anthropic, openai};

/// The largest answer read.
const MAX_ANSWER: u64 = 4 * 1024 * 1024;
/// How much of what a provider complains about is told, characters.
const MAX_COMPLAINT: usize = 300;

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// Chat completions, as OpenAI documents them and Ollama, vLLM and llama.cpp offer them.
    OpenAi,
    /// Messages, as Anthropic documents them.
    Anthropic,
}

impl Interface {
    /// Its name in settings, in records, and as the name of the secret that holds the key.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        }
    }

    /// The interface of a provider's name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::OpenAi, Self::Anthropic].into_iter().find(|interface| interface.as_str() == name)
    }

    /// Where the provider whose interface it is answers itself.
    pub(crate) fn home(self) -> &'static str {
        match self {
            Self::OpenAi => openai::HOME,
            Self::Anthropic => anthropic::HOME,
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::OpenAi => openai::PATH,
            Self::Anthropic => anthropic::PATH,
        }
    }

    /// Headers beside those of JSON.
    fn headers(self, key: Option<&Secret>) -> Vec<(&'static str, String)> {
        match self {
            Self::OpenAi => openai::headers(key),
            Self::Anthropic => anthropic::headers(key),
        }
    }

    fn reply(self, answer: &[u8], max_tokens: u32) -> (Result<Reply, ModelError>, Usage) {
        match self {
            Self::OpenAi => openai::reply(answer, max_tokens),
            Self::Anthropic => anthropic::reply(answer, max_tokens),
        }
    }
}

/// A model of a provider.
#[derive(Clone)]
pub struct Provider {
    pub(crate) interface: Interface,
    pub(crate) egress: Egress,
    pub(crate) base: Url,
    pub(crate) model: String,
    pub(crate) secrets: Arc<dyn DeploymentSecrets>,
}

/// A failed try: what it means for another one, and the error when there is none.
struct Failed {
    fault: Option<CallFailure>,
    error: ModelError,
}

impl Provider {
    /// What is recorded and shown: provider and model.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.interface.as_str(), self.model)
    }

    /// One turn: what the model says, or why it says nothing, and what was used.
    pub async fn chat(&self, request: &ChatRequest<'_>) -> Turn {
        let until = Instant::now() + request.timeout;
        // Servers of one's own often need no key.
        let key = match self.secrets.secret(self.interface.as_str()).await {
            Ok(key) => key,
            Err(error) => {
                let reply = Err(ModelError::Key(error));
                return Turn { reply, usage: Usage::Nothing, requests: 0 };
            }
        };
        let body = match self.interface {
            Interface::OpenAi => openai::body(&self.model, request, &self.base),
            Interface::Anthropic => anthropic::body(&self.model, request),
        };
        let turn = self.turn(request, &body, key.as_ref(), until).await;
        // Servers that cannot be held to a schema say so; the answer is checked in any case.
        if self.interface == Interface::OpenAi && openai::knows_no_schema(&body, &turn.reply) {
            tracing::info!(model = self.model, "asked again without `response_format`");
            let body = openai::without_schema(body);
            let again = self.turn(request, &body, key.as_ref(), until).await;
            return Turn { requests: turn.requests + again.requests, ..again };
        }
        turn
    }

    /// Sends the request until it is carried out. What may have been carried out is paid for, and not sent again.
    async fn turn(
        &self,
        request: &ChatRequest<'_>,
        body: &Value,
        key: Option<&Secret>,
        until: Instant,
    ) -> Turn {
        let mut tried = Tried::default();
        let mut requests = 0;
        loop {
            requests += 1;
            let left = until.saturating_duration_since(Instant::now());
            let failed = match self.send(body, key, left).await {
                Ok(answer) => {
                    let (reply, usage) = self.interface.reply(&answer.body, request.max_tokens);
                    return Turn { reply, usage, requests };
                }
                Err(failed) => failed,
            };
            let left = until.saturating_duration_since(Instant::now());
            let remedy = failed.fault.map(|fault| tried.remedy(fault, false, left));
            match remedy {
                Some(Remedy::Again(wait)) => tokio::time::sleep(wait).await,
                _ => return Turn { usage: failed.usage(), reply: Err(failed.error), requests },
            }
        }
    }

    async fn send(
        &self,
        body: &Value,
        key: Option<&Secret>,
        timeout: Duration,
    ) -> Result<Answer, Failed> {
        let unsendable =
            |reason: String| Failed { fault: None, error: HttpError::Request(reason).into() };
        let url = self.base.join(self.interface.path());
        let url =
            url.map_err(|error| unsendable(address_problem(&error.to_string()).to_owned()))?;
        let json = || "application/json".to_owned();
        let mut headers = vec![("content-type", json()), ("accept", json())];
        headers.extend(self.interface.headers(key));
        let call = Call {
            method: "POST".to_owned(),
            headers: headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            body: Some(body.to_string().into_bytes()),
            timeout,
            max_bytes: MAX_ANSWER,
            ..Call::get(url)
        };
        let answer = self.egress.send(call).await.map_err(unreachable)?;
        refused(&answer, key).map_or(Ok(answer), Err)
    }
}

impl Failed {
    /// What the request used: nothing, unless it may have arrived and nobody knows what became of it.
    fn usage(&self) -> Usage {
        match &self.error {
            ModelError::Http(error) if error.may_have_arrived() => Usage::Unknown,
            ModelError::Unavailable { status } if is_of_a_gateway(*status) => Usage::Unknown,
            _ => Usage::Nothing,
        }
    }
}

fn unreachable(error: HttpError) -> Failed {
    let again = matches!(error, HttpError::Network { .. }) && !error.may_have_arrived();
    Failed { fault: again.then_some(CallFailure::Network), error: error.into() }
}

/// Whether a status comes from whatever stands before a model and had no answer of it in time: the model may have worked.
/// 520 to 527 are those of a widely used proxy.
fn is_of_a_gateway(status: u16) -> bool {
    matches!(status, 408 | 502 | 504 | 520..=527)
}

/// What a status that is not a success means.
fn refused(answer: &Answer, key: Option<&Secret>) -> Option<Failed> {
    let status = answer.status;
    let asks = answer.header("retry-after");
    let asks = asks.and_then(|header| retry_after(header, Timestamp::now()));
    let (fault, error) = match meaning(status) {
        StatusMeaning::Success => return None,
        StatusMeaning::AuthFailed => (None, ModelError::KeyRejected { status }),
        StatusMeaning::Throttled => {
            (Some(CallFailure::Throttled { retry_after: asks }), ModelError::Throttled)
        }
        StatusMeaning::Unavailable | StatusMeaning::TimedOut => {
            let waits = asks.map(|asks| CallFailure::Throttled { retry_after: Some(asks) });
            let fault = waits.unwrap_or(CallFailure::Unavailable);
            let fault = (!is_of_a_gateway(status)).then_some(fault);
            (fault, ModelError::Unavailable { status })
        }
        StatusMeaning::Refused | StatusMeaning::Unexpected => {
            (None, ModelError::Rejected { status, message: complaint(&answer.body, key) })
        }
    };
    Some(Failed { fault, error })
}

/// What a provider says is wrong, `error.message` or `error`, one line, cut. It may quote the key, which is left out.
fn complaint(answer: &[u8], key: Option<&Secret>) -> String {
    let json: Value = serde_json::from_slice(answer).unwrap_or_default();
    let error = &json["error"];
    let said = error["message"].as_str().or_else(|| error.as_str());
    let said = said.unwrap_or("it does not say why");
    let said = key.map_or(said.to_owned(), |key| said.replace(key.expose(), "…"));
    let words: Vec<&str> = said.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(MAX_COMPLAINT).collect()
}

/// An answer that is not what its provider documents. The parser's own words may quote it; the place says enough.
pub(crate) fn unreadable(what: &str, error: &serde_json::Error) -> ModelError {
    let (line, column) = (error.line(), error.column());
    ModelError::Unreadable(format!("it is not {what} (line {line}, column {column})"))
}
