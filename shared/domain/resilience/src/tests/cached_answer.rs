use serde_json::{Map, Value, json};

use super::at;
use crate::{AnswerKey, AnswerOf, CachedAnswer, KEEP_BYTES, LimitKey};

fn kept(output: Value) -> CachedAnswer {
    let Value::Object(output) = output else { panic!("an object") };
    CachedAnswer { output, at: at("2026-03-04T05:06:07Z") }
}

#[test]
fn k_75_a_stale_answer_says_so_and_how_old_it_is() {
    let stale = kept(json!({ "count": 1, "warnings": ["first"] }))
        .stale(at("2026-03-04T08:06:08Z"), "`api` is unavailable (HTTP 503)")
        .unwrap();
    assert_eq!((&stale["_stale"], &stale["_stale_age_seconds"]), (&json!(true), &json!(10_801)));
    let expect =
        "`api` is unavailable (HTTP 503); this is the answer of 2026-03-04 05:06:07Z, 3 hours old";
    assert_eq!(stale["warnings"], json!([expect, "first"]));
    let many = kept(json!({ "warnings": ["first"], "warning_count": 400 }));
    let many = many.stale(at("2026-03-04T08:06:08Z"), "down").unwrap();
    assert_eq!(many["warning_count"], 401);
    let bare = kept(json!({})).stale(at("2026-03-04T05:06:08Z"), "down").unwrap();
    assert!(bare["warnings"][0].as_str().unwrap().ends_with("1 second old"), "{bare}");
}

#[test]
fn k_75_nothing_stands_in_for_longer_than_a_week() {
    let check = |now: &str, expect: bool| {
        assert_eq!(kept(json!({})).stale(at(now), "down").is_some(), expect, "{now}");
    };
    check("2026-03-11T05:06:06Z", true);
    check("2026-03-11T05:06:07Z", false);
    check("2026-03-04T05:06:00Z", true);
}

#[test]
fn k_75_a_large_answer_is_not_kept() {
    let of = |bytes: usize| kept(json!({ "text": "x".repeat(bytes) })).text().unwrap();
    let small = of(1_000).unwrap();
    assert_eq!(
        serde_json::from_str::<CachedAnswer>(&small).unwrap(),
        kept(json!({ "text": "x".repeat(1_000) }))
    );
    assert!(of(KEEP_BYTES).is_none());
}

#[test]
fn k_75_the_key_is_of_everything_an_answer_depends_on_and_of_no_order() {
    let arguments = |value: Value| value.as_object().unwrap().clone();
    let first = arguments(json!({ "q": "x", "page": 1 }));
    let base = AnswerOf {
        owner: "user_1",
        credential: Some("cred_1"),
        connector: "api",
        version: "1.0.0",
        definition: "abc",
        base_url: "https://example.com",
        endpoint: "search",
        arguments: &first,
    };
    let key = |answer: &AnswerOf<'_>| AnswerKey::of(answer).unwrap();
    let turned = arguments(json!({ "page": 1, "q": "x" }));
    assert_eq!(key(&base), key(&AnswerOf { arguments: &turned, ..base }));
    let (other, empty) = (arguments(json!({ "q": "y", "page": 1 })), Map::new());
    let different = [
        AnswerOf { owner: "user_2", ..base },
        AnswerOf { credential: Some("cred_2"), ..base },
        AnswerOf { credential: None, ..base },
        AnswerOf { connector: "apis", ..base },
        AnswerOf { version: "1.0.1", ..base },
        AnswerOf { definition: "abd", ..base },
        AnswerOf { base_url: "https://example.org", ..base },
        AnswerOf { endpoint: "find", ..base },
        AnswerOf { arguments: &other, ..base },
        AnswerOf { arguments: &empty, ..base },
    ];
    let keys: std::collections::BTreeSet<_> = different.iter().chain([&base]).map(key).collect();
    assert_eq!(keys.len(), different.len() + 1);
    assert!(keys.iter().all(|key| key.as_str().len() == 64));
}

#[test]
fn k_74_a_subject_tells_its_parts_apart() {
    assert_ne!(LimitKey::of(&["a", "bc"]), LimitKey::of(&["ab", "c"]));
    assert_ne!(LimitKey::of(&["a"]), LimitKey::of(&["a", ""]));
    assert_eq!(LimitKey::of(&["a", "b"]), LimitKey::of(&["a", "b"]));
}
