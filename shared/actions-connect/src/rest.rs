//! Calling a `rest_api` (F-096): pages, retries by status (F-306…F-311), and nothing secret in what comes out.

use std::time::Duration;

use countersign_connector::answer::{
    AnswerError, StatusMeaning, meaning, next_page, records, wait_after_throttle,
};
use countersign_connector::request::{Request, build};
use countersign_connector::{Credential, RequestRules, RestConnection};
use countersign_http_out::{Answer, Call as HttpCall, HttpError};
use countersign_registry::action::Call;
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::binding::Resolved;
use crate::error::ConnectError;
use crate::handler::Deps;
use crate::output::{Origin, shaped, stamp};

/// The largest answer read.
const MAX_ANSWER: u64 = 20 * 1024 * 1024;
/// Time kept for storing the output.
const RESERVE: Duration = Duration::from_secs(3);
/// Between a failure of the source and the one retry.
const PAUSE: Duration = Duration::from_millis(250);

pub(crate) async fn call(
    deps: &Deps,
    call: &Call,
    resolved: &Resolved,
    connection: &RestConnection,
    rules: &RequestRules,
) -> Result<Value, ConnectError> {
    let credential = credential(deps, call, resolved, connection).await?;
    let arguments = arguments(call, resolved)?;
    let request = build(connection, rules, &arguments, credential.as_ref())?;
    let caller = Caller {
        deps,
        resolved,
        rules,
        credential,
        timeout: Duration::from_secs(u64::from(connection.timeout_seconds)),
        deadline: Instant::now() + call.remaining.saturating_sub(RESERVE),
        idempotency_key: &call.idempotency_key,
    };
    let pages = caller.pages(request, call).await?;
    let mut output = shaped(resolved.endpoint.output.shape, pages.records, pages.has_more);
    output.insert("_has_more".to_owned(), pages.has_more.into());
    output.insert("warnings".to_owned(), pages.warnings.into());
    if !matches!(rules.pagination, countersign_connector::Pagination::None) {
        output.insert("_next_cursor".to_owned(), pages.cursor);
    }
    Ok(output.into())
}

/// The owner's credential, only when the connector needs one (K-37).
async fn credential(
    deps: &Deps,
    call: &Call,
    resolved: &Resolved,
    connection: &RestConnection,
) -> Result<Option<Credential>, ConnectError> {
    if connection.auth.credential_fields().is_empty() {
        return Ok(None);
    }
    let Some(id) = &resolved.binding.credential else { return Ok(None) };
    let connector = &resolved.definition.id;
    deps.credentials.credential(&call.owner, id, connector).await.map_err(ConnectError::Source)
}

/// The declared parameters with their defaults; nothing else is sent.
fn arguments(call: &Call, resolved: &Resolved) -> Result<Map<String, Value>, ConnectError> {
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

struct Caller<'c> {
    deps: &'c Deps,
    resolved: &'c Resolved,
    rules: &'c RequestRules,
    credential: Option<Credential>,
    timeout: Duration,
    deadline: Instant,
    idempotency_key: &'c str,
}

#[derive(Default)]
struct Pages {
    records: Vec<Map<String, Value>>,
    has_more: bool,
    cursor: Value,
    warnings: Vec<String>,
}

