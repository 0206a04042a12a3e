//! The one client of the REST door: JSON in, JSON out, problems as errors.

use std::net::IpAddr;
use std::time::Duration;

use countersign_failure::{at_path, network_problem};
use reqwest::{Client, Method, Response, Url};
use serde_json::Value;

use crate::error::CliError;

/// Looks at an answer of success: method, path, status and body.
pub type Inspect = fn(&Method, &str, u16, &Value);

/// An open door: an address and, for most of what is behind it, a token.
#[derive(Debug, Clone)]
pub struct Door {
    client: Client,
    base: String,
    token: Option<String>,
    inspect: Option<Inspect>,
}

impl Door {
    /// A door without a token.
    ///
    /// # Errors
    /// [`CliError::Door`] when no client can be made.
    pub fn open(base: &str) -> Result<Self, CliError> {
        let failed =
            |error: reqwest::Error| CliError::Door { url: base.to_owned(), reason: plain(&error) };
        let mut builder = Client::builder().timeout(Duration::from_secs(60));
        if base.starts_with("http://127.0.0.1") {
            builder = builder.no_proxy();
        }
        Ok(Self {
            client: builder.build().map_err(failed)?,
            base: base.trim_end_matches('/').to_owned(),
            token: None,
            inspect: None,
        })
    }

    /// A door with a token.
    ///
    /// # Errors
    /// [`CliError::Argument`] when the token would be sent without encryption, to another machine; otherwise as [`Door::open`].
    pub fn with(base: &str, token: String) -> Result<Self, CliError> {
        if !is_private(base) {
            return Err(CliError::Argument(format!(
                "`{base}` is not an address that a token is sent to: give one that begins with `https://`"
            )));
        }
        Ok(Self { token: Some(token), ..Self::open(base)? })
    }

    /// The same door, whose answers of success are looked at before they are given.
    #[must_use]
    pub fn inspected_by(self, inspect: Inspect) -> Self {
        Self { inspect: Some(inspect), ..self }
    }

    /// The address of the deployment.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Reads.
    ///
    /// # Errors
    /// [`CliError::Refused`] with the door's reason, [`CliError::Door`] when it cannot be reached.
    pub async fn get(&self, path: &str) -> Result<Value, CliError> {
        self.ask(Method::GET, path, None, None).await
    }

    /// Creates or starts something; a repeated call of this program is a new request.
    ///
    /// # Errors
    /// As [`Door::get`].
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, CliError> {
        self.post_once(path, body, &uuid::Uuid::now_v7().to_string()).await
    }

    /// Creates or starts something once, however often it is asked with this key.
    ///
    /// # Errors
    /// As [`Door::get`].
    pub async fn post_once(&self, path: &str, body: &Value, key: &str) -> Result<Value, CliError> {
        self.ask(Method::POST, path, Some(body), Some(key)).await
    }

    /// Replaces.
    ///
    /// # Errors
    /// As [`Door::get`].
    pub async fn put(&self, path: &str, body: &Value) -> Result<Value, CliError> {
        self.ask(Method::PUT, path, Some(body), None).await
    }

    /// Changes a part (RFC 7396).
    ///
    /// # Errors
    /// As [`Door::get`].
    pub async fn patch(&self, path: &str, body: &Value) -> Result<Value, CliError> {
        self.ask(Method::PATCH, path, Some(body), None).await
    }

    /// Removes.
    ///
    /// # Errors
    /// As [`Door::get`].
    pub async fn delete(&self, path: &str) -> Result<Value, CliError> {
        self.ask(Method::DELETE, path, None, None).await
    }

