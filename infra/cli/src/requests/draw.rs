//! One request for an operation.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::operation::Operation;
use super::test_users::TestUsers;
use super::{mutate, sample};

/// A request, ready to be sent.
pub(super) struct Drawn {
    /// Path and query.
    pub(super) target: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<Vec<u8>>,
}

impl Drawn {
    /// The request in one line, without the token.
    pub(super) fn told(&self) -> String {
        let body = self.body.as_deref().unwrap_or_default();
        let cut = |text: &str| text.chars().take(300).collect::<String>();
        let (target, text) = (cut(&self.target), cut(&String::from_utf8_lossy(body)));
        format!("{target} {text} ({} bytes)", body.len())
    }
}

/// The request of a number: always the same for one seed and the same people.
pub(super) fn draw(operation: &Operation, cast: &TestUsers, seed: u64, case: usize) -> Drawn {
    let number = (case as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut random = StdRng::seed_from_u64(seed ^ number);
    let random = &mut random;
    let mut headers = Vec::new();
    if let Some(token) = token(operation, cast, random) {
        headers.push(("authorization".to_owned(), token));
    }
    if operation.headers.iter().any(|name| name.eq_ignore_ascii_case("idempotency-key")) {
        headers.extend(key(random).map(|key| ("idempotency-key".to_owned(), key)));
    }
    let body = operation.body.as_ref().map(|schema| {
        let value = sample::sample(schema, cast, random, 5);
        if random.random_bool(0.5) {
            value.to_string().into_bytes()
        } else {
            mutate::body(value, random)
        }
    });
    if body.is_some() {
        headers.push(("content-type".to_owned(), content_type(random).to_owned()));
    }
    let target = format!("{}{}", path(operation, cast, random), query(operation, random));
    Drawn { target, headers, body }
}

fn token(operation: &Operation, cast: &TestUsers, random: &mut StdRng) -> Option<String> {
    if random.random_bool(0.9) {
        // Only what concerns single people is administered, and those are ours.
        let administers = operation.is_administration() && !operation.is_everybodys();
        let token =
            if administers && random.random_bool(0.7) { cast.operator() } else { &cast.token };
        return Some(format!("Bearer {token}"));
    }
    cast.bad_token(random)
}

fn key(random: &mut StdRng) -> Option<String> {
    match random.random_range(0..10) {
        0 | 1 => Some(format!("key-{:016x}", random.random::<u64>())),
        2 => Some("the-same-key".to_owned()),
        3 => Some("k".repeat(201)),
        4 => Some("two words".to_owned()),
        _ => None,
    }
}

fn content_type(random: &mut StdRng) -> &'static str {
    match random.random_range(0..40) {
        0 => "text/plain",
        1 => "application/xml",
        2 => "application/x-www-form-urlencoded",
        3 => "application/json; charset=latin-1",
        _ => "application/json",
    }
}

/// The path with every placeholder filled: mostly with what is there.
fn path(operation: &Operation, cast: &TestUsers, random: &mut StdRng) -> String {
    let mut before = "";
    let mut path = String::new();
    for part in operation.path.split('/').skip(1) {
        path.push('/');
        if part.starts_with('{') {
            path.push_str(&encoded(&name(operation, before, part, cast, random)));
        } else {
            path.push_str(part);
            before = part;
        }
    }
    path
}

fn name(
    operation: &Operation,
    before: &str,
    part: &str,
    cast: &TestUsers,
    random: &mut StdRng,
) -> String {
    if operation.calls_outside() {
        return format!("no-such-connector-{}", random.random_range(0..1_000));
    }
    if random.random_bool(0.7) {
        let is_last = operation.method == "delete";
        if let Some(known) = cast.name(before, part, is_last) {
            return known.to_owned();
        }
    }
    match random.random_range(0..6) {
        0 => "x".repeat(random.random_range(400..1_500)),
        1 => format!("prof_{:032x}", random.random::<u128>()),
        2 => format!("run_{:032x}", random.random::<u128>()),
        3 => sample::words(random),
        4 => "no-such-thing".to_owned(),
        _ => mutate::odd_text(random),
    }
}

fn query(operation: &Operation, random: &mut StdRng) -> String {
    let mut pairs = Vec::new();
    for name in &operation.query {
        if random.random_bool(0.6) {
            continue;
        }
        let value = match (name.as_str(), random.random_range(0..4)) {
            ("limit", 0) => {
                ["0", "101", "-1", "abc", "1e9", ""][random.random_range(0..6)].to_owned()
            }
            ("limit", _) => random.random_range(1..=100).to_string(),
            ("cursor", 0) => "eyJrIjoib3duOngifQ".to_owned(),
            (_, 0) => mutate::odd_text(random),
            (_, 1) => "x".repeat(random.random_range(900..1_200)),
            ("status", _) => {
                ["pending", "closed", "complete"][random.random_range(0..3)].to_owned()
            }
            ("from" | "to", _) => {
                ["own", "2026-11-22", "9999-12-31"][random.random_range(0..3)].to_owned()
            }
            _ => sample::words(random),
        };
        pairs.push(format!("{name}={}", encoded(&value)));
    }
    if random.random_bool(0.05) {
        pairs.push("nobody=asked".to_owned());
    }
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// One segment: nothing in it ends it, and it is never `.` or `..`, which clients take away.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'@') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{draw, encoded};
    use crate::requests::operation;
    use crate::requests::test_users::TestUsers;
    use serde_json::json;

    fn document() -> serde_json::Value {
        let body = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}});
        json!({"paths": {
            "/api/agent-factory/profiles/{id}": {"put": {"requestBody": {"content": {"application/json": {"schema": body}}}, "responses": {}}},
            "/api/admin/approval-floor": {"put": {"responses": {}}},
            "/api/agent-factory/connectors/{id}/test": {"post": {"responses": {}}},
        }})
    }

    #[test]
    fn a_seed_draws_the_same_requests_and_many_kinds_of_them() {
        let (operations, cast) = (operation::all(&document()), TestUsers::for_tests());
        let put = operations.iter().find(|operation| operation.path.ends_with("/{id}")).unwrap();
        let told = |seed, case| draw(put, &cast, seed, case).told();
        assert_eq!(told(1, 7), told(1, 7));
        assert!((0..20).any(|case| told(1, case) != told(2, case)));
        let kinds: BTreeSet<String> = (0..500).map(|case| told(1, case)).collect();
        assert!(kinds.len() > 300, "{}", kinds.len());
        let right = (0..500).filter(|case| {
            let body = draw(put, &cast, 1, *case).body.unwrap();
            serde_json::from_slice::<serde_json::Value>(&body)
                .is_ok_and(|body| body["name"].is_string())
        });
        let right = right.count();
        assert!((150..450).contains(&right), "{right} bodies are right");
    }

    #[test]
    fn nobody_administers_for_everybody_and_no_connector_is_called() {
        let (operations, cast) = (operation::all(&document()), TestUsers::for_tests());
        for operation in &operations {
            for case in 0..300 {
                let drawn = draw(operation, &cast, 3, case);
                let operator = format!("Bearer {}", cast.operator());
                assert!(drawn.headers.iter().all(|(_, value)| *value != operator));
                let called = drawn.target.contains("/connectors/");
                assert!(
                    !called || drawn.target.contains("/no-such-connector-"),
                    "{}",
                    drawn.target
                );
            }
        }
    }

    #[test]
    fn a_segment_stays_one() {
        assert_eq!(encoded("../a?b#c ä"), "%2E%2E%2Fa%3Fb%23c%20%C3%A4");
    }
}
