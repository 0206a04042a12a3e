//! The digest of version 2: what changes it, and that nobody can say otherwise afterwards.

use countersign_run::StepWarnings;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::make::{after, attempt, caller, opening, start, tool, user};
use crate::{
    Column, Decided, Digest, Kind, Layout, OnReject, Opening, Preview, Request, RunContext, Tenant,
    Verdict, decide, part_salt,
};

fn digest(change: impl FnOnce(&mut Opening)) -> Digest {
    let mut opening = opening(2);
    change(&mut opening);
    Request::open(opening, start()).unwrap().digest
}

fn preview(rows: &Value) -> Preview {
    Preview::of(rows, 2).unwrap()
}

fn warnings(count: u64) -> StepWarnings {
    let step = "read".to_owned();
    StepWarnings { step, count, first: Vec::new(), hash: "00".to_owned(), asks: true }
}

#[test]
fn r_052_every_part_of_what_is_signed_changes_the_digest() {
    let layout = Layout { columns: vec![Column::of("amount")] };
    let changed = [
        digest(|_| {}),
        digest(|opening| opening.prompt.push('!')),
        digest(|opening| opening.subject.kind = Kind::Step),
        digest(|opening| opening.subject.kind = Kind::Outcome),
        digest(|opening| opening.subject.plan_seal = "other".to_owned()),
        digest(|opening| opening.subject.later = vec!["tell".to_owned()]),
        digest(|opening| opening.subject.effects[0].step = "other".to_owned()),
        digest(|opening| opening.subject.effects[0].action = "other".to_owned()),
        digest(|opening| opening.subject.effects[0].texts[0].push(' ')),
        digest(|opening| opening.subject.effects[0].texts.push("more".to_owned())),
        digest(|opening| opening.subject.effects.clear()),
        digest(|opening| opening.tenant = Tenant::parse("other").unwrap()),
        digest(|opening| opening.position = opening.position.next_round()),
        digest(|opening| opening.position.step = "other".to_owned()),
        digest(|opening| opening.context = RunContext::Interactive),
        digest(|opening| opening.irreversible = true),
        digest(|opening| opening.on_reject = OnReject::Skip),
        digest(|opening| opening.preview = preview(&json!([1, 2, 4]))),
        digest(|opening| opening.preview = preview(&json!([1, 2]))),
        digest(|opening| opening.preview = preview(&Value::Null)),
        digest(|opening| opening.layout = layout),
        digest(|opening| opening.subject.warnings = vec![warnings(1)]),
        digest(|opening| opening.subject.warnings = vec![warnings(2)]),
    ];
    let unique: std::collections::BTreeSet<Digest> = changed.iter().copied().collect();
    assert_eq!(unique.len(), changed.len());
}

#[test]
fn f_200_rows_that_are_not_shown_are_signed_too() {
    let all = |last: i64| digest(|opening| opening.preview = preview(&json!([1, 2, 3, last])));
    assert_ne!(all(4), all(5));
}

#[test]
fn what_decides_nothing_of_the_content_leaves_the_digest() {
    let plain = digest(|_| {});
    assert_eq!(plain, digest(|opening| opening.salt = Digest::from_bytes([1; 32])));
    assert_eq!(plain, digest(|opening| opening.title = "another".to_owned()));
    assert_eq!(plain, digest(|opening| opening.timing.reminders.clear()));
}

fn signed() -> (Request, crate::Receipt) {
    let request = Request::open(opening(2), start()).unwrap();
    let approve = attempt(&request, Verdict::Approve);
    let Decided::Recorded(done) =
        decide(&request, &[], &approve, &caller(&user(1)), after(1)).unwrap()
    else {
        panic!("repeated")
    };
    (done.request, done.receipt)
}

#[test]
fn a_receipt_explains_its_request_and_no_altered_one() {
    let (request, receipt) = signed();
    assert_eq!(receipt.v, Some(2));
    assert!(request.explains(&receipt));
    for change in [
        (|request: &mut Request| request.prompt.push('!')) as fn(&mut Request),
        |request| request.preview.total += 1,
        |request| request.covers[0].struck = vec![0],
        |request| request.digest = Digest::from_bytes([1; 32]),
        |request| request.salt = Digest::from_bytes([1; 32]),
    ] {
        let mut altered = request.clone();
        change(&mut altered);
        assert!(!altered.explains(&receipt));
    }
}

#[test]
fn one_part_of_a_receipt_can_be_disclosed_alone() {
    let (request, receipt) = signed();
    // Whoever holds a part and that part's salt can check it with the published formula.
    let check = |part: &str, bytes: &[u8], expect: Digest| {
        let salt = part_salt(&request.salt, part);
        let domain = format!("countersign/v2/salted/{part}\0");
        let found = countersign_effect::hash_parts(&[domain.as_bytes(), salt.as_bytes(), bytes]);
        assert_eq!(found, expect, "{part}");
    };
    let effects = serde_json_canonicalizer::to_vec(&request.covers).unwrap();
    check("effects", &effects, receipt.effects.unwrap());
    check("step", b"gate", receipt.step);
    assert_ne!(part_salt(&request.salt, "step"), part_salt(&request.salt, "effects"));
}

#[test]
fn a_signature_of_version_1_permits_nothing_to_be_sent() {
    let (request, receipt) = signed();
    let root = request.covers[0].root;
    assert!(request.allows("gate", &root));
    let old = Request { v: 1, ..request };
    assert!(!old.allows("gate", &root));
    assert!(!old.explains(&receipt), "its receipt was salted otherwise");
}

#[test]
fn a_stored_request_reads_as_it_was_written() {
    let (request, _) = signed();
    let text = serde_json::to_string(&request).unwrap();
    assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), request);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_changed_effect_changes_digest_and_root(
        texts in prop::collection::vec("[a-z{}\"]{0,12}", 1..40),
        pick in any::<prop::sample::Index>(),
        added in "[a-z]{1,4}",
    ) {
        let with = |texts: Vec<String>| {
            let mut opening = opening(2);
            opening.subject = tool(&json!({}));
            opening.subject.effects[0].texts = texts;
            Request::open(opening, start()).unwrap()
        };
        let mut other = texts.clone();
        let at = pick.index(other.len());
        other[at].push_str(&added);
        let (one, two) = (with(texts), with(other));
        prop_assert_ne!(one.digest, two.digest);
        prop_assert_ne!(one.covers[0].root, two.covers[0].root);
    }
}

#[test]
fn a_digest_reads_only_its_exact_form() {
    let text = "ab".repeat(32);
    assert_eq!(text.parse::<Digest>().unwrap().to_string(), text);
    for wrong in [text.to_uppercase(), text[1..].to_owned(), format!("{text}0"), String::new()] {
        assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
    }
}

#[test]
fn f_200_a_preview_shows_the_first_rows_and_says_so() {
    let rows: Vec<Value> = (0..512).map(|n| json!(n)).collect();
    let preview = Preview::of(&Value::Array(rows), 10).unwrap();
    assert_eq!((preview.count, preview.total), (10, 512));
    assert_eq!(preview.remark().as_deref(), Some("showing 10 of 512"));
    let long = Value::String("é".repeat(100_000));
    assert_eq!(Preview::of(&long, 10).unwrap().remark().as_deref(), Some("showing the beginning"));
    assert_eq!(Preview::of(&json!({"a": 1}), 10).unwrap().remark(), None);
    let wide = Value::Array(vec![Value::String("x".repeat(50_000)); 3]);
    assert_eq!(Preview::of(&wide, 10).unwrap().remark().as_deref(), Some("showing 1 of 3"));
}
