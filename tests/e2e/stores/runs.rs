//! The marks of runs that are not finished, when there are more of them than one look takes.

use std::collections::BTreeSet;

use countersign_approval::ports::RunLog as _;
use countersign_approval::{
    Actor, Choice, Closed, Kind, OutcomeAnswer, ReceiptId, Request, Status, UnknownCall,
};
use countersign_identity::{Scopes, UserId};
use countersign_run::{Head, RunContext, RunId, RunRecord, RunStatus, Sending, StepStatus, fold};
use countersign_store_kit::Blobs;
use countersign_store_runs::{
    Asked, Consequence, Ended, Intended, Intent, RunLimits, RunStore, StepOutcome,
};
use futures::future::join_all;
use jiff::Timestamp;
use serde_json::json;

pub(super) async fn store() -> RunStore {
    RunStore::new(super::table("runs").await, Blobs::of(&super::aws().await, "nothing-is-kept"))
}

/// A run whose id says when it was made and, in its last digit, which partition its mark lies in.
fn run(n: u8, last: u8) -> RunId {
    let mut bytes = [0; 16];
    (bytes[0], bytes[15]) = (n, last);
    RunId::from_bytes(bytes)
}

pub(super) fn head(run: &RunId) -> Head {
    let owner = UserId::from_bytes([1; 16]);
    let head = json!({
        "run": run, "owner": owner, "invoked_by": owner, "scopes": Scopes::default(), "profile_id": "p",
        "profile_name": "P", "context": RunContext::Background, "started_at": Timestamp::UNIX_EPOCH, "attempt": 1,
        "version": 1,
    });
    serde_json::from_value(head).unwrap()
}

async fn look(store: &RunStore, most: usize) -> BTreeSet<RunId> {
    let seen = store.next_active(most).await.unwrap();
    let runs: BTreeSet<RunId> = seen.iter().map(|mark| mark.run.clone()).collect();
    assert_eq!(runs.len(), seen.len(), "a run is told twice");
    runs
}

#[tokio::test]
async fn every_unfinished_run_has_its_turn_however_many_wait() {
    let store = store().await;
    assert!(look(&store, 50).await.is_empty());
    let crowded = (0..130).map(|n| run(n, 3));
    let all: BTreeSet<RunId> = crowded.chain((0..8).map(|last| run(200, last))).collect();
    let asked = Asked { inputs: json!({}), samples: None, playbook: None };
    let heads: Vec<Head> = all.iter().map(head).collect();
    let made =
        join_all(heads.iter().map(|head| store.create(head, &asked, RunLimits::NONE, &[]))).await;
    assert!(made.iter().all(Result::is_ok), "{made:?}");
    let mut seen = BTreeSet::new();
    for _ in 0..6 {
        let now = look(&store, 50).await;
        assert!(now.len() >= 38, "a look that sees next to nothing: {}", now.len());
        seen.extend(now);
    }
    assert_eq!(seen, all);
    assert_eq!(look(&store, 1000).await, all, "one look with room for all sees all");
}

fn intent(at: Timestamp) -> Intent {
    let sending = Sending {
        call: 1,
        receipt: "rcpt_1".to_owned(),
        approval: Some("appr_1".to_owned()),
        target: "POST bank.example/pay".to_owned(),
        key: "9f".to_owned(),
        items: 0,
    };
    let lease_until = at + jiff::SignedDuration::from_secs(10);
    Intent {
        step: "pay".to_owned(),
        input_hash: String::new(),
        sending,
        leaf: None,
        struck: Vec::new(),
        signed: Vec::new(),
        lease_until,
        stops: true,
        attempt: 1,
        at,
    }
}

