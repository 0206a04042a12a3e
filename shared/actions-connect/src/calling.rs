//! What every type that calls HTTP shares: arguments, credential, and one call with the retries its failures allow
//! (F-306…F-311), within the step's time.

use std::sync::Arc;
use std::time::Duration;

use countersign_connector::answer::{StatusMeaning, meaning};
use countersign_connector::{Auth, Credential};
use countersign_http_out::{Answer, Call as HttpCall, Egress};
use countersign_registry::action::Call;
use countersign_resilience::{Fault, Remedy, Tried, retry_after};
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::binding::Resolved;
use crate::error::ConnectError;
use crate::handler::Deps;
use crate::meter::Meter;

/// The largest answer read.
pub(crate) const MAX_ANSWER: u64 = 20 * 1024 * 1024;
/// Time kept for storing the output.
pub(crate) const RESERVE: Duration = Duration::from_secs(3);

/// The owner's credential, only when the connector needs one (K-37).
pub(crate) async fn credential(
    deps: &Deps,
    call: &Call,
    resolved: &Resolved,
    auth: &Auth,
) -> Result<Option<Credential>, ConnectError> {
    if auth.credential_fields().is_empty() {
        return Ok(None);
    }
    let Some(id) = &resolved.binding.credential else { return Ok(None) };
    let connector = &resolved.definition.id;
    deps.credentials.credential(&call.owner, id, connector).await.map_err(ConnectError::Source)
}

/// The declared parameters with their defaults; nothing else is sent.
pub(crate) fn arguments(
    call: &Call,
    resolved: &Resolved,
) -> Result<Map<String, Value>, ConnectError> {
    let mut arguments = Map::new();
    for parameter in &resolved.endpoint.parameters {
        let given = call.inputs.get(&parameter.name).or_else(|| call.params.get(&parameter.name));
        let value = given.filter(|value| !value.is_null()).or(parameter.default.as_ref());
        match value {
            Some(value) => {
                arguments.insert(parameter.name.clone(), value.clone());
            }
            None if parameter.required => {
                return Err(ConnectError::Argument(format!(
                    "the input `{}` is missing",
                    parameter.name
                )));
            }
            None => {}
        }
    }
    Ok(arguments)
}

/// Sends the calls of one step to one connector.
pub(crate) struct Caller<'c> {
    egress: &'c Egress,
    connector: String,
    credential: Option<Credential>,
    timeout: Duration,
    deadline: Instant,
    requests_per_second: Option<f64>,
    meter: Arc<Meter>,
}

impl<'c> Caller<'c> {
    /// A caller whose calls end before the step does.
    pub(crate) fn new(
        deps: &'c Deps,
        call: &Call,
        resolved: &Resolved,
        credential: Option<Credential>,
        timeout_seconds: u32,
    ) -> Self {
        Self {
            egress: &deps.egress,
            connector: resolved.connector(),
            credential,
            timeout: Duration::from_secs(u64::from(timeout_seconds)),
            deadline: Instant::now() + call.remaining.saturating_sub(RESERVE),
            requests_per_second: resolved.requests_per_second(),
            meter: resolved.meter.clone(),
        }
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
        let mut tried = Tried::default();
        loop {
            self.meter.permit(self.deadline).await?;
            let timeout = self.timeout * tried.timeouts();
            let http = HttpCall { timeout: timeout.min(self.left()), ..http.clone() };
            let begun = Instant::now();
            let (error, asked) = match self.egress.send(http).await {
                Ok(answer) if meaning(answer.status) == StatusMeaning::Success => {
                    self.meter.answered(begun.elapsed());
                    return Ok(answer);
                }
                Ok(answer) => {
                    let asked = answer.header("retry-after");
                    let asked = asked.and_then(|asked| retry_after(asked, self.meter.now()));
                    (self.status_error(&answer), asked)
                }
                Err(error) => (error.into(), None),
            };
            let Some(fault) = error.fault() else { return Err(error) };
            let fault = match fault {
                Fault::Throttled { .. } => Fault::Throttled { retry_after: asked },
                other => other,
            };
            self.meter.failed(&error, fault);
            match tried.remedy(fault, effect, self.left()) {
                Remedy::Again(pause) => tokio::time::sleep(pause).await,
                Remedy::GiveUp => return Err(error),
                Remedy::InDoubt => return Err(self.in_doubt(&error)),
            }
        }
    }

    /// Notes that an answer could not be read (F-311).
    pub(crate) fn malformed(&self) {
        self.meter.malformed();
    }

    fn in_doubt(&self, cause: &ConnectError) -> ConnectError {
        ConnectError::InDoubt { connector: self.connector.clone(), cause: cause.to_string() }
    }

    fn status_error(&self, answer: &Answer) -> ConnectError {
        let connector = self.connector.clone();
        let status = answer.status;
        match meaning(status) {
            StatusMeaning::AuthFailed => ConnectError::AuthFailed { connector, status },
            StatusMeaning::Throttled => ConnectError::Throttled { connector },
            StatusMeaning::Unavailable => ConnectError::Unavailable { connector, status },
            _ => ConnectError::Refused { connector, status, message: self.excerpt(&answer.body) },
        }
    }

    /// The beginning of an answer, in one line, without the credential: sources like to quote keys back.
    pub(crate) fn excerpt(&self, body: &[u8]) -> String {
        let text = String::from_utf8_lossy(&body[..body.len().min(2_000)]);
        let text = self
            .credential
            .as_ref()
            .map_or_else(|| text.to_string(), |credential| credential.scrub(&text));
        let words = text.split(|c: char| c.is_whitespace() || c.is_control());
        let line: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        line.join(" ").chars().take(200).collect()
    }
}
