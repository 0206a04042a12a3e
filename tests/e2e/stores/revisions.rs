//! Steps that are carried out again, because somebody asked for changes at a gate.

use std::collections::BTreeSet;
use std::sync::Arc;

use countersign_approval::ports::RunLog as _;
use countersign_approval::{Actor, Closed, ReceiptId, Request, Revision, Status, Verdict};
use countersign_identity::UserId;
use countersign_run::{
    Event, EventKind, RunId, RunRecord, RunStatus, StepStatus, Stop, StopReason, fold,
};
use countersign_store_runs::{
    Asked, Consequence, Ended, ReadAsked, ReadWith, RunLimits, RunStore, StepOutcome,
};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::runs::{head, store};

const AT: Timestamp = Timestamp::UNIX_EPOCH;

/// A draft, which a gate shows.
fn plan(run: &RunId) -> Value {
    let step = |name: &str, kind: &str, after: &[&str]| json!({ "name": name, "kind": kind, "on_error": "stop", "after": after });
    let mut ask = step("ask", "gate", &["draft"]);
    ask["gate"] = json!({ "prompt": "?", "preview_limit": 10, "on_reject": "stop", "quorum": 1, "revise": ["draft"] });
    ask["reads"] = json!(["draft"]);
    json!({
        "version": 1, "tenant": "acme", "run": run, "owner": UserId::from_bytes([1; 16]), "profile": "p",
        "context": "background", "playbook": { "id": "p", "version": "1.0.0", "digest": "" }, "inputs": {},
        "steps": [step("draft", "tool", &[]), ask],
    })
}

/// What the draft ends with in this execution.
pub(super) fn written(attempt: u32, text: &str) -> (StepOutcome, Event) {
    let kind = EventKind::StepEnded {
        status: StepStatus::Done,
        count: None,
        code: None,
        message: None,
        took_ms: 1,
        model: None,
    };
    let outcome = StepOutcome {
        step: "draft".to_owned(),
        status: StepStatus::Done,
        input_hash: String::new(),
        output: json!({ "text": text }),
        count: None,
        code: None,
        message: None,
        verdict: None,
        model: None,
        approval: None,
        attempt,
        at: AT,
    };
    (outcome, Event { step: "draft".to_owned(), attempt, n: 9, at: AT, kind })
}

fn wish(run: &RunId) -> Request {
    let mut request = super::approvals::request(1);
    (request.position.run, request.position.step) = (run.clone(), "ask".to_owned());
    (request.status, request.revisable) = (Status::Superseded, vec!["draft".to_owned()]);
    let revision = Revision { mode: Verdict::Enhance, instructions: "Less.".to_owned() };
    request.closed = Some(Closed {
        status: Status::Superseded,
        at: AT,
        by: Actor::Person(UserId::from_bytes([9; 16])),
        door: None,
        receipt: ReceiptId::from_bytes([2; 16]),
        answers: Vec::new(),
        revision: Some(Box::new(revision)),
    });
    request
}

pub(super) async fn drafted(n: u8) -> (RunStore, RunId) {
    let (store, run) = (store().await, RunId::from_bytes([n; 16]));
    let asked = Asked { inputs: json!({}), samples: None, playbook: None };
    store.create(&head(&run), &asked, RunLimits::NONE, &[]).await.unwrap();
    store.seal(&serde_json::from_value(plan(&run)).unwrap(), "seal", AT).await.unwrap();
    let (outcome, event) = written(1, "long");
    let ended = store.end_step(&run, &outcome, &event, Consequence::default()).await.unwrap();
    assert_eq!(ended, Ended::Now);
    (store, run)
}

