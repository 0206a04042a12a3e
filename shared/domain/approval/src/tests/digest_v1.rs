//! The digest of version 1, against the published vectors.

use serde::Deserialize;
use serde_json::{Value, json};

use super::make::tenant;
use crate::v1::{Effect, Subject};
use crate::{Digest, Kind, SubjectError, Tenant};

const VECTORS: &str = include_str!("../../../../../docs/digest-vectors-v1.json");

#[derive(Deserialize)]
struct Vectors {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    kind: Kind,
    tenant: Tenant,
    subject: Value,
    canonical: String,
    digest: String,
}

fn subject(kind: Kind, json: &Value) -> Subject {
    let content = json["content"].clone();
    match kind {
        Kind::Step => Subject::Step {
            plan_seal: json["plan_seal"].as_str().unwrap().to_owned(),
            effects: serde_json::from_value(json["effects"].clone()).unwrap(),
        },
        Kind::Tool => Subject::Tool {
            action: json["action"].as_str().unwrap().to_owned(),
            arguments: json["arguments"].clone(),
        },
        Kind::Plan => Subject::Plan(content),
        Kind::Result => Subject::Result(content),
        Kind::Publish => Subject::Publish(content),
        Kind::Merge => Subject::Merge(content),
        Kind::Clarification => Subject::Clarification(content),
        Kind::Outcome => panic!("version 1 had no requests of this kind"),
    }
}

#[test]
fn every_published_vector_holds() {
    let vectors: Vectors = serde_json::from_str(VECTORS).unwrap();
    for vector in &vectors.vectors {
        let digest = subject(vector.kind, &vector.subject).digest(&vector.tenant).unwrap();
        assert_eq!(digest.to_string(), vector.digest, "{}", vector.name);
        // The vectors must also hold for somebody who has only the formula.
        let bytes = format!("countersign/v1/{}\0{}", vector.kind, vector.canonical);
        assert_eq!(sha256(bytes.as_bytes()), vector.digest, "{}", vector.name);
    }
    let kinds: std::collections::BTreeSet<Kind> = vectors.vectors.iter().map(|v| v.kind).collect();
    assert_eq!(kinds.len(), Kind::ALL.len() - 1, "every kind of version 1 has a vector");
}

fn tool(arguments: &Value) -> Subject {
    Subject::Tool { action: "pay".to_owned(), arguments: arguments.clone() }
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    hex::encode(sha2::Sha256::digest(bytes))
}

fn check_same(one: &Value, other: &Value, same: bool) {
    let digest = |arguments| tool(arguments).digest(&tenant()).unwrap();
    assert_eq!(digest(one) == digest(other), same, "{one} {other}");
}

#[test]
fn only_what_is_written_differently_and_means_the_same_has_the_same_digest() {
    check_same(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1}), true);
    check_same(&json!({"a": 1.0}), &json!({"a": 1}), true);
    check_same(&json!({"a": 1}), &json!({"a": "1"}), false);
    check_same(&json!({"a": null}), &json!({}), false);
    check_same(&json!({"a": [1, 2]}), &json!({"a": [2, 1]}), false);
    check_same(&json!({"a": "é"}), &json!({"a": "e\u{301}"}), false);
}

#[test]
fn kind_and_tenant_are_part_of_the_digest() {
    let content = json!({"x": 1});
    let digests: std::collections::BTreeSet<Digest> = [
        Subject::Plan(content.clone()).digest(&tenant()),
        Subject::Result(content.clone()).digest(&tenant()),
        Subject::Publish(content.clone()).digest(&tenant()),
        Subject::Plan(content).digest(&Tenant::parse("other").unwrap()),
    ]
    .into_iter()
    .map(Result::unwrap)
    .collect();
    assert_eq!(digests.len(), 4);
}

fn check_exact(number: &str, exact: bool) {
    let arguments: Value = serde_json::from_str(&format!("{{\"a/b\": [{number}]}}")).unwrap();
    match tool(&arguments).digest(&tenant()) {
        Ok(_) => assert!(exact, "{number}"),
        Err(SubjectError::InexactNumber { path, .. }) => {
            assert!(!exact, "{number}");
            assert_eq!(path, "/arguments/a~1b/0");
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn numbers_that_canonical_json_would_change_are_refused() {
    check_exact("9007199254740992", true);
    check_exact("9007199254740993", false);
    check_exact("-9007199254740993", false);
    check_exact("18446744073709551615", false);
    check_exact("0.1", true);
    check_exact("-1", true);
}

#[test]
fn an_effect_is_covered_as_the_tool_call_it_is() {
    let arguments = json!({"to": "a@example.org"});
    let effect =
        Effect { step: "s".to_owned(), action: "pay".to_owned(), arguments: arguments.clone() };
    assert_eq!(effect.digest(&tenant()), tool(&arguments).digest(&tenant()));
}
