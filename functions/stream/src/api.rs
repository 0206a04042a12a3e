//! Starting a run at the API, as whoever asks here: rights, quotas and idempotency have their home there.

use std::time::Duration;

use axum::body::Bytes;
use countersign_failure::Failure as _;
use countersign_http_out::{Answer, Call, Egress};
use countersign_run::RunId;
use countersign_web::Problem;
use http::{HeaderMap, HeaderName, StatusCode, header};
use serde::Deserialize;
use url::Url;

/// The API answers within 29 seconds, or is stopped.
const TIMEOUT: Duration = Duration::from_secs(29);
/// The longest answer to a start that is read; it is a few kilobytes.
const MAX_ANSWER: u64 = 1024 * 1024;
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The API of this deployment.
pub(crate) struct Api {
    egress: Egress,
    executions: Url,
}

/// A run that was started.
#[derive(Debug, Deserialize)]
pub(crate) struct Started {
    /// The run.
    pub(crate) id: RunId,
    /// Where its events are read from now on.
    #[serde(default)]
    pub(crate) events_url: Option<String>,
}

impl Api {
    /// The API at this address.
    pub(crate) fn new(egress: Egress, public_url: &str) -> Result<Self, String> {
        let address = format!("{}/api/agent-factory/executions", public_url.trim_end_matches('/'));
        let executions = Url::parse(&address).map_err(|error| error.to_string())?;
        Ok(Self { egress, executions })
    }

    /// Starts a run with the token and under the key of whoever asks.
    ///
    /// # Errors
    /// What the API answers when it starts none.
    pub(crate) async fn start(
        &self,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Started, Problem> {
        let forwarded = [header::AUTHORIZATION, header::CONTENT_TYPE, IDEMPOTENCY_KEY];
        let given = |name: HeaderName| {
            let value = headers.get(&name)?.to_str().ok()?;
            Some((name.to_string(), value.to_owned()))
        };
        let call = Call {
            method: "POST".to_owned(),
            headers: forwarded.into_iter().filter_map(given).collect(),
            body: Some(body.to_vec()),
            timeout: TIMEOUT,
            max_bytes: MAX_ANSWER,
            ..Call::get(self.executions.clone())
        };
        let answer = self.egress.send(call).await.map_err(|error| {
            tracing::error!(code = error.code(), %error, "the API did not answer");
            lost()
        })?;
        match answer.status {
            200 | 202 => serde_json::from_slice(&answer.body).map_err(|_| lost()),
            _ => Err(refused(&answer)),
        }
    }
}

/// Whether the run was started is not known: the request may have arrived.
fn lost() -> Problem {
    let detail = "the API did not answer, so it is not known whether the run was started";
    let problem = Problem::new(StatusCode::BAD_GATEWAY, "RUN_START_UNKNOWN", detail);
    problem.with_hint("ask again with the same `Idempotency-Key`: one run is started in all")
}

/// The API's own words, or those of the gateway in front of it, which knows no problem documents.
fn refused(answer: &Answer) -> Problem {
    let retry_after =
        answer.header(header::RETRY_AFTER.as_str()).and_then(|value| value.parse().ok());
    if let Some(problem) = Problem::passed_on(&answer.body, retry_after) {
        return problem;
    }
    if answer.status == StatusCode::TOO_MANY_REQUESTS {
        let detail = "too many requests at once: no run was started";
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "API_THROTTLED", detail);
        return problem.again_after(retry_after.unwrap_or(1));
    }
    lost()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a reader is told of an answer of the API: status, code, and when to come back.
    fn told(status: u16, body: &str, retry_after: Option<&str>) -> (u16, String, Option<u32>) {
        let name = header::RETRY_AFTER.to_string();
        let answer = Answer {
            status,
            headers: retry_after.map(|value| (name, value.to_owned())).into_iter().collect(),
            url: Url::parse("https://api.example/").unwrap(),
            body: body.as_bytes().to_vec(),
        };
        let problem = refused(&answer);
        (problem.status, problem.code.clone(), problem.retry_after)
    }

    #[test]
    fn r_093_what_starts_no_run_says_why_or_that_nobody_knows() {
        let quota = r#"{"type":"/errors/QUOTA_EXCEEDED","title":"t","status":429,"detail":"d","code":"QUOTA_EXCEEDED","limit":5}"#;
        assert_eq!(told(429, quota, Some("60")), (429, "QUOTA_EXCEEDED".to_owned(), Some(60)));
        let gateway = r#"{"message":"Too Many Requests"}"#;
        assert_eq!(told(429, gateway, None), (429, "API_THROTTLED".to_owned(), Some(1)));
        for status in [403, 500, 503, 504] {
            assert_eq!(told(status, gateway, None), (502, "RUN_START_UNKNOWN".to_owned(), None));
        }
    }
}
