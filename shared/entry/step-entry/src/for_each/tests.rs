use std::collections::{BTreeMap, BTreeSet};

use countersign_approval::ports::Signed;
use countersign_approval::{Covered, Digest, StepEffects};
use countersign_plan::PlanStep;
use countersign_registry::Registry;
use countersign_run::{EFFECT_UNKNOWN, RunId, Sending, StepStatus, StopReason};
use countersign_store_kit::Stored;
use countersign_store_runs::{EarlierCall, Intent, ItemCall, ItemStatus, ListEnd, ListSummary};
use countersign_wiring::Scope;
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::list::items;
use super::plan::{Allowed, Made, allowed, left};
use super::summary::all_made_before;
use super::{Item, empty};
use crate::prepare::Prepared;
use crate::signature::StepCalls;

fn step(each: &Value) -> PlanStep {
    let step = json!({
        "name": "pay", "kind": "tool", "action": "call_connector", "on_error": "stop", "after": [],
        "irreversible": true, "for_each": each, "inputs": { "amount": "{item.amount}" },
        "params": { "connector": "bank", "endpoint": "pay" },
    });
    serde_json::from_value(step).unwrap()
}

fn each(key: Option<&str>, max: u32) -> Value {
    json!({ "in": "vendors", "as": "item", "key": key, "parallel": 1, "max": max })
}

fn listed(each: &Value, vendors: Value) -> Result<Vec<Item>, (&'static str, String)> {
    let (step, registry) = (step(each), Registry::builtin());
    let contract = registry.get("call_connector").unwrap();
    let scope = Scope::new().with("vendors", vendors);
    let found = items(&step, step.for_each.as_ref().unwrap(), contract, &scope);
    found.map_err(|error| (error.code, error.message))
}

#[track_caller]
fn check_refused(each: &Value, vendors: Value, code: &str, words: &str) {
    let (found, message) = listed(each, vendors).unwrap_err();
    assert_eq!(found, code, "{message}");
    assert!(message.contains(words), "{message}");
}

#[test]
fn k_49_each_item_is_resolved_for_itself_and_named_by_its_key() {
    let vendors = json!([{ "no": "A", "amount": "1.00" }, { "no": "B", "amount": "2.00" }]);
    let found = listed(&each(Some("{item.no}"), 10), vendors.clone()).unwrap();
    let told: Vec<(&str, &Value)> =
        found.iter().map(|item| (item.key.as_str(), &item.prepared.inputs["amount"])).collect();
    assert_eq!(told, [("A", &json!("1.00")), ("B", &json!("2.00"))]);
    let numbered = listed(&each(None, 10), vendors).unwrap();
    assert_eq!((numbered[0].key.as_str(), numbered[1].key.as_str()), ("0", "1"));
}

#[test]
fn a_list_that_cannot_be_told_apart_or_prepared_is_refused_with_its_items() {
    let key = each(Some("{item.no}"), 2);
    let vendor = |no: &str| json!({ "no": no, "amount": "1" });
    check_refused(&key, json!({ "no": "A" }), "FOR_EACH_NOT_A_LIST", "`{vendors}` is not a list");
    check_refused(
        &key,
        Value::from(vec![vendor("A"), vendor("B"), vendor("C")]),
        "FOR_EACH_TOO_MANY",
        "has 3 items",
    );
    check_refused(
        &key,
        Value::from(vec![vendor("A"), vendor("A")]),
        "FOR_EACH_DUPLICATE",
        "items 1 and 2",
    );
    check_refused(
        &key,
        json!([vendor("A"), { "amount": "1" }]),
        "STEP_INPUT_INVALID",
        "item 2: `key`",
    );
    check_refused(
        &key,
        json!([vendor("A"), { "no": "", "amount": "1" }]),
        "STEP_INPUT_INVALID",
        "`key` is empty",
    );
}

fn calls(count: u32) -> StepCalls {
    let texts = (0..count).map(|n| format!("{{\"n\":{n}}}")).collect();
    let signed = StepEffects { step: "pay".to_owned(), action: "call_connector".to_owned(), texts };
    StepCalls { effects: Vec::new(), keys: Vec::new(), signed }
}