impl Caller<'_> {
    /// Fetches pages until there is no next one or a bound is reached. A failure after the first page keeps what is
    /// there and says so (F-309).
    async fn pages(&self, first: Request, call: &Call) -> Result<Pages, ConnectError> {
        let bounds = self.rules.pagination.bounds();
        let mut pages = Pages::default();
        let mut request = first;
        for number in 1..=bounds.max_pages {
            let answer = match self.answer(&request).await {
                Ok(answer) => answer,
                Err(error) if number > 1 => {
                    pages.warnings.push(format!("page {number} could not be read: {error}"));
                    pages.has_more = true;
                    break;
                }
                Err(error) => return Err(error),
            };
            let (json, found) = match self.read(&answer) {
                Ok(read) => read,
                Err(error) => {
                    // F-311: said and skipped; an effect has happened and must not look as if it had not.
                    tracing::warn!(connector = %self.resolved.connector(), %error, "an answer was not as expected");
                    pages.warnings.push(format!("page {number} was not as expected: {error}"));
                    pages.has_more = number > 1;
                    break;
                }
            };
            let count = found.len();
            let reference = request.public_address();
            let origin = Origin { reference: &reference, name: "" };
            let room = (bounds.max_records as usize).saturating_sub(pages.records.len());
            for mut record in found.into_iter().take(room) {
                stamp(&mut record, self.resolved, call, &origin);
                pages.records.push(record);
            }
            let next =
                next_page(&self.rules.pagination, &request, &json, count, answer.header("link"));
            pages.has_more = next.is_some() || count > room;
            pages.cursor = next.as_ref().map_or(Value::Null, |next| next.cursor.clone());
            let Some(next) = next else { break };
            if number == bounds.max_pages || pages.records.len() >= bounds.max_records as usize {
                break;
            }
            request = next.request;
            self.pace().await;
        }
        Ok(pages)
    }

    /// Keeps the stricter rate between pages.
    async fn pace(&self) {
        if let Some(rate) = self.resolved.requests_per_second().filter(|rate| *rate > 0.0) {
            let pause = Duration::from_secs_f64(1.0 / rate);
            tokio::time::sleep(pause.min(self.left())).await;
        }
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn read(&self, answer: &Answer) -> Result<(Value, Vec<Map<String, Value>>), AnswerError> {
        let head = self.rules.method == countersign_connector::Method::Head;
        if head || answer.body.is_empty() && !self.rules.method.reads() {
            return Ok((Value::Null, Vec::new()));
        }
        let json: Value = serde_json::from_slice(&answer.body)
            .map_err(|error| AnswerError::NotJson(error.to_string()))?;
        let found = records(self.rules, &json)?;
        Ok((json, found))
    }

    /// One answer with a good status, after the retries its failures allow.
    async fn answer(&self, request: &Request) -> Result<Answer, ConnectError> {
        let effect = !self.rules.method.reads() && !self.rules.safe;
        let (mut throttled, mut failed) = (0, 0);
        loop {
            let timeout = self.timeout * if failed > 0 { 2 } else { 1 };
            let outcome = self.deps.egress.send(self.http(request, timeout)).await;
            let (error, pause) = match outcome {
                Ok(answer) => match meaning(answer.status) {
                    StatusMeaning::Success => return Ok(answer),
                    StatusMeaning::Throttled if throttled < 3 => {
                        let pause = wait_after_throttle(answer.header("retry-after"), throttled);
                        throttled += 1;
                        (self.status_error(&answer), pause)
                    }
                    StatusMeaning::Unavailable if failed == 0 && !effect => {
                        failed += 1;
                        (self.status_error(&answer), PAUSE)
                    }
                    StatusMeaning::Unavailable if effect => {
                        return Err(self.in_doubt(&self.status_error(&answer)));
                    }
                    _ => return Err(self.status_error(&answer)),
                },
                Err(error @ (HttpError::Timeout { .. } | HttpError::Network { .. })) if effect => {
                    return Err(self.in_doubt(&error.into()));
                }
                Err(error @ (HttpError::Timeout { .. } | HttpError::Network { .. }))
                    if failed == 0 =>
                {
                    failed += 1;
                    (error.into(), PAUSE)
                }
                Err(error) => return Err(error.into()),
            };
            if pause >= self.left() {
                return Err(error);
            }
            tokio::time::sleep(pause).await;
        }
    }

    fn in_doubt(&self, cause: &ConnectError) -> ConnectError {
        ConnectError::InDoubt { connector: self.resolved.connector(), cause: cause.to_string() }
    }

    fn http(&self, request: &Request, timeout: Duration) -> HttpCall {
        let mut headers = request.headers.clone();
        let body = request.body.as_ref().map(|body| body.to_string().into_bytes());
        if body.is_some() {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        if !request.method.reads() {
            headers.push(("idempotency-key".to_owned(), self.idempotency_key.to_owned()));
        }
        HttpCall {
            method: request.method.as_str().to_owned(),
            url: request.url.clone(),
            headers,
            body,
            timeout: timeout.min(self.left()),
            max_bytes: MAX_ANSWER,
        }
    }

    fn status_error(&self, answer: &Answer) -> ConnectError {
        let connector = self.resolved.connector();
        let status = answer.status;
        match meaning(status) {
            StatusMeaning::AuthFailed => ConnectError::AuthFailed { connector, status },
            StatusMeaning::Throttled => ConnectError::Throttled { connector },
            StatusMeaning::Unavailable => ConnectError::Unavailable { connector, status },
            _ => ConnectError::Refused { connector, status, message: self.excerpt(&answer.body) },
        }
    }

    /// The beginning of an answer, in one line, without the credential: sources like to quote keys back.
    fn excerpt(&self, body: &[u8]) -> String {
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
