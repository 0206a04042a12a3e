//! What every type that calls HTTP shares: arguments, credential, and one call with the retries its failures allow
//! (F-306…F-311), within the step's time.

mod body;
mod failed;

use std::sync::Arc;
use std::time::Duration;

use countersign_connector::answer::{StatusMeaning, meaning, meaning_of};
use countersign_connector::effect::{Outgoing, outgoing, signed_auth};
use countersign_connector::oauth::{named_error, read_token, with_token};
use countersign_connector::request::{Request, authenticate};
use countersign_connector::{Auth, CURSOR_ARGUMENT, Credential, CredentialId};
use countersign_effect::{Effect, HttpEffect};
use countersign_failure::one_line;
use countersign_http_out::{Answer, Call as HttpCall, Egress, HttpError};
use countersign_registry::action::{Call, Recheck};
use countersign_resilience::{CallFailure, Remedy, Tried, retry_after};
use serde_json::{Map, Value};
use tokio::time::Instant;
use url::Url;

use crate::binding::Resolved;
use crate::credential;
use crate::deps::Deps;
use crate::error::ConnectError;
use crate::rate_meter::Meter;
use crate::token::{Login, Tokens};
use failed::{Counted, Failed};

/// The largest answer read.
pub(crate) const MAX_ANSWER: u64 = 20 * 1024 * 1024;
/// The largest answer of a token server.
const MAX_TOKEN_ANSWER: u64 = 64 * 1024;
/// Kept of the step's time at most, so that a call ends with its own error and not with the step's.
const RESERVE: Duration = Duration::from_secs(3);

/// When a call must have ended.
pub(crate) fn deadline(call: &Call) -> Instant {
    Instant::now() + call.remaining.saturating_sub(RESERVE.min(call.remaining / 10))
}

/// What an earlier call's `_next_cursor` said, when this one goes on from there.
pub(crate) fn cursor(call: &Call) -> Option<&Value> {
    let given = call.inputs.get(CURSOR_ARGUMENT).or_else(|| call.params.get(CURSOR_ARGUMENT));
    given.filter(|value| !value.is_null())
}

/// A request that only reads, as it goes out.
pub(crate) fn http(request: &Request) -> Result<HttpCall, ConnectError> {
    let mut headers = request.headers.clone();
    let (kind, body) = request.written_body()?.unzip();
    let is_said = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let kind = kind.filter(|_| !is_said);
    headers.extend(kind.map(|kind| ("content-type".to_owned(), kind)));
    Ok(sent(request.method.as_str().to_owned(), request.url.clone(), headers, body))
}

/// A signed effect as it goes out: exactly what was signed, with the credential in its places.
pub(crate) fn signed(
    effect: &HttpEffect,
    credential: Option<&Credential>,
) -> Result<HttpCall, ConnectError> {
    let Outgoing { method, url, headers, body } = outgoing(effect, credential)?;
    Ok(sent(method, url, headers, body))
}

fn sent(
    method: String,
    url: Url,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
) -> HttpCall {
    HttpCall { method, url, headers, body, timeout: Duration::ZERO, max_bytes: MAX_ANSWER }
}

/// The credential, only when the connector needs one (K-37). A signed call uses the one that was signed.
async fn credential(
    deps: &Deps,
    call: &Call,
    resolved: &Resolved,
    auth: &Auth,
) -> Result<Option<Credential>, ConnectError> {
    if auth.credential_fields().is_empty() {
        return Ok(None);
    }
    let signed = permitted(call).and_then(|effect| effect.credential.as_ref());
    let signed = signed.and_then(|used| CredentialId::parse(&used.id).ok());
    let used = signed.as_ref().or(resolved.binding.credential.as_ref());
    credential::find(deps, call, resolved, used).await
}

/// The effect that a call may have.
pub(crate) fn permitted(call: &Call) -> Option<&HttpEffect> {
    call.permit.as_ref().and_then(|permit| match &permit.effect {
        Effect::Http(http) => Some(http),
        Effect::File(_) => None,
    })
}

/// How requests prove who sends them: as signed where there is a signature, else as the connector says.
fn proof(call: &Call, auth: &Auth) -> Auth {
    let used = permitted(call).map(|effect| effect.credential.as_ref());
    used.map_or_else(|| auth.clone(), |used| used.map_or(Auth::None, signed_auth))
}

/// The declared parameters with their defaults; nothing else is sent.
pub(crate) fn arguments(
    call: &Call,
    resolved: &Resolved,
) -> Result<Map<String, Value>, ConnectError> {
    Ok(countersign_connector::request::arguments(&resolved.endpoint, &call.inputs, &call.params)?)
}

/// Sends the calls of one step to one connector.
#[derive(Clone)]
pub(crate) struct Caller<'c> {
    egress: &'c Egress,
    tokens: &'c Tokens,
    login: Login,
    connector: String,
    /// What the owner entered.
    entered: Option<Credential>,
    /// What calls are sent with: that, and a token where one is needed.
    credential: Option<Credential>,
    timeout: Duration,
    deadline: Instant,
    requests_per_second: Option<f64>,
    meter: Arc<Meter>,
    /// Asked before each call that changes something.
    recheck: Option<Arc<dyn Recheck>>,
}

