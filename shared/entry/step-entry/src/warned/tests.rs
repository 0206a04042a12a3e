use std::collections::HashMap;
use std::sync::Arc;

use countersign_approval::ports::Signed;
use countersign_approval::{Covered, Digest};
use countersign_store_runs::StepView;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::informed;

/// A warning of this step; its hash is its name and how many there are.
fn warning(step: &str, count: u64, asks: bool) -> Value {
    json!({ "step": step, "count": count, "hash": format!("{step}-{count}"), "asks": asks })
}

/// A run that reads, and then pays each item of a list; `beside` is over whenever it likes.
fn run(warnings: &[Value]) -> StepView {
    let (run, user) = (format!("run_{}", "1".repeat(32)), format!("user_{}", "2".repeat(32)));
    let step = |name: &str, after: &[&str]| json!({ "name": name, "kind": "tool", "action": "call_connector", "on_error": "stop", "after": after });
    let mut pay = step("pay", &["read"]);
    pay["for_each"] = json!({ "in": "rows", "as": "row", "key": null, "parallel": 1, "max": 10 });
    let plan = json!({
        "version": 1, "tenant": "acme", "run": run, "owner": user, "profile": "prof", "context": "background", "inputs": {},
        "playbook": { "id": "pay", "version": "1.0.0", "digest": "" },
        "steps": [step("first", &[]), step("read", &["first"]), step("beside", &[]), pay],
    });
    let head = json!({
        "run": run, "owner": user, "invoked_by": user, "scopes": [], "profile_id": "prof", "profile_name": "Payer",
        "context": "background", "started_at": Timestamp::UNIX_EPOCH, "attempt": 1, "version": 1, "warnings": warnings,
    });
    let head = serde_json::from_value(head).unwrap();
    let plan = Arc::new(serde_json::from_value(plan).unwrap());
    StepView {
        head,
        plan,
        plan_bytes: 0,
        own: None,
        intent: None,
        others: None,
        asked: None,
        other_tables: HashMap::new(),
    }
}

/// A signature that was given at this second, of whoever was shown these warnings.
fn signed(at: i64, warned: &[&str]) -> Signed {
    let id = |word: &str| serde_json::from_value(json!(format!("{word}_{at:032}")));
    let root = Digest::from_bytes([0; 32]);
    let covered = Covered {
        step: "pay".to_owned(),
        action: "call_connector".to_owned(),
        count: 2,
        root,
        struck: Vec::new(),
    };
    Signed {
        approval: id("appr").unwrap(),
        receipt: serde_json::from_value(json!(format!("rcpt_{at:032}"))).unwrap(),
        at: Timestamp::from_second(at).unwrap(),
        covered,
        warned: warned.iter().map(|hash| (*hash).to_owned()).collect(),
    }
}

#[track_caller]
fn check(warnings: &[Value], found: &[Signed], left: usize) {
    let view = run(warnings);
    let pay = view.plan.step("pay").unwrap();
    assert_eq!(informed(&view, pay, found.to_vec()).len(), left, "{warnings:?} {found:?}");
}

#[test]
fn f_311_a_signature_that_knew_of_no_warning_allows_no_payment_of_a_list() {
    let late = [warning("read", 1, true)];
    check(&late, &[signed(1, &[])], 0);
    check(&late, &[signed(1, &["read-1"])], 1);
    check(&late, &[signed(1, &["first-1"])], 0);
    check(&[], &[signed(1, &[])], 1);
    check(&late, &[], 0);
}

#[test]
fn f_311_more_warnings_of_a_step_are_others_and_each_has_to_be_known() {
    check(&[warning("read", 2, true)], &[signed(1, &["read-1"])], 0);
    let both = [warning("first", 1, true), warning("read", 1, true)];
    check(&both, &[signed(1, &["read-1"])], 0);
    check(&both, &[signed(1, &["read-1", "first-1"])], 1);
}

#[test]
fn f_311_an_older_signature_that_knew_does_not_come_back_to_life() {
    let late = [warning("read", 1, true)];
    check(&late, &[signed(1, &["read-1"]), signed(2, &[])], 0);
    check(&late, &[signed(1, &[]), signed(2, &["read-1"])], 2);
}

#[test]
fn f_311_what_asks_nobody_or_comes_from_beside_asks_nobody_again() {
    check(&[warning("read", 1, false)], &[signed(1, &[])], 1);
    check(&[warning("beside", 1, true)], &[signed(1, &[])], 1);
    check(&[warning("pay", 1, true)], &[signed(1, &[])], 1);
}