/// However the question about a sent step ends, what is written says that nobody knows.
async fn check_ending(n: u8, status: Status) {
    let (store, run, at) = (store().await, run(n, n), Timestamp::UNIX_EPOCH);
    store
        .create(
            &head(&run),
            &Asked { inputs: json!({}), samples: None, playbook: None },
            RunLimits::NONE,
            &[],
        )
        .await
        .unwrap();
    assert_eq!(store.intend(&run, &intent(at)).await.unwrap(), Intended::Now);
    let again = store.intend(&run, &intent(at)).await.unwrap();
    let Intended::InDoubt(found) = again else { panic!("{again:?}") };
    assert!(found.is_leased(at) && *found == intent(at));
    store.release(&run, "pay", 1, at).await.unwrap();
    assert!(!store.intent(&run, "pay").await.unwrap().unwrap().is_leased(at));
    assert!(store.release(&run, "pay", 2, at).await.is_err(), "another call's lease");
    let mut question = super::approvals::request(1);
    (question.kind, question.status) = (Kind::Outcome, status);
    (question.position.run, question.position.round) = (run.clone(), 1);
    store.closed(&question).await.unwrap();
    let outcome = store.outcome(&run, "pay").await.unwrap().unwrap();
    assert_eq!(
        (outcome.status, outcome.code.as_deref()),
        (StepStatus::Unknown, Some("EFFECT_UNKNOWN"))
    );
    let stop = store.head(&run).await.unwrap().unwrap().stop;
    let closed = matches!(status, Status::Cancelled | Status::Expired);
    assert_eq!(stop.is_some(), !closed, "the run ends as it does when the step fails: {stop:?}");
    let events = store.events(&run).await.unwrap();
    let state = fold(&head(&run), &["pay".to_owned()], &events);
    let step = state.step("pay").unwrap();
    assert_eq!((step.status, &step.message), (StepStatus::Unknown, &outcome.message), "{status:?}");
    let late = StepOutcome { status: StepStatus::TimedOut, ..outcome.clone() };
    let ended = store.end_step(&run, &late, &events[0], Consequence::default()).await.unwrap();
    assert_eq!(ended, Ended::Before(Box::new(outcome)), "what stands is not written over");
}

/// What is written of a step whose call was answered so: status and code, and whether the run ends.
async fn check_answer(
    n: u8,
    choice: Choice,
    receipt: &str,
    expect: Option<(StepStatus, Option<&str>, bool)>,
) {
    let (store, run, at) = (store().await, run(n, n), Timestamp::UNIX_EPOCH);
    store
        .create(
            &head(&run),
            &Asked { inputs: json!({}), samples: None, playbook: None },
            RunLimits::NONE,
            &[],
        )
        .await
        .unwrap();
    assert_eq!(store.intend(&run, &intent(at)).await.unwrap(), Intended::Now);
    let question = answered(&run, choice, receipt);
    // The end of a request may be told twice.
    for _ in 0..2 {
        store.closed(&question).await.unwrap();
    }
    let outcome = store.outcome(&run, "pay").await.unwrap();
    let stop = store.head(&run).await.unwrap().unwrap().stop;
    let events = store.events(&run).await.unwrap();
    let state = fold(&head(&run), &["pay".to_owned()], &events);
    let step = state.step("pay").unwrap();
    let Some((status, code, stops)) = expect else {
        assert!(outcome.is_none() && stop.is_none(), "{choice}: {outcome:?}");
        assert_eq!(step.status, StepStatus::Sending, "it goes on");
        return;
    };
    let outcome = outcome.unwrap();
    assert_eq!(
        (outcome.status, outcome.code.as_deref(), &outcome.output),
        (status, code, &json!(null))
    );
    assert_eq!(stop.is_some(), stops, "{choice}");
    assert_eq!((step.status, &step.message), (status, &outcome.message));
    assert!(outcome.message.unwrap().contains("with the evidence “statement 47”"));
}

/// A question about the call of `intent` whose people have answered.
fn answered(run: &RunId, choice: Choice, receipt: &str) -> Request {
    let mut question = super::approvals::request(1);
    (question.kind, question.status) = (Kind::Outcome, Status::Approved);
    (question.position.run, question.position.round) = (run.clone(), 1);
    question.outcome = vec![UnknownCall {
        n: 0,
        leaf: question.digest,
        call: 1,
        approval: question.id.clone(),
        receipt: receipt.to_owned(),
        sent_at: Timestamp::UNIX_EPOCH,
        target: "POST bank.example/pay".to_owned(),
        key: "9f".to_owned(),
        key_hours: None,
    }];
    question.closed = Some(Closed {
        status: Status::Approved,
        at: Timestamp::UNIX_EPOCH,
        by: Actor::Engine,
        door: None,
        receipt: ReceiptId::from_bytes([2; 16]),
        answers: vec![OutcomeAnswer::new(0, choice, Some("statement 47"))],
        revision: None,
    });
    question
}