fn signed(covered: Covered, at: i64) -> Signed {
    let id = |word: &str| format!("{word}_{at:032}");
    Signed {
        approval: serde_json::from_value(json!(id("appr"))).unwrap(),
        receipt: serde_json::from_value(json!(id("rcpt"))).unwrap(),
        at: Timestamp::from_second(at).unwrap(),
        covered,
        warned: Vec::new(),
    }
}

fn call(n: u32, status: ItemStatus) -> ItemCall {
    let sending = Sending {
        call: 1,
        receipt: "rcpt_1".to_owned(),
        approval: None,
        target: "POST bank/pay".to_owned(),
        key: format!("key{n}"),
        items: 0,
    };
    ItemCall {
        step: "pay".to_owned(),
        n,
        item: format!("INV-{n}"),
        leaf: Digest::from_bytes([0; 32]).to_string(),
        status,
        sending,
        at: Timestamp::UNIX_EPOCH,
        ended_at: None,
        output: None,
        code: (status == ItemStatus::Failed).then(|| "CONNECTOR_REFUSED".to_owned()),
        message: (status == ItemStatus::Failed).then(|| "no".to_owned()),
    }
}

fn made(statuses: &[(u32, ItemStatus)]) -> Made {
    let calls: BTreeMap<u32, ItemCall> =
        statuses.iter().map(|(n, status)| (*n, call(*n, *status))).collect();
    Made { calls, mark: None }
}

/// The mark of an invocation that began calls of these, with these struck out.
fn mark(signed: &[u32], struck: &[u32]) -> Intent {
    serde_json::from_value(json!({
        "step": "pay", "input_hash": "", "call": 1, "receipt": "rcpt_1", "target": "POST bank/pay", "key": "", "items": 4,
        "signed": signed, "struck": struck, "lease_until": Timestamp::UNIX_EPOCH, "stops": true, "attempt": 1,
        "at": Timestamp::UNIX_EPOCH,
    }))
    .unwrap()
}

fn struck(calls: &StepCalls, numbers: &[u32]) -> Covered {
    let count = u32::try_from(calls.signed.texts.len()).unwrap();
    let kept: Vec<u32> = (0..count).filter(|n| !numbers.contains(n)).collect();
    let root = left(calls, &kept).covered().root;
    Covered { root, struck: numbers.to_vec(), ..calls.signed.covered() }
}

fn numbers(allowed: &Allowed) -> Vec<u32> {
    allowed.now.keys().copied().collect()
}

#[test]
fn what_was_struck_out_or_has_a_record_is_not_made() {
    let calls = calls(5);
    let found = [signed(struck(&calls, &[1, 3]), 1)];
    let now = |made: &Made| numbers(&allowed(&calls, made, &found));
    assert_eq!(now(&made(&[])), [0, 2, 4]);
    assert_eq!(now(&made(&[(0, ItemStatus::Done)])), [2, 4]);
    assert_eq!(allowed(&calls, &made(&[]), &found).struck, BTreeSet::from([1, 3]));
}

#[test]
fn a_signature_of_another_list_allows_nothing() {
    let found = [signed(calls(3).signed.covered(), 1)];
    let allowed = allowed(&calls(4), &made(&[]), &found);
    assert!(allowed.now.is_empty() && allowed.is_unsigned);
}

#[test]
fn an_older_signature_does_not_come_back_to_life() {
    let calls = calls(4);
    let whole = signed(calls.signed.covered(), 1);
    let newer = signed(Covered { root: Digest::from_bytes([9; 32]), ..calls.signed.covered() }, 2);
    assert!(allowed(&calls, &made(&[]), &[whole, newer]).is_unsigned);
}

#[test]
fn k_49_a_signature_of_the_rest_holds_until_the_rest_is_made() {
    let all = calls(4);
    let found = [signed(left(&all, &[1, 2, 3]).covered(), 2)];
    let begun = made(&[(0, ItemStatus::Done)]);
    let first = allowed(&all, &begun, &found);
    assert_eq!((numbers(&first), first.signed.clone()), (vec![1, 2, 3], vec![1, 2, 3]));
    let mark = Some(mark(&first.signed, &[]));
    let later = Made { mark, ..made(&[(0, ItemStatus::Done), (1, ItemStatus::Done)]) };
    assert_eq!(numbers(&allowed(&all, &later, &found)), [2, 3], "the next invocation");
}

