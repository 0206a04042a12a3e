//! Every error of an HTTP door: `application/problem+json` (RFC 9457).

use std::fmt;
use std::ops::{Deref, DerefMut};

use axum::body::Bytes;
use axum::response::{IntoResponse, Response};
use countersign_failure::{Class, Failure, at_path, chain};
use http::{HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::absence;

/// One thing that is wrong with a request, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldError {
    /// Where: `steps[2].inputs.name`, or the name of a query parameter or header.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl FieldError {
    /// An error at a place.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), hint: None }
    }

    /// A word that is not one of the accepted ones.
    pub fn choice(path: impl Into<String>, accepted: &[&str], found: &str) -> Self {
        let listed = format!("`{}`", accepted.join("`, `"));
        let accepted = if accepted.len() > 1 { format!("one of {listed}") } else { listed };
        Self::new(path, choice(&accepted, found))
    }

    /// Adds what to do.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// A word that was sent is repeated up to here.
const MAX_WORD: usize = 60;

/// ``must be one of `a`, `b`, found `x` ``; `accepted` is how the words are listed.
pub(crate) fn choice(accepted: &str, found: &str) -> String {
    let found: String = found.chars().take(MAX_WORD).collect();
    format!("must be {accepted}, found `{found}`")
}

/// An answer that is an error. Boxed, because it is the error side of every handler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Problem(Box<ProblemBody>);

impl Deref for Problem {
    type Target = ProblemBody;

    fn deref(&self) -> &ProblemBody {
        &self.0
    }
}

impl DerefMut for Problem {
    fn deref_mut(&mut self) -> &mut ProblemBody {
        &mut self.0
    }
}

/// The members of a problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemBody {
    /// An address that explains the code, relative to that of the API: `/errors/{code}`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The status in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What happened, for the reader.
    pub detail: String,
    /// A stable name in `SCREAMING_SNAKE_CASE`.
    pub code: String,
    /// Everything that is wrong with the request, when it is several things.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
    /// What the reader can do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The request this happened in: `urn:request:{id}`. The log has the same id.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instance: String,
    /// After how many seconds the same request may succeed.
    #[serde(skip)]
    pub retry_after: Option<u32>,
    /// The body that could not be read, for whoever knows more about its shape.
    #[serde(skip)]
    pub unread: Option<Bytes>,
    /// Anything else the reader of this code needs, such as who decided.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

/// What a 404 says until [`crate::absence`] names the thing.
const NOTHING: &str = "there is nothing at this address that you may see";

/// An answer with more would help nobody, and may be larger than a Lambda can return.
const MAX_ERRORS: usize = 100;

impl Problem {
    /// A problem with a code of its own.
    pub fn new(status: StatusCode, code: &str, detail: impl Into<String>) -> Self {
        Self(Box::new(ProblemBody {
            kind: format!("/errors/{code}"),
            title: status.canonical_reason().unwrap_or("Error").to_owned(),
            status: status.as_u16(),
            detail: detail.into(),
            code: code.to_owned(),
            errors: Vec::new(),
            hint: None,
            instance: String::new(),
            retry_after: None,
            unread: None,
            more: serde_json::Map::new(),
        }))
    }

    /// There is no such thing, or it is somebody else's: the answer is the same.
    #[must_use]
    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "NOT_FOUND", NOTHING)
    }

    /// There is no such thing of this name, or it is somebody else's.
    #[must_use]
    pub fn no_such(what: &str, name: &str) -> Self {
        let mut problem = Self::not_found();
        problem.detail = format!("there is no {what} `{}` that you may see", absence::shown(name));
        problem
    }

    /// Whether this is a [`Problem::not_found`] that nobody has put into words yet.
    pub(crate) fn is_bare_absence(&self) -> bool {
        self.code == "NOT_FOUND" && self.detail == NOTHING
    }

    /// Several things are wrong with the request. The first hundred are told, and how many more there are.
    #[must_use]
    pub fn invalid(mut errors: Vec<FieldError>) -> Self {
        if errors.len() > MAX_ERRORS {
            let more = errors.len() - MAX_ERRORS;
            errors.truncate(MAX_ERRORS);
            errors.push(FieldError::new("", format!("and {more} more")));
        }
        let detail = match errors.as_slice() {
            [one] if one.path.is_empty() => one.message.clone(),
            [one] => at_path(&one.path, &one.message),
            many => format!("{} things are wrong with the request", many.len()),
        };
        let mut problem = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "INVALID_INPUT", detail);
        problem.errors = errors;
        problem
    }

    /// One thing is wrong with the request.
    pub fn field(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::invalid(vec![FieldError::new(path, message)])
    }

    /// As [`Problem::field`], with what an error says of it.
    pub fn at<E: fmt::Display>(path: impl Into<String>) -> impl FnOnce(E) -> Self {
        let path = path.into();
        move |error| Self::field(path, error.to_string())
    }

    /// Two things that are asked of one request: what both give, or everything that is wrong with either.
    ///
    /// # Errors
    /// The problem of one, or the errors of both.
    pub fn both<A, B>(one: Result<A, Self>, other: Result<B, Self>) -> Result<(A, B), Self> {
        match (one, other) {
            (Ok(one), Ok(other)) => Ok((one, other)),
            (Err(mut one), Err(mut other)) if one.is_of_fields(&other) => {
                one.errors.append(&mut other.errors);
                let mut both = Self::invalid(std::mem::take(&mut one.errors));
                both.kind = std::mem::take(&mut one.kind);
                both.code = std::mem::take(&mut one.code);
                both.hint = one.hint.take().or_else(|| other.hint.take());
                Err(both)
            }
            (Err(problem), _) | (_, Err(problem)) => Err(problem),
        }
    }

    /// Whether both name fields that are wrong, under one code.
    fn is_of_fields(&self, other: &Self) -> bool {
        self.code == other.code && !self.errors.is_empty() && !other.errors.is_empty()
    }

    /// The request clashes with how things stand.
    pub fn conflict(code: &str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, detail)
    }

    /// Adds what the reader can do.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says after how many seconds the same request may succeed.
    #[must_use]
    pub fn again_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// The problem that another door of this deployment has answered with; none when this is none.
    #[must_use]
    pub fn passed_on(answer: &[u8], retry_after: Option<u32>) -> Option<Self> {
        let body: ProblemBody = serde_json::from_slice(answer).ok()?;
        Some(Self(Box::new(ProblemBody { retry_after, ..body })))
    }

    /// Adds a member.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<serde_json::Value>) -> Self {
        self.more.insert(name.to_owned(), value.into());
        self
    }

    /// Any failure as a problem. What broke inside stays inside: the reader gets the request's id, the log the chain.
    #[must_use]
    pub fn of(error: &dyn Failure) -> Self {
        let status =
            StatusCode::from_u16(error.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let detail = if status.is_server_error() {
            tracing::error!(code = error.code(), error = chain(error), "a request failed");
            inside(status).to_owned()
        } else {
            chain(error)
        };
        let mut problem = Self::new(status, error.code(), detail);
        problem.hint = error.help();
        problem.retry_after =
            (status.is_server_error() && error.class() == Class::Retryable).then_some(2);
        problem
    }
}