    /// Puts a file where an upload says: address and headers are the door's, the token stays here.
    ///
    /// # Errors
    /// [`CliError::Door`] when the place does not take it.
    pub async fn send(&self, place: &Value, content: Vec<u8>) -> Result<(), CliError> {
        let url = place.get("url").and_then(Value::as_str).unwrap_or_default();
        let mut request = self.client.put(url).body(content);
        for (name, value) in place.get("headers").and_then(Value::as_object).into_iter().flatten() {
            request = request.header(name, value.as_str().unwrap_or_default());
        }
        // The address is signed: a failure names the place without it.
        let failed = |reason: String| CliError::Door {
            url: url.split('?').next().unwrap_or_default().to_owned(),
            reason,
        };
        let answer = request.send().await.map_err(|error| failed(plain(&error)))?;
        let status = answer.status();
        if status.is_success() {
            Ok(())
        } else {
            Err(failed(format!("status {}", status.as_u16())))
        }
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        key: Option<&str>,
    ) -> Result<Value, CliError> {
        let url = format!("{}{path}", self.base);
        let mut request =
            self.client.request(method.clone(), &url).header("accept", "application/json");
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let failed = |error| unanswered(&url, &error);
        let answer = request.send().await.map_err(failed)?;
        let status = answer.status().as_u16();
        let is_success = answer.status().is_success();
        let text = text(answer).await.map_err(failed)?;
        if !is_success {
            return Err(refusal(status, &text));
        }
        if text.trim().is_empty() {
            return Ok(Value::Null);
        }
        let body = serde_json::from_str(&text)
            .map_err(|_| CliError::Door { url, reason: format!("status {status} without JSON") })?;
        if let Some(inspect) = self.inspect {
            inspect(&method, path, status, &body);
        }
        Ok(body)
    }
}

/// Whether nobody on the way reads what is sent to this address: it is encrypted, or does not leave this machine.
fn is_private(base: &str) -> bool {
    let Ok(address) = Url::parse(base) else { return false };
    let host = address.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let is_here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    address.scheme() == "https" || (address.scheme() == "http" && is_here)
}

async fn text(answer: Response) -> Result<String, reqwest::Error> {
    answer.text().await
}

/// What is said when there was no answer from this address.
pub(crate) fn unanswered(url: &str, error: &reqwest::Error) -> CliError {
    CliError::Door { url: url.to_owned(), reason: plain(error) }
}

/// Why there was no answer, without the address, which may be a secret.
pub(crate) fn plain(error: &reqwest::Error) -> String {
    if let Some(status) = error.status() {
        return format!("it answered with status {}", status.as_u16());
    }
    if error.is_builder() {
        return "the address, or what is sent, cannot be used".to_owned();
    }
    if error.is_decode() || error.is_body() {
        return "its answer cannot be read".to_owned();
    }
    // The innermost cause: the outer ones repeat the address.
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    network_problem(&cause.to_string()).to_owned()
}

/// What a problem document says; gateways that answer without one are quoted by status.
fn refusal(status: u16, text: &str) -> CliError {
    let problem: Value = serde_json::from_str(text).unwrap_or_default();
    let said = |name: &str| problem.get(name).and_then(Value::as_str).map(str::to_owned);
    if said("code").is_none()
        && let Some((title, help)) = of_gateway(status)
    {
        let (title, help) = (title.to_owned(), Some(help.to_owned()));
        return CliError::Refused { status, code: None, title, help, fields: Vec::new() };
    }
    let mut title = said("detail")
        .or_else(|| said("title"))
        .or_else(|| said("message"))
        .unwrap_or_else(|| format!("the API answered with status {status}"));
    let mut fields = Vec::new();
    for error in problem.get("errors").and_then(Value::as_array).into_iter().flatten() {
        let part = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
        let (path, message) = (part("path"), part("message"));
        fields.push(path.to_owned());
        let told = at_path(path, message);
        // Where there is one mistake only, the title tells it already.
        if title != told && title != message {
            title.push_str("\n  ");
            title.push_str(&told);
        }
        if let Some(hint) = error.get("hint").and_then(Value::as_str) {
            title.push_str("; ");
            title.push_str(hint);
        }
    }
    CliError::Refused { status, code: said("code"), title, help: said("hint"), fields }
}

