//! `Idempotency-Key`: a POST that is sent twice is done once.
//!
//! The key belongs to a caller and a route for 24 hours. The first request is remembered as open, then with its answer;
//! a repetition gets that answer, another body under the same key is refused. Ids of what a request creates are derived
//! from the key ([`Attempt::id`]), so a request that died half-way can be repeated and still creates one thing.

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use countersign_failure::Failure;
use countersign_identity::UserId;
use futures::future::BoxFuture;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::problem::Problem;

/// The header of an answer that was given before.
pub const REPLAYED: &str = "idempotency-replayed";

/// How long a key is remembered.
pub const REMEMBERED_HOURS: i64 = 24;

/// The value of the header, when there is one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Key(Option<String>);

impl Key {
    /// Reads a header.
    ///
    /// # Errors
    /// A problem when the value is empty, longer than 200 bytes or not visible ASCII.
    pub fn parse(value: Option<&[u8]>) -> Result<Self, Problem> {
        let Some(value) = value else { return Ok(Self(None)) };
        let visible = value.iter().all(u8::is_ascii_graphic);
        match std::str::from_utf8(value) {
            Ok(text) if visible && (1..=200).contains(&text.len()) => {
                Ok(Self(Some(text.to_owned())))
            }
            _ => Err(Problem::field(
                "Idempotency-Key",
                "must be 1 to 200 visible ASCII characters without spaces",
            )),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Key {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let mut values = parts.headers.get_all("idempotency-key").iter();
        let first = values.next().map(HeaderValue::as_bytes);
        if values.next().is_some() {
            return Err(Problem::field("Idempotency-Key", "must be given once"));
        }
        Self::parse(first)
    }
}

/// One request that creates or starts something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    owner: UserId,
    route: String,
    key: Option<String>,
    digest: String,
    seed: [u8; 16],
}

impl Attempt {
    /// A request of `owner` to `route` (method and path, with its ids) with this body.
    ///
    /// # Errors
    /// A problem when the body has no JSON form.
    pub fn new(
        owner: &UserId,
        route: &str,
        key: Key,
        body: &impl Serialize,
    ) -> Result<Self, Problem> {
        let json = serde_json::to_vec(body).map_err(Problem::at(""))?;
        let digest = hex::encode(Sha256::digest(json));
        let seed = match &key.0 {
            Some(key) => derived(&[owner.as_str(), route, key]),
            None => *uuid::Uuid::now_v7().as_bytes(),
        };
        Ok(Self { owner: owner.clone(), route: route.to_owned(), key: key.0, digest, seed })
    }

    /// Sixteen bytes for the id of what this request creates: always the same for the same key, else new.
    #[must_use]
    pub fn id(&self) -> [u8; 16] {
        self.seed
    }

    /// Whose request it is.
    #[must_use]
    pub fn owner(&self) -> &UserId {
        &self.owner
    }

    /// What the memory keys this request by; none without an `Idempotency-Key`.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        let key = self.key.as_ref()?;
        Some(hex::encode(Sha256::digest(format!("{}\0{key}", self.route))))
    }

    /// SHA-256 of the body, hex.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

fn derived(parts: &[&str]) -> [u8; 16] {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(part);
        digest.update([0]);
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.finalize()[..16]);
    bytes
}

/// An answer that can be given again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredAnswer {
    /// The status.
    pub status: u16,
    /// Where the created thing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The body as JSON text.
    pub body: String,
}

impl StoredAnswer {
    /// An answer with a body.
    ///
    /// # Errors
    /// A problem when the body has no JSON form.
    pub fn new(
        status: StatusCode,
        location: Option<String>,
        body: &impl Serialize,
    ) -> Result<Self, Problem> {
        let body = serde_json::to_string(body).map_err(|_| {
            Problem::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "ENCODING",
                "the answer could not be written",
            )
        })?;
        Ok(Self { status: status.as_u16(), location, body })
    }

    fn respond(self, again: bool) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::OK);
        let mut response = (status, self.body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(location) = self.location.and_then(|text| HeaderValue::from_str(&text).ok()) {
            headers.insert(header::LOCATION, location);
        }
        if again {
            headers.insert(REPLAYED, HeaderValue::from_static("true"));
        }
        response
    }
}

/// What the memory says when a request begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// Never seen, or the first one died: do it.
    Fresh,
    /// Done before.
    Done(StoredAnswer),
    /// The key was used with another body.
    OtherBody,
    /// The first one is still at work.
    Open,
}

/// Remembers requests. `begin` must let exactly one of several simultaneous requests through.
pub trait Memory: Send + Sync {
    /// Notes that the request begins.
    fn begin<'a>(
        &'a self,
        attempt: &'a Attempt,
        name: &'a str,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Begun, Box<dyn Failure>>>;
    /// Notes its answer.
    fn done<'a>(
        &'a self,
        attempt: &'a Attempt,
        name: &'a str,
        kept: &'a StoredAnswer,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), Box<dyn Failure>>>;
    /// Forgets it, because it came to nothing.
    fn forget<'a>(
        &'a self,
        attempt: &'a Attempt,
        name: &'a str,
    ) -> BoxFuture<'a, Result<(), Box<dyn Failure>>>;
}

/// Does the work once per key. Requests that come to nothing are forgotten, so that they can be corrected and repeated.
///
/// # Errors
/// The work's own problem; 409 when the key was used with another body or is still at work.
pub async fn once(
    memory: &dyn Memory,
    attempt: &Attempt,
    now: Timestamp,
    work: BoxFuture<'_, Result<StoredAnswer, Problem>>,
) -> Result<Response, Problem> {
    let Some(name) = attempt.name() else { return Ok(work.await?.respond(false)) };
    let begun =
        memory.begin(attempt, &name, now).await.map_err(|error| Problem::of(error.as_ref()))?;
    match begun {
        Begun::Done(kept) => return Ok(kept.respond(true)),
        Begun::OtherBody => return Err(other_body()),
        Begun::Open => return Err(open()),
        Begun::Fresh => {}
    }
    match work.await {
        Ok(kept) => {
            // The work is done; a lost note only means that a repetition does it again, to the same ids.
            if let Err(error) = memory.done(attempt, &name, &kept, now).await {
                tracing::warn!(code = error.code(), "an answer could not be remembered");
            }
            Ok(kept.respond(false))
        }
        Err(problem) => {
            if let Err(error) = memory.forget(attempt, &name).await {
                tracing::warn!(code = error.code(), "a failed request could not be forgotten");
            }
            Err(problem)
        }
    }
}

fn other_body() -> Problem {
    let problem = Problem::conflict(
        "IDEMPOTENCY_KEY_REUSED",
        "this `Idempotency-Key` was used with another body",
    );
    problem.with_hint("use a new key for a new request")
}

fn open() -> Problem {
    Problem::conflict(
        "IDEMPOTENCY_KEY_OPEN",
        "the first request with this `Idempotency-Key` is still at work",
    )
    .again_after(2)
}

#[cfg(test)]
mod tests;