#[test]
fn what_was_struck_out_is_not_asked_for_again_with_the_rest() {
    let begun = Made { mark: Some(mark(&[], &[2])), ..made(&[(0, ItemStatus::Done)]) };
    assert_eq!(begun.rest(4), [1, 3]);
    let all = calls(4);
    let found = [signed(left(&all, &[1, 3]).covered(), 2)];
    assert_eq!(numbers(&allowed(&all, &begun, &found)), [1, 3]);
}

#[test]
fn records_of_other_items_do_not_fit() {
    let prepared = Prepared { inputs: Map::new(), params: Map::new(), hash: String::new() };
    let item = |key: &str| Item { key: key.to_owned(), prepared: prepared.clone() };
    let begun = made(&[(1, ItemStatus::Done)]);
    assert!(begun.fits(&[item("INV-0"), item("INV-1")]));
    assert!(!begun.fits(&[item("INV-1"), item("INV-2")]));
    assert!(!begun.fits(&[item("INV-0")]));
}

fn ended(made: &Made, keys: &[String], struck: &[u32]) -> ListEnd {
    let summary = ListSummary {
        calls: Some(&made.calls),
        keys: keys.iter().map(String::as_str).collect(),
        struck: struck.iter().copied().collect(),
        allowed: keys.len() - struck.len(),
        ..ListSummary::default()
    };
    summary.end(BTreeMap::new(), None)
}

fn keys(count: u32) -> Vec<String> {
    (0..count).map(|n| format!("INV-{n}")).collect()
}

#[test]
fn k_49_the_end_of_a_list_is_counted_and_never_done_while_a_call_is_missing() {
    use ItemStatus::{Done, Failed, Unknown};
    let check =
        |statuses: &[(u32, ItemStatus)], status: StepStatus, code: Option<&str>, says: &str| {
            let end = ended(&made(statuses), &keys(5), &[4]);
            assert_eq!((end.status, end.code.as_deref()), (status, code), "{}", end.message);
            assert!(end.message.starts_with(says), "{}", end.message);
        };
    let all = [(0, Done), (1, Done), (2, Done), (3, Done)];
    check(&all, StepStatus::Done, None, "4 of 4 calls done, 1 struck out.");
    let says = "1 of 4 calls done, 1 failed, 2 not sent, 1 struck out.";
    check(&[(0, Done), (1, Failed)], StepStatus::Failed, Some("PARTLY_SENT"), says);
    let says = "0 of 4 calls done, 1 failed, 3 not sent";
    check(&[(0, Failed)], StepStatus::Failed, Some("CONNECTOR_REFUSED"), says);
    let says = "1 of 4 calls done, 1 with unknown outcome, 2 not sent";
    check(&[(0, Done), (1, Unknown)], StepStatus::Unknown, Some(EFFECT_UNKNOWN), says);
}

#[test]
fn an_item_that_is_only_a_number_counts_from_1_for_people_and_from_0_in_the_output() {
    let mut made = made(&[(0, ItemStatus::Failed), (1, ItemStatus::Unknown)]);
    for (n, call) in &mut made.calls {
        call.item = n.to_string();
    }
    let calls = Some(&made.calls);
    let of_numbers = ListSummary { calls, is_numbered: true, ..ListSummary::default() };
    for summary in [of_numbers, ListSummary::of_records(&made.calls, None)] {
        let end = summary.end(BTreeMap::new(), None);
        assert!(end.message.contains(" Item `1`: "), "{}", end.message);
        assert!(end.message.contains(" Unknown: item `2`, "), "{}", end.message);
        let first = &end.output["results"][0];
        assert_eq!((&first["n"], &first["key"]), (&json!(0), &json!("0")));
    }
    let named = ListSummary { calls, ..ListSummary::default() };
    assert!(named.end(BTreeMap::new(), None).message.contains(" Item `0`: "), "it is a name");
}

fn before(n: u32, status: ItemStatus) -> EarlierCall {
    EarlierCall { run: RunId::from_bytes([1; 16]), call: call(n, status) }
}

#[test]
fn a_list_whose_items_were_all_done_before_is_done_and_one_with_an_unknown_is_not() {
    let step = step(&each(None, 10));
    let all_made_before =
        |earlier: &[EarlierCall]| all_made_before(&step, earlier, BTreeMap::new());
    let done = before(0, ItemStatus::Done);
    assert_eq!(all_made_before(std::slice::from_ref(&done)).status, StepStatus::Done);
    let unknown = all_made_before(&[done, before(1, ItemStatus::Unknown)]);
    assert_eq!(
        (unknown.status, unknown.stops),
        (StepStatus::Unknown, Some(StopReason::StepFailed))
    );
    assert_eq!(empty(&step).status, StepStatus::Skipped);
}