/// What the gateway means by an answer that is not a problem document: it says one word, such as `Forbidden`.
fn of_gateway(status: u16) -> Option<(&'static str, &'static str)> {
    let said = match status {
        401 => (
            "the request has no token",
            "give one with `--token` or COUNTERSIGN_TOKEN; `countersign token` makes one of the local stack",
        ),
        403 => (
            "the token is not accepted: it is incomplete, or another deployment issued it",
            "sign in again; on the local stack, `countersign token` makes a new one",
        ),
        413 => ("the request is larger than the deployment accepts (10 MB)", "send less at a time"),
        429 => ("the deployment receives too many requests", "wait a moment and try again"),
        500 | 503 | 504 => (
            "the deployment did not answer: a function failed or took too long",
            "try again; if it stays so, look at the log of the function",
        ),
        _ => return None,
    };
    Some(said)
}

#[cfg(test)]
mod tests {
    use super::{Door, refusal};
    use crate::error::CliError;

    #[track_caller]
    fn check(status: u16, body: &str, expect: &str) {
        assert_eq!(refusal(status, body).to_string(), expect);
    }

    #[test]
    fn a_problem_is_told_with_its_code_and_places() {
        check(
            409,
            r#"{"title":"Conflict","detail":"bob denied it","code":"ALREADY_DECIDED"}"#,
            "bob denied it (ALREADY_DECIDED)",
        );
        check(
            422,
            r#"{"detail":"one thing","code":"INVALID_INPUT","errors":[{"path":"name","message":"is empty"}]}"#,
            "one thing\n  `name`: is empty (INVALID_INPUT)",
        );
        check(
            422,
            r#"{"detail":"`name`: is empty","code":"INVALID_INPUT","errors":[{"path":"name","message":"is empty"}]}"#,
            "`name`: is empty (INVALID_INPUT)",
        );
        check(
            422,
            r#"{"detail":"no list","code":"INVALID_INPUT","errors":[{"path":"currency","message":"`currency` must be text"}]}"#,
            "no list\n  `currency` must be text (INVALID_INPUT)",
        );
        check(
            422,
            r#"{"detail":"it has no step `save`","code":"STRIKE_STEP","errors":[{"path":"step","message":"it has no step `save`"}]}"#,
            "it has no step `save` (STRIKE_STEP)",
        );
        check(
            422,
            r#"{"detail":"`nam`: is unknown","code":"INVALID_INPUT","errors":[{"path":"nam","message":"is unknown","hint":"did you mean `name`?"}]}"#,
            "`nam`: is unknown; did you mean `name`? (INVALID_INPUT)",
        );
        check(
            403,
            r#"{"message":"Forbidden"}"#,
            "the token is not accepted: it is incomplete, or another deployment issued it",
        );
        check(403, r#"{"detail":"no","code":"PERMISSION_DENIED"}"#, "no (PERMISSION_DENIED)");
        check(502, "<html>", "the API answered with status 502");
    }

    #[test]
    fn a_token_is_sent_encrypted_or_stays_on_this_machine() {
        let taken = |base: &str| Door::with(base, "token".to_owned()).is_ok();
        for base in [
            "https://api.example.org",
            "http://127.0.0.1:4566/x",
            "http://[::1]:4566",
            "http://localhost:4566",
        ] {
            assert!(taken(base), "{base}");
        }
        for base in [
            "http://api.example.org",
            "http://10.0.0.1",
            "http://localhost.example.org",
            "http://127.0.0.1@example.org",
            "http://127.0.0.1.example.org/x",
            "ftp://127.0.0.1",
            "api.example.org",
            "",
        ] {
            let refused = Door::with(base, "token".to_owned()).unwrap_err();
            assert_eq!(refused.exit_code(), 2, "{base}: {refused}");
        }
    }

    #[test]
    fn a_problem_carries_its_advice() {
        let CliError::Refused { help, status, .. } =
            refusal(401, r#"{"detail":"expired","hint":"sign in again","code":"TOKEN_EXPIRED"}"#)
        else {
            panic!("not a refusal")
        };
        assert_eq!((status, help.as_deref()), (401, Some("sign in again")));
    }
}
