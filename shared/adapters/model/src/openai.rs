//! Chat completions as OpenAI documents them, and Ollama, vLLM and llama.cpp offer them: `POST {base}/chat/completions`.

mod wire;

use std::sync::Arc;
use std::time::Duration;

use countersign_connector::DeploymentSecrets;
use countersign_connector::answer::{StatusMeaning, meaning};
use countersign_http_out::{Answer, Call, Egress, HttpError};
use countersign_resilience::{CallFailure, Remedy, Tried, retry_after};
use jiff::Timestamp;
use tokio::time::Instant;
use url::Url;

use self::wire::{body, complaint, reply};
use crate::chat::{ChatRequest, Reply};
use crate::error::ModelError;

/// The largest answer read.
const MAX_ANSWER: u64 = 4 * 1024 * 1024;
/// The name of the secret that holds the key.
const KEY: &str = "openai";

/// A model behind an interface like OpenAI's.
#[derive(Clone)]
pub struct OpenAi {
    egress: Egress,
    base: Url,
    model: String,
    secrets: Arc<dyn DeploymentSecrets>,
}

/// A failed try: what it means for another one, and the error when there is none.
struct Failed {
    fault: Option<CallFailure>,
    error: ModelError,
}

impl OpenAi {
    /// Where OpenAI itself answers.
    pub const HOME: &'static str = "https://api.openai.com/v1/";

    pub(crate) fn new(
        egress: Egress,
        base: Url,
        model: String,
        secrets: Arc<dyn DeploymentSecrets>,
    ) -> Self {
        Self { egress, base, model, secrets }
    }

    /// The model's name at the provider.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// One turn: the model's words.
    ///
    /// # Errors
    /// [`ModelError`] when there is no whole answer.
    pub async fn chat(&self, request: &ChatRequest<'_>) -> Result<Reply, ModelError> {
        let until = Instant::now() + request.timeout;
        let bearer = self.bearer().await?;
        match self.turn(request, true, bearer.as_deref(), until).await {
            // Servers that cannot be held to a schema say so; the answer is checked in any case.
            Err(ModelError::Rejected { status: 400 | 422, message })
                if message.contains("response_format") || message.contains("json_schema") =>
            {
                tracing::info!(model = self.model, "asked again without `response_format`");
                self.turn(request, false, bearer.as_deref(), until).await
            }
            answered => answered,
        }
    }

    /// Servers of one's own often need no key.
    async fn bearer(&self) -> Result<Option<String>, ModelError> {
        let key = self.secrets.secret(KEY).await.map_err(ModelError::Key)?;
        Ok(key.map(|key| format!("Bearer {}", key.expose())))
    }

    async fn turn(
        &self,
        request: &ChatRequest<'_>,
        with_schema: bool,
        bearer: Option<&str>,
        until: Instant,
    ) -> Result<Reply, ModelError> {
        let is_openai = self.base.as_str().starts_with("https://api.openai.com/");
        let body = body(&self.model, request, with_schema, is_openai)?;
        let mut tried = Tried::default();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let answer = self.send(&body, bearer, left).await;
            let failed = match answer {
                Ok(answer) => return reply(&answer.body, request.max_tokens),
                Err(failed) => failed,
            };
            let left = until.saturating_duration_since(Instant::now());
            let remedy = failed.fault.map(|fault| tried.remedy(fault, false, left));
            match remedy {
                Some(Remedy::Again(wait)) => tokio::time::sleep(wait).await,
                _ => return Err(failed.error),
            }
        }
    }

    async fn send(
        &self,
        body: &[u8],
        bearer: Option<&str>,
        timeout: Duration,
    ) -> Result<Answer, Failed> {
        let unsendable =
            |reason: String| Failed { fault: None, error: HttpError::Request(reason).into() };
        let url =
            self.base.join("chat/completions").map_err(|error| unsendable(error.to_string()))?;
        let text = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut headers =
            vec![text("content-type", "application/json"), text("accept", "application/json")];
        headers.extend(bearer.map(|bearer| text("authorization", bearer)));
        let call = Call {
            method: "POST".to_owned(),
            headers,
            body: Some(body.to_vec()),
            timeout,
            max_bytes: MAX_ANSWER,
            ..Call::get(url)
        };
        let answer = self.egress.send(call).await.map_err(unreachable)?;
        refused(&answer, bearer).map_or(Ok(answer), Err)
    }
}

fn unreachable(error: HttpError) -> Failed {
    let fault = match error {
        HttpError::Network { .. } => Some(CallFailure::Network),
        _ => None,
    };
    Failed { fault, error: error.into() }
}

/// What a status that is not a success means. What the provider says of it may quote the key.
fn refused(answer: &Answer, bearer: Option<&str>) -> Option<Failed> {
    let status = answer.status;
    let (fault, error) = match meaning(status) {
        StatusMeaning::Success => return None,
        StatusMeaning::AuthFailed => (None, ModelError::KeyRejected { status }),
        StatusMeaning::Throttled => {
            let header = answer.header("retry-after");
            let retry_after = header.and_then(|header| retry_after(header, Timestamp::now()));
            (Some(CallFailure::Throttled { retry_after }), ModelError::Throttled)
        }
        StatusMeaning::Unavailable | StatusMeaning::TimedOut => {
            (Some(CallFailure::Unavailable), ModelError::Unavailable { status })
        }
        StatusMeaning::Refused | StatusMeaning::Unexpected => {
            let key = bearer.and_then(|bearer| bearer.strip_prefix("Bearer "));
            let said = complaint(&answer.body);
            let message = key.map_or(said.clone(), |key| said.replace(key, "…"));
            (None, ModelError::Rejected { status, message })
        }
    };
    Some(Failed { fault, error })
}
