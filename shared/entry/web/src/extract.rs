//! Extractors that answer with problems.

mod all;
mod twice;
mod words;

use std::borrow::Cow;

use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequest, FromRequestParts, OptionalFromRequest, RawPathParams, Request};
use axum::response::{IntoResponse, Response};
use countersign_decimal::json::unrounded;
use countersign_failure::json_problem;
use http::request::Parts;
use http::{StatusCode, header};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// No body is larger. Files go to the bucket directly (K-92).
pub const MAX_BODY_BYTES: usize = 1024 * 1024;

/// No JSON is nested deeper.
pub const MAX_JSON_DEPTH: usize = 64;

/// No name in a path is longer: stores take keys of 1,024 bytes, some of which hold two names.
const MAX_NAME_BYTES: usize = 400;

/// No value of the query is longer, but for cursors, which are authenticated before a store sees them.
const MAX_VALUE_BYTES: usize = 1_000;

/// A JSON body, as it comes in and as it goes out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let WrittenJson(bytes) = WrittenJson::from_request(request, state).await?;
        Self::read(bytes)
    }
}

impl<T: DeserializeOwned> Json<T> {
    fn read(bytes: Bytes) -> Result<Self, Problem> {
        parse(&bytes).map(Json).map_err(|mut problem| {
            problem.unread = Some(bytes).filter(|_| problem.code == "INVALID_INPUT");
            problem
        })
    }
}

/// The body of a request that may have none; `null` says as much.
impl<T: DeserializeOwned, S: Send + Sync> OptionalFromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Option<Self>, Problem> {
        let is_json = require_json(&request);
        let bytes = bytes(request, state).await?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let Json(body) = is_json.and_then(|()| Json::<Option<T>>::read(bytes))?;
        Ok(body.map(Json))
    }
}

/// A body that says it is JSON, as it was written: for a door that checks a signature before it reads.
#[derive(Debug, Clone, Default)]
pub struct WrittenJson(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for WrittenJson {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        require_json(&request)?;
        bytes(request, state).await.map(Self)
    }
}

async fn bytes<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, Problem> {
    let sent = request.headers().get(header::CONTENT_LENGTH).cloned();
    let bytes = Bytes::from_request(request, state).await.map_err(|rejection| {
        let status = rejection.into_response().status();
        if status == StatusCode::PAYLOAD_TOO_LARGE {
            let detail = format!("the body is larger than {MAX_BODY_BYTES} bytes");
            return Problem::new(status, "BODY_TOO_LARGE", detail);
        }
        Problem::new(StatusCode::BAD_REQUEST, "BODY_UNREADABLE", "the body could not be read")
    })?;
    let sent = sent.and_then(|sent| sent.to_str().ok()?.parse().ok());
    if sent.is_some_and(|sent: usize| is_replaced(&bytes, sent)) {
        let says = "the body is not UTF-8";
        let problem = Problem::new(StatusCode::BAD_REQUEST, "BODY_UNREADABLE", says);
        return Err(problem.with_hint("send JSON in UTF-8"));
    }
    Ok(bytes)
}

/// Whether the gateway has put replacement characters in the place of bytes that are not UTF-8: then the body is not as long as
/// its sender said.
fn is_replaced(body: &[u8], sent: usize) -> bool {
    let replacement = "\u{fffd}".as_bytes();
    body.len() != sent && body.windows(replacement.len()).any(|some| some == replacement)
}

impl WrittenJson {
    /// What it says, whatever kind of value that is.
    ///
    /// # Errors
    /// A [`Problem`] when it is not JSON, is nested too deep, or has a key twice in an object.
    pub fn value(&self) -> Result<serde_json::Value, Problem> {
        shallow(&self.0)?;
        let read = |json: &[u8]| serde_json::from_slice(json).map_err(|error| malformed(&error));
        let value = exactly(&self.0, read)?;
        keys_once(&self.0)?;
        Ok(value)
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

fn require_json(request: &Request) -> Result<(), Problem> {
    let kind = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or("");
    let essence = kind.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    if essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
    {
        return Ok(());
    }
    let problem =
        Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "NOT_JSON", "the body must be JSON");
    Err(problem.with_hint("send `content-type: application/json`"))
}

/// Reads JSON, refusing what is nested too deep before anything is built from it.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    shallow(bytes)?;
    // A list would be read as a struct's fields by position, which nobody means.
    if matches!(bytes.trim_ascii_start().first(), Some(b'[')) {
        return Err(Problem::field("", "the body must be an object, found a list"));
    }
    let read = exactly(bytes, typed);
    if read.as_ref().is_err_and(|problem| problem.code != "INVALID_INPUT") {
        return read;
    }
    keys_once(bytes)?;
    read
}

