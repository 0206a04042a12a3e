use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// Remembers in the process: the same rules as the table's.
#[derive(Default)]
struct InProcess(Mutex<HashMap<String, (String, Option<StoredAnswer>)>>);

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
        kept: &'a StoredAnswer,
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
                StoredAnswer::new(StatusCode::CREATED, None, &json!({"n": 1}))
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
    assert_eq!(bench.send(&request, false).await, Err((409, "IDEMPOTENCY_KEY_OPEN".to_owned())));
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