impl<'c> Caller<'c> {
    /// A caller with the owner's credential, whose calls end before the step does.
    pub(crate) async fn open(
        deps: &'c Deps,
        call: &Call,
        resolved: &Resolved,
        auth: &Auth,
        timeout_seconds: u32,
    ) -> Result<Self, ConnectError> {
        let credential = credential(deps, call, resolved, auth).await?;
        let auth = &proof(call, auth);
        let mut caller = Self {
            egress: &deps.egress,
            tokens: &deps.tokens,
            login: Login::new(&call.owner, auth, credential.as_ref()),
            connector: resolved.connector(),
            entered: credential.clone(),
            credential,
            timeout: Duration::from_secs(u64::from(timeout_seconds)),
            deadline: deadline(call),
            requests_per_second: resolved.requests_per_second(),
            meter: resolved.meter.clone(),
            recheck: call.permit.as_ref().and_then(|permit| permit.recheck.clone()),
        };
        caller.log_in().await?;
        Ok(caller)
    }

    /// The same caller with a meter of its own to hear what it is answered.
    pub(crate) fn heard_by(&self, meter: Arc<Meter>) -> Self {
        Self { meter, ..self.clone() }
    }

    /// The same caller, which hears for itself: for one of several calls at a time.
    pub(crate) fn apart(&self) -> Self {
        self.heard_by(Arc::new(self.meter.apart()))
    }

    /// Adds what another caller heard.
    pub(crate) fn join(&self, other: &Self) {
        self.meter.join(&other.meter.heard());
    }

    /// What calls are sent with.
    pub(crate) fn credential(&self) -> Option<&Credential> {
        self.credential.as_ref()
    }

    /// Adds a token to the credential where the connector needs one: a kept one, or a new one.
    async fn log_in(&mut self) -> Result<(), ConnectError> {
        let Some(credential) = self.credential.clone() else { return Ok(()) };
        if let Some(token) = self.login.kept(self.tokens) {
            self.credential = Some(with_token(credential, token));
            return Ok(());
        }
        let Some(request) = self.login.request(&credential)? else { return Ok(()) };
        let call = HttpCall { max_bytes: MAX_TOKEN_ANSWER, ..http(&request)? };
        let answer = match self.exchange(&call, false, Counted::No).await {
            Ok(answer) => answer,
            Err(failed) => return Err(self.token_refused(*failed)),
        };
        let token = read_token(&answer.body)
            .map_err(|cause| ConnectError::Token { connector: self.connector.clone(), cause })?;
        self.credential = Some(with_token(credential, token.secret.clone()));
        self.login.keep(self.tokens, token);
        Ok(())
    }

    /// A client that is not known, or may not do this, is a refused credential whatever the status (F-306).
    fn token_refused(&self, failed: Failed) -> ConnectError {
        let Failed { error, answer: Some(answer) } = failed else { return failed.error };
        let (connector, status) = (self.connector.clone(), answer.status);
        let error = match named_error(&answer.body).filter(|_| status < 500) {
            Some("invalid_client" | "invalid_grant" | "unauthorized_client") => {
                let message = self.excerpt(&answer.body);
                ConnectError::AuthFailed { connector, status, message }
            }
            Some(name) => {
                let message = format!("the token server says `{name}`");
                ConnectError::Refused { connector, status, message }
            }
            None => error,
        };
        if let Some(fault) = error.fault() {
            self.meter.failed(&error, fault);
        }
        error
    }

    /// After a refused call: a new token when the refused one was a kept one, which the source may have ended early.
    /// False when there is nothing to renew, so that the refusal stands.
    pub(crate) async fn renew(&mut self) -> Result<bool, ConnectError> {
        if !self.login.forget(self.tokens) {
            return Ok(false);
        }
        // Without the part that was refused.
        self.credential = self.entered.clone();
        self.log_in().await?;
        Ok(true)
    }

    /// Gives a request the credential as it is now.
    pub(crate) fn authenticate(&self, request: &mut Request) -> Result<(), ConnectError> {
        Ok(authenticate(self.login.auth(), self.credential.as_ref(), request)?)
    }

    /// What is left of the step's time.
    pub(crate) fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Keeps the stricter rate between two calls.
    pub(crate) async fn pace(&self) {
        if let Some(rate) = self.requests_per_second.filter(|rate| *rate > 0.0) {
            let pause = Duration::from_secs_f64(1.0 / rate);
            tokio::time::sleep(pause.min(self.left())).await;
        }
    }

    /// One answer with a good status, after the retries its failures allow. `effect` says that the call changes
    /// something, so that it is not repeated when its outcome is unknown. The timeout is the caller's.
    pub(crate) async fn send(&self, http: &HttpCall, effect: bool) -> Result<Answer, ConnectError> {
        let answer = self.exchange(http, effect, Counted::Yes).await;
        Ok(self.scrubbed(answer.map_err(|failed| failed.error)?))
    }