/// An answer that is kept, of so many bytes.
fn kept(bytes: u64) -> Option<Stored> {
    let key = "runs/run_1/pay/items/0-1.json".to_owned();
    Some(Stored::Bucket { key, bytes, sha256: Digest::from_bytes([0; 32]).to_string() })
}

#[test]
fn k_49_f_311_a_repetition_has_the_answers_of_before_and_what_they_could_not_read() {
    let done = before(0, ItemStatus::Done);
    let answer = json!({ "results": [{ "id": "T-1" }], "warnings": ["`paid_at` is not a date"], "warning_count": 1 });
    let answers = BTreeMap::from([("INV-0".to_owned(), Some(answer.clone()))]);
    let end = all_made_before(&step(&each(None, 10)), &[done], answers);
    assert_eq!(end.output["results"][0]["output"], answer);
    assert_eq!(end.output["warnings"], json!(["INV-0: `paid_at` is not a date"]));
    assert_eq!(end.warnings.map(|warnings| warnings.count), Some(1));
}

#[test]
fn f_311_an_answer_that_is_not_in_the_output_of_a_list_is_a_warning() {
    let mut made = made(&[
        (0, ItemStatus::Done),
        (1, ItemStatus::Done),
        (2, ItemStatus::Done),
        (3, ItemStatus::Failed),
    ]);
    made.calls.get_mut(&0).unwrap().output = kept(9_000_000);
    made.calls.get_mut(&2).unwrap().message = Some("ana says that it was done".to_owned());
    let output = ended(&made, &keys(4), &[]).output;
    let lost = ListSummary { calls: Some(&made.calls), ..ListSummary::default() };
    let lost = lost.end(BTreeMap::from([("INV-0".to_owned(), None)]), None).output;
    assert_eq!(
        lost["warnings"][0],
        "INV-0: it was done, and what it answered cannot be read any more"
    );
    let left_out = "INV-0: its answer is left out here: all answers together are longer than 8 MB";
    assert_eq!(
        output["warnings"],
        json!([left_out, "INV-1: it was done, and its answer could not be kept"])
    );
    assert_eq!(output["warning_count"], 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// What is allowed now, what has a record and what was struck out are the whole list, each once.
    #[test]
    fn every_call_of_a_list_is_made_struck_or_left(count in 1_u32..40, begun in proptest::collection::btree_set(0_u32..40, 0..20), out in proptest::collection::btree_set(0_u32..40, 0..20)) {
        let out: Vec<u32> = out.into_iter().filter(|n| *n < count && !begun.contains(n)).collect();
        let begun: Vec<(u32, ItemStatus)> = begun.into_iter().filter(|n| *n < count).map(|n| (n, ItemStatus::Done)).collect();
        let calls = calls(count);
        let found = allowed(&calls, &made(&begun), &[signed(struck(&calls, &out), 1)]);
        let mut all: Vec<u32> = numbers(&found).into_iter().chain(found.struck).chain(begun.iter().map(|(n, _)| *n)).collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..count).collect::<Vec<_>>());
    }

    /// The states of a list sum to its length.
    #[test]
    fn the_counts_of_an_end_sum_to_the_list(statuses in proptest::collection::vec(0_u8..4, 1..40)) {
        let count = u32::try_from(statuses.len()).unwrap();
        let of = |word: u8| match word { 0 => Some(ItemStatus::Done), 1 => Some(ItemStatus::Failed), 2 => Some(ItemStatus::Unknown), _ => None };
        let begun: Vec<(u32, ItemStatus)> = (0..count).zip(&statuses).filter_map(|(n, word)| Some((n, of(*word)?))).collect();
        let ending = ended(&made(&begun), &keys(count), &[]);
        let sum: u64 = ["done", "failed", "unknown", "not_sent", "struck"].iter().map(|what| ending.output[what].as_u64().unwrap()).sum();
        prop_assert_eq!(sum, u64::from(count));
        prop_assert_eq!(ending.output["results"].as_array().unwrap().len(), statuses.len());
    }
}
