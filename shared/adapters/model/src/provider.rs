//! A model of a provider, whichever interface it has: one request, one answer, the tries that its failures allow.

use std::sync::Arc;
use std::time::Duration;

use countersign_aws::AwsConfig;
use countersign_connector::answer::{StatusMeaning, meaning};
use countersign_connector::{DeploymentSecrets, Secret, SourceError};
use countersign_failure::address_problem;
use countersign_http_out::{Answer, Call, Egress, HttpError, Streaming};
use countersign_resilience::{CallFailure, Remedy, Tried, retry_after};
use jiff::Timestamp;
use tokio::time::Instant;
use url::Url;

use crate::chat::{ChatRequest, Reply, Turn, Usage};
use crate::error::ModelError;
use crate::protocol::{Asked, Protocol, problem};
use crate::stream::{is_streamed, read};
use crate::{anthropic, bedrock, openai};

/// The largest answer read.
const MAX_ANSWER: u64 = 4 * 1024 * 1024;
/// The same of a streamed answer, each part of which comes in an envelope of its own.
const MAX_STREAM: u64 = 2 * MAX_ANSWER;
/// How much of what a provider complains about is told, characters.
const MAX_COMPLAINT: usize = 300;

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum Interface {
    /// Chat completions, as OpenAI documents them and Ollama, vLLM and llama.cpp offer them.
    OpenAi,
    /// Messages, as Anthropic documents them.
    Anthropic,
    /// Converse, as Amazon Bedrock documents it.
    Bedrock,
}

impl Interface {
    /// Its name in settings, in records, and as the name of the secret that holds the key.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The interface of a provider's name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// Where the provider whose interface it is answers itself; Bedrock does so in each region.
    pub(crate) fn home(self, region: &str) -> String {
        match self {
            Self::OpenAi => openai::HOME.to_owned(),
            Self::Anthropic => anthropic::HOME.to_owned(),
            Self::Bedrock => bedrock::home(region),
        }
    }

