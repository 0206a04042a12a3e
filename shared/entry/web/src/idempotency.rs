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
        let json =
            serde_json::to_vec(body).map_err(|error| Problem::field("", error.to_string()))?;
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
pub struct Kept {
    /// The status.
    pub status: u16,
    /// Where the created thing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The body as JSON text.
    pub body: String,
}

impl Kept {
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
            headers.insert("idempotency-replayed", HeaderValue::from_static("true"));
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
    Done(Kept),
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
        kept: &'a Kept,
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
    work: BoxFuture<'_, Result<Kept, Problem>>,
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
mod tests {
    use std::collections::HashMap;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    /// Remembers in the process: the same rules as the table's.
    #[derive(Default)]
    struct InProcess(Mutex<HashMap<String, (String, Option<Kept>)>>);

    impl Memory for InProcess {
        fn begin<'a>(
            &'a self,
            attempt: &'a Attempt,
            name: &'a str,
            _: Timestamp,
        ) -> BoxFuture<'a, Result<Begun, Box<dyn Failure>>> {
            let mut notes = self.0.lock().unwrap();
            let begun = match notes.get(name) {
                None => Begun::Fresh,
                Some((digest, _)) if digest != attempt.digest() => Begun::OtherBody,
                Some((_, None)) => Begun::Open,
                Some((_, Some(kept))) => Begun::Done(kept.clone()),
            };
            if begun == Begun::Fresh {
                notes.insert(name.to_owned(), (attempt.digest().to_owned(), None));
            }
            Box::pin(async { Ok(begun) })
        }

        fn done<'a>(
            &'a self,
            attempt: &'a Attempt,
            name: &'a str,
            kept: &'a Kept,
            _: Timestamp,
        ) -> BoxFuture<'a, Result<(), Box<dyn Failure>>> {
            self.0
                .lock()
                .unwrap()
                .insert(name.to_owned(), (attempt.digest().to_owned(), Some(kept.clone())));
            Box::pin(async { Ok(()) })
        }

        fn forget<'a>(
            &'a self,
            _: &'a Attempt,
            name: &'a str,
        ) -> BoxFuture<'a, Result<(), Box<dyn Failure>>> {
            self.0.lock().unwrap().remove(name);
            Box::pin(async { Ok(()) })
        }
    }

    fn attempt(owner: u8, key: Option<&str>, body: &Value) -> Attempt {
        let key = Key::parse(key.map(str::as_bytes)).unwrap();
        Attempt::new(&UserId::from_bytes([owner; 16]), "POST /profiles", key, body).unwrap()
    }

    struct Bench {
        memory: InProcess,
        done: AtomicUsize,
    }

    impl Bench {
        async fn send(&self, attempt: &Attempt, fails: bool) -> Result<bool, (u16, String)> {
            let work = Box::pin(async {
                self.done.fetch_add(1, Ordering::Relaxed);
                if fails {
                    Err(Problem::not_found())
                } else {
                    Kept::new(StatusCode::CREATED, None, &json!({"n": 1}))
                }
            });
            let answer = once(&self.memory, attempt, Timestamp::UNIX_EPOCH, work).await;
            answer
                .map(|response| response.headers().contains_key("idempotency-replayed"))
                .map_err(|p| (p.status, p.code.clone()))
        }
    }

    fn bench() -> Bench {
        Bench { memory: InProcess::default(), done: AtomicUsize::new(0) }
    }

    #[tokio::test]
    async fn the_same_request_is_done_once() {
        let bench = bench();
        let first = attempt(1, Some("k"), &json!({"a": 1}));
        assert_eq!(bench.send(&first, false).await, Ok(false));
        assert_eq!(bench.send(&first, false).await, Ok(true));
        assert_eq!(bench.done.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn another_body_under_the_same_key_is_refused() {
        let bench = bench();
        assert_eq!(bench.send(&attempt(1, Some("k"), &json!({"a": 1})), false).await, Ok(false));
        let answer = bench.send(&attempt(1, Some("k"), &json!({"a": 2})), false).await;
        assert_eq!(answer, Err((409, "IDEMPOTENCY_KEY_REUSED".to_owned())));
        assert_eq!(bench.done.load(Ordering::Relaxed), 1);
    }

    #[tokio::test]
    async fn a_request_that_came_to_nothing_can_be_repeated() {
        let bench = bench();
        let request = attempt(1, Some("k"), &json!({}));
        assert_eq!(bench.send(&request, true).await, Err((404, "NOT_FOUND".to_owned())));
        assert_eq!(bench.send(&request, false).await, Ok(false));
    }

    #[tokio::test]
    async fn one_at_work_holds_off_the_second() {
        let bench = bench();
        let request = attempt(1, Some("k"), &json!({}));
        let name = request.name().unwrap();
        bench.memory.begin(&request, &name, Timestamp::UNIX_EPOCH).await.unwrap_or(Begun::Open);
        assert_eq!(
            bench.send(&request, false).await,
            Err((409, "IDEMPOTENCY_KEY_OPEN".to_owned()))
        );
    }

    #[tokio::test]
    async fn without_a_key_every_request_is_done() {
        let bench = bench();
        let request = attempt(1, None, &json!({}));
        for _ in 0..2 {
            assert_eq!(bench.send(&request, false).await, Ok(false));
        }
        assert_eq!(bench.done.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn ids_follow_owner_route_and_key_and_nothing_else() {
        let id = |owner, key| attempt(owner, key, &json!({"a": 1})).id();
        assert_eq!(id(1, Some("k")), attempt(1, Some("k"), &json!({"a": 2})).id());
        assert_ne!(id(1, Some("k")), id(2, Some("k")));
        assert_ne!(id(1, Some("k")), id(1, Some("l")));
        assert_ne!(id(1, None), id(1, None));
    }

    fn check_key(value: &[u8], valid: bool) {
        assert_eq!(Key::parse(Some(value)).is_ok(), valid, "{value:?}");
    }

    #[test]
    fn keys_are_short_and_visible() {
        check_key(b"018f-abc_!", true);
        check_key(&[b'x'; 200], true);
        check_key(&[b'x'; 201], false);
        check_key(b"", false);
        check_key(b"a b", false);
        check_key("ä".as_bytes(), false);
    }

    proptest! {
        #[test]
        fn two_keys_never_share_a_name(a in "[!-~]{1,40}", b in "[!-~]{1,40}") {
            let (first, second) = (attempt(1, Some(&a), &json!({})), attempt(1, Some(&b), &json!({})));
            prop_assert_eq!(first.name() == second.name(), a == b);
            prop_assert_eq!(first.id() == second.id(), a == b);
        }
    }
}