/// Refuses JSON in which an object has a key twice.
fn keys_once(json: &[u8]) -> Result<(), Problem> {
    let twice = twice::keys(json);
    if twice.is_empty() { Ok(()) } else { Err(Problem::invalid(twice)) }
}

/// Reads JSON so that no number is rounded: one that a double does not keep is a text with all its digits, which a decimal
/// takes and a number refuses. What cannot be read is told of the JSON as it was sent.
fn exactly<T>(bytes: &[u8], read: impl Fn(&[u8]) -> Result<T, Problem>) -> Result<T, Problem> {
    match unrounded(bytes).map_err(|error| malformed(&error))? {
        Cow::Borrowed(same) => read(same),
        Cow::Owned(kept) => read(&kept).or_else(|problem| read(bytes).and(Err(problem))),
    }
}

fn typed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        if inner.is_data() {
            let body = serde_json::from_slice(bytes);
            let found = body.map(|body| all::of_body::<T>(body)).unwrap_or_default();
            let first = || vec![words::error(&path, &inner.to_string())];
            return Problem::invalid(if found.is_empty() { first() } else { found });
        }
        malformed(&inner)
    })?;
    reader.end().map_err(|error| malformed(&error))?;
    Ok(value)
}

fn shallow(bytes: &[u8]) -> Result<(), Problem> {
    if depth(bytes) > MAX_JSON_DEPTH {
        let detail = format!("the body is nested deeper than {MAX_JSON_DEPTH} levels");
        return Err(Problem::new(StatusCode::BAD_REQUEST, "JSON_TOO_DEEP", detail));
    }
    Ok(())
}

fn malformed(error: &serde_json::Error) -> Problem {
    let (line, column) = (error.line(), error.column());
    let said = json_problem(&error.to_string());
    let detail = format!("the body is not JSON: line {line}, column {column}: {said}");
    Problem::new(StatusCode::BAD_REQUEST, "JSON_MALFORMED", detail)
}

/// How deep brackets nest, outside of strings.
fn depth(bytes: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0_usize);
    let (mut quoted, mut escaped) = (false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The query string.
#[derive(Debug, Clone, Copy, Default)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        short(parts.uri.query().unwrap_or_default())?;
        let query = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        query.map(|query| Query(query.0)).map_err(|rejection| {
            let written = parts.uri.query().unwrap_or_default();
            let found = all::of_query(written, |query| match read_query::<T>(query) {
                Ok(_) => Ok(()),
                Err(rejection) => Err(said(&rejection.body_text())),
            });
            let (path, said) = said(&rejection.body_text());
            let first = || vec![words::error(&path, &said)];
            Problem::invalid(if found.is_empty() { first() } else { found })
        })
    }
}

fn read_query<T: DeserializeOwned>(query: &str) -> Result<axum::extract::Query<T>, QueryRejection> {
    let uri = http::Uri::try_from(format!("/?{query}")).unwrap_or_default();
    axum::extract::Query::try_from_uri(&uri)
}

/// The parameter and what is wrong with it, of `Failed to deserialize query string: limit: invalid digit found in string`.
fn said(text: &str) -> (String, String) {
    let said = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(text);
    match said.split_once(": ") {
        Some((path, rest)) if path.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') => {
            (path.to_owned(), rest.to_owned())
        }
        _ => (String::new(), said.to_owned()),
    }
}

/// Refuses values that no store takes as part of a key.
fn short(query: &str) -> Result<(), Problem> {
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    match pairs.find(|(name, value)| name != "cursor" && value.len() > MAX_VALUE_BYTES) {
        None => Ok(()),
        Some((name, _)) => {
            let name: String = name.chars().take(80).collect();
            Err(Problem::field(name, format!("has more than {MAX_VALUE_BYTES} bytes")))
        }
    }
}

/// The placeholders of the path. What does not read as the kind of id it should be cannot name anything: 404.
#[derive(Debug, Clone, Copy, Default)]
pub struct Path<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let names = RawPathParams::from_request_parts(parts, state).await;
        let names = names.map_err(|_| Problem::not_found())?;
        if names.iter().any(|(_, name)| name.len() > MAX_NAME_BYTES) {
            return Err(Problem::not_found());
        }
        let path = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        path.map(|path| Path(path.0)).map_err(|_| Problem::not_found())
    }
}

#[cfg(test)]
mod tests;