    fn protocol(self) -> &'static dyn Protocol {
        match self {
            Self::OpenAi => &openai::Completions,
            Self::Anthropic => &anthropic::Messages,
            Self::Bedrock => &bedrock::Converse,
        }
    }

    /// Headers beside those of JSON; a request to Bedrock is signed instead.
    fn headers(self, key: Option<&Secret>) -> Vec<(&'static str, String)> {
        match self {
            Self::OpenAi => openai::headers(key),
            Self::Anthropic => anthropic::headers(key),
            Self::Bedrock => Vec::new(),
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
    /// Region and credentials, for what is signed.
    pub(crate) aws: AwsConfig,
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
        let key = match self.key().await {
            Ok(key) => key,
            Err(error) => {
                let reply = Err(ModelError::Key(error));
                return Turn { reply, usage: Usage::Nothing, requests: 0 };
            }
        };
        let mut asked = self.interface.protocol().ask(&self.model, self.base.as_str(), request);
        let mut requests = 0;
        loop {
            let turn = self.turn(request, &asked, key.as_ref(), until).await;
            requests += turn.requests;
            // Servers say what they do not know; the answer is checked in any case.
            let Some(simpler) = self.simpler(&asked, &turn.reply) else {
                return Turn { requests, ..turn };
            };
            tracing::info!(model = self.model, "asked again without what the server does not know");
            asked = simpler;
        }
    }

    fn simpler(&self, asked: &Asked, reply: &Result<Reply, ModelError>) -> Option<Asked> {
        match reply {
            Err(ModelError::Rejected { status: 400 | 422, message }) => {
                self.interface.protocol().simpler(asked, message)
            }
            _ => None,
        }
    }

    /// The key of the deployment. Servers of one's own often need none, and requests to AWS are signed.
    async fn key(&self) -> Result<Option<Secret>, SourceError> {
        match self.interface {
            Interface::Bedrock => Ok(None),
            other => self.secrets.secret(other.as_str()).await,
        }
    }

    /// Sends the request until it is carried out. What may have been carried out is paid for, and not sent again.
    async fn turn(
        &self,
        request: &ChatRequest<'_>,
        asked: &Asked,
        key: Option<&Secret>,
        until: Instant,
    ) -> Turn {
        let mut tried = Tried::default();
        let mut requests = 0;
        loop {
            requests += 1;
            let left = until.saturating_duration_since(Instant::now());
            let failed = match self.send(asked, key, left).await {
                Ok(open) => {
                    let (reply, usage) = self.read(open, request).await;
                    let reply = reply.map_err(|error| without_key(error, key));
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

    /// Reads an answer, streamed or whole. It has been paid for in any case.
    async fn read(
        &self,
        open: Streaming,
        request: &ChatRequest<'_>,
    ) -> (Result<Reply, ModelError>, Usage) {
        let protocol = self.interface.protocol();
        if is_streamed(&open) {
            return read(open, protocol.streamed(), request).await;
        }
        match open.whole().await {
            Ok(answer) => protocol.reply(&answer.body, request.max_tokens),
            Err(error) => (Err(error.into()), Usage::Unknown),
        }
    }

    /// Sends the request; what is left is to read the answer of a success.
    async fn send(
        &self,
        Asked { body, streams }: &Asked,
        key: Option<&Secret>,
        timeout: Duration,
    ) -> Result<Streaming, Failed> {
        let failed = |error: ModelError| Failed { fault: None, error };
        let url = self.base.join(&self.interface.protocol().path(&self.model, *streams));
        let url = url.map_err(|error| {
            let reason = address_problem(&error.to_string()).to_owned();
            failed(HttpError::Request(reason).into())
        })?;
        let body = body.to_string().into_bytes();
        let call = Call {
            method: "POST".to_owned(),
            headers: self.headers(key, &url, &body, *streams).await.map_err(failed)?,
            body: Some(body),
            timeout,
            max_bytes: if *streams { MAX_STREAM } else { MAX_ANSWER },
            ..Call::get(url)
        };
        let open = self.egress.open(call).await.map_err(unreachable)?;
        if meaning(open.status) == StatusMeaning::Success {
            return Ok(open);
        }
        let answer = open.whole().await.map_err(unreachable)?;
        Err(self.refused(&answer, key))
    }

    async fn headers(
        &self,
        key: Option<&Secret>,
        url: &Url,
        body: &[u8],
        streams: bool,
    ) -> Result<Vec<(String, String)>, ModelError> {
        let json = ("content-type", "application/json");
        if self.interface == Interface::Bedrock {
            return bedrock::headers(&self.aws, url.as_str(), &[json], body).await;
        }
        let accept = if streams { "text/event-stream, application/json" } else { json.1 };
        let own = [(json.0, json.1.to_owned()), ("accept", accept.to_owned())].into_iter();
        let all = own.chain(self.interface.headers(key));
        Ok(all.map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// What a status that is not a success means. To AWS a request has a role, not a key.
    fn refused(&self, answer: &Answer, key: Option<&Secret>) -> Failed {
        let failed = refused(answer, key);
        match failed.error {
            ModelError::KeyRejected { status } if self.interface == Interface::Bedrock => {
                // It may name the account, its roles and what else there is.
                let said = complaint(&answer.body, None);
                tracing::warn!(status, said, "the model may not be used");
                Failed { fault: None, error: ModelError::NotPermitted { status } }
            }
            error => Failed { error, ..failed },
        }
    }
}

impl Failed {
    /// What the request used: nothing, unless it may have arrived and nobody knows what became of it.
    fn usage(&self) -> Usage {
        match &self.error {
            ModelError::Http(error) if error.may_have_arrived() => Usage::Unknown,
            ModelError::Unavailable { status, .. } if is_of_a_gateway(*status) => Usage::Unknown,
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
fn refused(answer: &Answer, key: Option<&Secret>) -> Failed {
    let status = answer.status;
    let asks = answer.header("retry-after");
    let now = Timestamp::now();
    let asks = asks.and_then(|header| retry_after(header, now));
    let again_at = asks.and_then(|asks| now.checked_add(asks).ok());
    let (fault, error) = match meaning(status) {
        StatusMeaning::AuthFailed => (None, ModelError::KeyRejected { status }),
        StatusMeaning::Throttled => {
            (Some(CallFailure::Throttled { retry_after: asks }), ModelError::Throttled { again_at })
        }
        StatusMeaning::Unavailable | StatusMeaning::TimedOut => {
            let waits = asks.map(|asks| CallFailure::Throttled { retry_after: Some(asks) });
            let fault = waits.unwrap_or(CallFailure::Unavailable);
            let fault = (!is_of_a_gateway(status)).then_some(fault);
            (fault, ModelError::Unavailable { status, again_at })
        }
        StatusMeaning::Success | StatusMeaning::Refused | StatusMeaning::Unexpected => {
            (None, ModelError::Rejected { status, message: complaint(&answer.body, key) })
        }
    };
    Failed { fault, error }
}

/// What a provider says is wrong with a request.
fn complaint(answer: &[u8], key: Option<&Secret>) -> String {
    shown(&problem(&serde_json::from_slice(answer).unwrap_or_default()), key)
}

/// The words of a provider, cut. They may quote the key, which is left out.
fn shown(said: &str, key: Option<&Secret>) -> String {
    let said = key.map_or(said.to_owned(), |key| said.replace(key.expose(), "…"));
    said.chars().take(MAX_COMPLAINT).collect()
}

fn without_key(error: ModelError, key: Option<&Secret>) -> ModelError {
    match error {
        ModelError::BrokeOff(said) => ModelError::BrokeOff(shown(&said, key)),
        other => other,
    }
}