#[tokio::test]
async fn k_09_a_wish_takes_the_draft_away_once_and_late_executions_write_nothing() {
    let (store, run) = drafted(61).await;
    let old = store.head(&run).await.unwrap().unwrap();
    // The end of a request may be told twice.
    for _ in 0..2 {
        store.closed(&wish(&run)).await.unwrap();
    }
    let new = store.head(&run).await.unwrap().unwrap();
    assert_eq!((new.attempt, new.round_of("ask"), new.is_done_again("draft")), (2, 1, true));
    assert_eq!(store.outcome(&run, "draft").await.unwrap(), None);
    assert_eq!(store.all_outcomes(&run).await.unwrap(), []);
    assert_eq!(store.view(&run, "draft").await.unwrap().unwrap().own, None);
    assert_eq!(store.replaced(&run, "draft", 2).await.unwrap(), json!({ "text": "long" }));
    let asked = store.revisions(&run).await.unwrap();
    assert_eq!(asked.len(), 1);
    assert_eq!((asked[0].instructions.as_str(), asked[0].attempt), ("Less.", 2));

    // An invocation of the execution before, which is late.
    let (late, event) = written(1, "late");
    let ended = store.end_step(&run, &late, &event, Consequence::default()).await.unwrap();
    assert_eq!(ended, Ended::Superseded(2));
    let record = RunRecord::default();
    let finished = store.finish(&old, RunStatus::Complete, &record, AT).await.unwrap();
    assert!(!finished, "the execution before ends nothing");

    let (outcome, event) = written(2, "short");
    let ended = store.end_step(&run, &outcome, &event, Consequence::default()).await.unwrap();
    assert_eq!(ended, Ended::Now);
    assert_eq!(store.outcome(&run, "draft").await.unwrap(), Some(outcome));
    let events = store.events(&run).await.unwrap();
    let order = ["draft".to_owned(), "ask".to_owned()];
    let state = fold(&new, &order, &events);
    assert_eq!(state.step("draft").unwrap().status, StepStatus::Done);
    assert!(store.finish(&new, RunStatus::Complete, &record, AT).await.unwrap());
}

#[tokio::test]
async fn k_09_a_run_that_is_ending_is_not_carried_on() {
    let (store, run) = drafted(62).await;
    let stop = Stop {
        reason: StopReason::Cancelled,
        step: None,
        by: None,
        code: None,
        message: "enough".to_owned(),
        at: AT,
    };
    assert!(store.stop(&run, &stop, 1).await.unwrap());
    store.closed(&wish(&run)).await.unwrap();
    let head = store.head(&run).await.unwrap().unwrap();
    assert_eq!((head.attempt, head.revised.is_empty()), (1, true));
    assert!(store.outcome(&run, "draft").await.unwrap().is_some());
}

#[tokio::test]
async fn what_was_read_of_a_step_holds_until_it_is_over_and_what_is_done_again_is_open() {
    let (store, run) = drafted(63).await;
    let plan = store.view(&run, "ask").await.unwrap().unwrap().plan;
    let read = async || {
        let others = BTreeSet::from(["draft"]);
        let with = ReadWith { others: &others, asked: ReadAsked::Nothing, other_tables: &[] };
        let view = store.view_with(&run, "ask", Arc::clone(&plan), with).await.unwrap().unwrap();
        view.others.unwrap()
    };
    let before = read().await;
    assert_eq!(before.over("draft"), Some((StepStatus::Done, None)));
    assert!(!before.is_open("draft") && before.is_open("ask") && !before.is_open("other"));

    store.closed(&wish(&run)).await.unwrap();
    let reopened = read().await;
    assert!(reopened.is_open("draft") && reopened.over("draft").is_none());
    let written = reopened.and(written(2, "short").0);
    assert!(!written.is_open("draft") && written.over("draft").is_none());
    for (reads, output) in [(&["draft"][..], json!({ "text": "short" })), (&[], Value::Null)] {
        let outcomes = store.outcomes(&run, &["draft"], reads, Some(&written)).await.unwrap();
        assert_eq!(outcomes["draft"].output, output, "no request is made for it");
    }
}