fn inside(status: StatusCode) -> &'static str {
    match status {
        StatusCode::SERVICE_UNAVAILABLE => {
            "something this needs did not answer; try again in a moment"
        }
        _ => "something went wrong here; the log has the details under the request's id",
    }
}

impl<F: Failure> From<F> for Problem {
    fn from(error: F) -> Self {
        Self::of(&error)
    }
}

impl IntoResponse for Problem {
    /// The body is written by [`crate::door`], which knows the request's id; without it, the body has no instance.
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(self);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("reading `table-x`")]
    struct Broken {
        class: Class,
        status: u16,
        #[source]
        source: std::io::Error,
    }

    impl Failure for Broken {
        fn code(&self) -> &'static str {
            "BROKEN"
        }
        fn class(&self) -> Class {
            self.class
        }
        fn http_status(&self) -> u16 {
            self.status
        }
    }

    fn check(class: Class, status: u16, detail: &str, retry_after: Option<u32>) {
        let problem =
            Problem::from(Broken { class, status, source: std::io::Error::other("secret host") });
        assert_eq!(
            (problem.status, problem.detail.as_str(), problem.retry_after),
            (status, detail, retry_after)
        );
        assert_eq!((problem.code.as_str(), problem.kind.as_str()), ("BROKEN", "/errors/BROKEN"));
    }

    #[test]
    fn what_broke_inside_stays_inside() {
        check(
            Class::Terminal,
            500,
            "something went wrong here; the log has the details under the request's id",
            None,
        );
        check(
            Class::Retryable,
            503,
            "something this needs did not answer; try again in a moment",
            Some(2),
        );
    }

    #[test]
    fn what_the_reader_did_is_said_in_full() {
        check(Class::Terminal, 422, "reading `table-x`: secret host", None);
        check(Class::Retryable, 409, "reading `table-x`: secret host", None);
    }

    #[test]
    fn the_wire_form_is_rfc_9457() {
        let problem = Problem::field("limit", "must be 1 to 100").with("closed_by", "user_1");
        let json = serde_json::to_value(&problem).unwrap();
        let expect = serde_json::json!({
            "type": "/errors/INVALID_INPUT", "title": "Unprocessable Entity", "status": 422,
            "detail": "`limit`: must be 1 to 100", "code": "INVALID_INPUT",
            "errors": [{"path": "limit", "message": "must be 1 to 100"}], "closed_by": "user_1",
        });
        assert_eq!(json, expect);
    }

    #[test]
    fn the_response_says_what_it_is() {
        let response = Problem::new(StatusCode::UNAUTHORIZED, "TOKEN_MISSING", "x").into_response();
        assert_eq!(response.headers()["content-type"], "application/problem+json");
        assert_eq!(response.headers()["www-authenticate"], "Bearer");
    }

    #[test]
    fn everything_that_is_wrong_with_a_request_is_said_at_once() {
        let field = |name: &str| Err::<(), _>(Problem::field(name, "is wrong"));
        let paths = |said: Result<((), ()), Problem>| {
            let errors = said.err().map(|problem| problem.errors.clone()).unwrap_or_default();
            errors.into_iter().map(|error| error.path).collect::<Vec<_>>()
        };
        assert_eq!(paths(Problem::both(Ok(()), Ok(()))), [""; 0]);
        assert_eq!(paths(Problem::both(field("a"), Ok(()))), ["a"]);
        assert_eq!(paths(Problem::both(field("a"), field("b"))), ["a", "b"]);
        let missing = Problem::both(Err::<(), _>(Problem::not_found()), field("b")).unwrap_err();
        assert_eq!(missing.status, 404);
    }
}