#[tokio::test]
async fn k_49_an_answer_ends_the_step_unless_it_is_to_send_again() {
    check_answer(31, Choice::Done, "rcpt_1", Some((StepStatus::Done, None, false))).await;
    let failed = (StepStatus::Failed, Some("EFFECT_NOT_DONE"), true);
    check_answer(32, Choice::NotDone, "rcpt_1", Some(failed)).await;
    check_answer(33, Choice::Again, "rcpt_1", None).await;
    // An answer about another call says nothing of this one.
    check_answer(34, Choice::Done, "rcpt_9", None).await;
}

#[tokio::test]
async fn a_question_about_a_sent_step_never_ends_as_refused_or_late() {
    check_ending(21, Status::Denied).await;
    check_ending(22, Status::TimedOut).await;
    check_ending(23, Status::Cancelled).await;
    check_ending(24, Status::Expired).await;
}

#[tokio::test]
async fn f_178_a_removed_profile_leaves_its_runs_and_no_reference() {
    let (store, at) = (store().await, Timestamp::UNIX_EPOCH);
    let owner = UserId::from_bytes([9; 16]);
    let of = |n: u8, profile: &str| Head {
        owner: owner.clone(),
        profile_id: profile.to_owned(),
        ..head(&run(n, n))
    };
    let (done, open, other) = (of(50, "gone"), of(51, "gone"), of(52, "kept"));
    for head in [&done, &open, &other] {
        store
            .create(
                head,
                &Asked { inputs: json!({}), samples: None, playbook: None },
                RunLimits::NONE,
                &[],
            )
            .await
            .unwrap();
    }
    for head in [&done, &other] {
        assert!(store.finish(head, RunStatus::Complete, &RunRecord::default(), at).await.unwrap());
    }
    assert_eq!(store.last_success(&owner, "gone").await.unwrap(), Some(at));
    // Removing it again finishes what was not.
    for _ in 0..2 {
        store.forget_profile(&owner, "gone").await.unwrap();
    }
    assert_eq!(store.last_success(&owner, "gone").await.unwrap(), None);
    assert_eq!(store.last_success(&owner, "kept").await.unwrap(), Some(at));
    let profile = async |head: &Head| store.head(&head.run).await.unwrap().unwrap().profile_id;
    let profiles = [profile(&done).await, profile(&open).await, profile(&other).await];
    assert_eq!(profiles, ["", "gone", "kept"], "a run that goes on keeps its profile");
    let ended = Head { profile_id: String::new(), ..open.clone() };
    assert!(store.finish(&ended, RunStatus::Complete, &RunRecord::default(), at).await.unwrap());
    assert_eq!(profile(&open).await, "");
    assert_eq!(store.last_success(&owner, "").await.unwrap(), None);
}

#[tokio::test]
async fn f_314_of_two_who_write_an_output_again_at_once_one_does() {
    let (store, run) = (store().await, run(1, 1));
    let at = |second| Timestamp::from_second(second).unwrap();
    assert!(!store.claim_delivery(&run, 0, at(0)).await.unwrap(), "nobody has asked for it");
    store.ask_delivery(&run, 0, at(0)).await.unwrap();
    let claims = join_all((0..8).map(|_| store.claim_delivery(&run, 0, at(1)))).await;
    let taken = claims.into_iter().filter(|claim| *claim.as_ref().unwrap()).count();
    assert_eq!(taken, 1);
    // Asked for once more while it is written, it is not written twice.
    store.ask_delivery(&run, 0, at(2)).await.unwrap();
    assert!(!store.claim_delivery(&run, 0, at(2)).await.unwrap());
    store.release_delivery(&run, 0).await.unwrap();
    assert!(store.claim_delivery(&run, 0, at(3)).await.unwrap(), "it was given back");
    // Whoever had it is gone.
    assert!(store.claim_delivery(&run, 0, at(3_600)).await.unwrap());
}
