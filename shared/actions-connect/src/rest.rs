//! Calling a `rest_api` (F-096): page after page, and nothing secret in what comes out.

use std::time::Duration;

use countersign_connector::answer::{AnswerError, next_page, records};
use countersign_connector::request::{Request, build};
use countersign_connector::{Method, Pagination, RequestRules, RestConnection};
use countersign_http_out::{Answer, Call as HttpCall};
use countersign_registry::action::Call;
use serde_json::{Map, Value};

use crate::binding::Resolved;
use crate::calling::{Caller, MAX_ANSWER, arguments, credential};
use crate::error::ConnectError;
use crate::handler::Deps;
use crate::output::{Origin, shaped, stamp};

pub(crate) async fn call(
    deps: &Deps,
    call: &Call,
    resolved: &Resolved,
    connection: &RestConnection,
    rules: &RequestRules,
) -> Result<Value, ConnectError> {
    let credential = credential(deps, call, resolved, &connection.auth).await?;
    let arguments = arguments(call, resolved)?;
    let request = build(connection, rules, &arguments, credential.as_ref())?;
    let caller = Caller::new(deps, call, resolved, credential, connection.timeout_seconds);
    let pages = Reading { caller, resolved, rules, call }.pages(request).await?;
    let mut output = shaped(resolved.endpoint.output.shape, pages.records, pages.has_more);
    output.insert("_has_more".to_owned(), pages.has_more.into());
    output.insert("warnings".to_owned(), pages.warnings.into());
    if !matches!(rules.pagination, Pagination::None) {
        output.insert("_next_cursor".to_owned(), pages.cursor);
    }
    Ok(output.into())
}

struct Reading<'r> {
    caller: Caller<'r>,
    resolved: &'r Resolved,
    rules: &'r RequestRules,
    call: &'r Call,
}

#[derive(Default)]
struct Pages {
    records: Vec<Map<String, Value>>,
    has_more: bool,
    cursor: Value,
    warnings: Vec<String>,
}

impl Reading<'_> {
    /// Fetches pages until there is no next one or a bound is reached. A failure after the first page keeps what is
    /// there and says so (F-309).
    async fn pages(&self, first: Request) -> Result<Pages, ConnectError> {
        let bounds = self.rules.pagination.bounds();
        let effect = !self.rules.method.reads() && !self.rules.safe;
        let mut pages = Pages::default();
        let mut request = first;
        for number in 1..=bounds.max_pages {
            let answer = match self.caller.send(&self.http(&request), effect).await {
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
                    self.caller.malformed();
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
                stamp(&mut record, self.resolved, self.call, &origin);
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
            self.caller.pace().await;
        }
        Ok(pages)
    }

    fn read(&self, answer: &Answer) -> Result<(Value, Vec<Map<String, Value>>), AnswerError> {
        let head = self.rules.method == Method::Head;
        if head || answer.body.is_empty() && !self.rules.method.reads() {
            return Ok((Value::Null, Vec::new()));
        }
        let json: Value = serde_json::from_slice(&answer.body)
            .map_err(|error| AnswerError::NotJson(error.to_string()))?;
        let found = records(self.rules, &json)?;
        Ok((json, found))
    }

    fn http(&self, request: &Request) -> HttpCall {
        let mut headers = request.headers.clone();
        let body = request.body.as_ref().map(|body| body.to_string().into_bytes());
        if body.is_some() {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        if !request.method.reads() {
            headers.push(("idempotency-key".to_owned(), self.call.idempotency_key.clone()));
        }
        HttpCall {
            method: request.method.as_str().to_owned(),
            url: request.url.clone(),
            headers,
            body,
            timeout: Duration::ZERO,
            max_bytes: MAX_ANSWER,
        }
    }
}