    /// The answer without the credential: some sources quote it in what they give, and outputs are stored and shown.
    fn scrubbed(&self, mut answer: Answer) -> Answer {
        let Some(credential) = self.credential() else { return answer };
        let text = std::str::from_utf8(&answer.body).ok();
        if let Some(clean) = text.and_then(|text| credential.scrub_data(text)) {
            answer.body = clean.into_bytes();
        }
        answer
    }

    async fn exchange(
        &self,
        http: &HttpCall,
        effect: bool,
        counted: Counted,
    ) -> Result<Answer, Box<Failed>> {
        let mut tried = Tried::default();
        loop {
            if counted == Counted::Yes {
                self.meter.permit(self.deadline).await?;
            }
            let timeout = self.timeout * tried.timeouts();
            let left = self.left();
            if left.is_zero() {
                return Err(self.out_of_time().into());
            }
            let http = HttpCall { timeout: timeout.min(left), ..http.clone() };
            if effect {
                self.still_allowed().await?;
            }
            let begun = Instant::now();
            let (error, answer) = match self.egress.send(http).await {
                Ok(answer) if meaning(answer.status) == StatusMeaning::Success => {
                    if counted == Counted::Yes {
                        self.meter.answered(begun.elapsed());
                    }
                    return Ok(answer);
                }
                Ok(answer) => (self.status_error(&answer, effect), Some(answer)),
                // A source that had less than its usual time did not fail.
                Err(HttpError::Timeout { .. }) if left < timeout => (self.out_of_time(), None),
                Err(error) => (error.into(), None),
            };
            if effect && error.may_have_acted() {
                return Err(self.in_doubt(&error).into());
            }
            let Some(fault) = error.fault() else { return Err(error.into()) };
            let fault = match fault {
                CallFailure::Throttled { .. } => {
                    CallFailure::Throttled { retry_after: self.asked(&answer) }
                }
                other => other,
            };
            self.meter.failed(&error, fault);
            match tried.remedy(fault, effect, self.left()) {
                Remedy::Again(pause) => tokio::time::sleep(pause).await,
                Remedy::GiveUp => return Err(Box::new(Failed { error, answer })),
                Remedy::InDoubt => return Err(self.in_doubt(&error).into()),
            }
        }
    }

    async fn still_allowed(&self) -> Result<(), ConnectError> {
        let Some(recheck) = &self.recheck else { return Ok(()) };
        recheck.refusal().await.map_or(Ok(()), |error| Err(ConnectError::NotAllowedAnyMore(error)))
    }

    fn out_of_time(&self) -> ConnectError {
        ConnectError::OutOfTime { waited_for: format!("`{}` answered", self.connector) }
    }

    /// What to do about an error that stands in an answer whose status is good. It is heard as any other.
    pub(crate) fn remedy(&self, tried: &mut Tried, error: &ConnectError, effect: bool) -> Remedy {
        let Some(fault) = error.fault() else { return Remedy::GiveUp };
        self.meter.failed(error, fault);
        tried.remedy(fault, effect, self.left())
    }

    /// How long the source asks to wait.
    fn asked(&self, answer: &Option<Answer>) -> Option<Duration> {
        retry_after(answer.as_ref()?.header("retry-after")?, self.meter.now())
    }

    /// Notes that an answer could not be read (F-311).
    pub(crate) fn malformed(&self) {
        self.meter.malformed();
    }

    pub(crate) fn in_doubt(&self, cause: &ConnectError) -> ConnectError {
        ConnectError::InDoubt { connector: self.connector.clone(), cause: cause.to_string() }
    }

    fn status_error(&self, answer: &Answer, effect: bool) -> ConnectError {
        let connector = self.connector.clone();
        let status = answer.status;
        match meaning_of(status, answer.header("retry-after"), &answer.body, effect) {
            StatusMeaning::AuthFailed => {
                ConnectError::AuthFailed { connector, status, message: self.excerpt(&answer.body) }
            }
            StatusMeaning::Throttled => ConnectError::Throttled { connector },
            StatusMeaning::TimedOut | StatusMeaning::Unavailable => {
                ConnectError::Unavailable { connector, status }
            }
            _ => ConnectError::Refused { connector, status, message: self.excerpt(&answer.body) },
        }
    }

    /// The beginning of an answer, in one line, without the credential: sources like to quote keys back.
    fn excerpt(&self, body: &[u8]) -> String {
        let text = self.scrub(&String::from_utf8_lossy(&body[..body.len().min(2_000)]));
        one_line(&text).chars().take(200).collect()
    }

    /// Takes the credential out of texts that were not readable before they were decoded.
    pub(crate) fn scrub_decoded(&self, records: &mut [Map<String, Value>], fields: &[String]) {
        let Some(credential) = self.credential() else { return };
        for record in records {
            for name in fields {
                if let Some(Value::String(text)) = record.get_mut(name)
                    && let Some(clean) = credential.scrub_data(text)
                {
                    *text = clean;
                }
            }
        }
    }

    /// A text of the source without the credential.
    pub(crate) fn scrub(&self, text: &str) -> String {
        self.credential().map_or_else(|| text.to_owned(), |credential| credential.scrub(text))
    }
}
