//! Requests for approval: versions, votes, links, codes and receipts.

use std::collections::BTreeSet;

use countersign_approval::chain::{Head, Sealed};
use countersign_approval::ports::Signatures as _;
use countersign_approval::{
    Assurance, Attempt, Choice, Code, CodeAllowance, CodeCheck, CodeScope, Decided, Digest, Door,
    Floor, HmacKey, Kind, Layout, OnReject, Opening, OutcomeAnswer, Policy, Position, Preview,
    Recorded, Request, RunContext, RunId, Status, StepEffects, Subject, Tenant, Timing,
    UnknownCall, Verdict, Waiting, decide,
};
use countersign_identity::{Caller, Capability, Scopes, UserId};
use countersign_store_approvals::{
    Approvals, CodeIssue, Commit, Committed, Created, RequestList, SealOutcome, TaskToken,
};
use countersign_store_kit::Window;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

async fn store() -> Approvals {
    super::approvals("approvals").await
}

pub(super) fn user(n: u8) -> UserId {
    UserId::from_bytes([n; 16])
}

pub(super) fn request(quorum: u32) -> Request {
    Request::open(opening(quorum), opened_at()).unwrap()
}

fn opened_at() -> Timestamp {
    "2026-11-21T10:00:00Z".parse().unwrap()
}

pub(super) fn opening(quorum: u32) -> Opening {
    let arguments = json!({ "amount": 0.1 });
    let texts = vec![arguments.to_string()];
    let effects = StepEffects { step: "pay".to_owned(), action: "pay".to_owned(), texts };
    Opening {
        tenant: Tenant::parse("acme").unwrap(),
        position: Position::of_step(&RunId::from_bytes([7; 16]), "pay"),
        context: RunContext::Background,
        subject: Subject { effects: vec![effects], ..Subject::of(Kind::Tool) },
        irreversible: true,
        owner: user(9),
        invoker: user(9),
        asked_by: None,
        requesters: BTreeSet::new(),
        title: "Pay".to_owned(),
        prompt: "Pay?".to_owned(),
        preview: Preview::of(&arguments, 10).unwrap(),
        layout: Layout::default(),
        effects_at: None,
        remarks: Vec::new(),
        plan_picture: String::new(),
        cost_bound: None,
        policy: Policy { quorum, ..Policy::one_of(vec![user(1), user(2)], true) },
        floor: Floor::default(),
        requirement: None,
        topic: None,
        timing: Timing::starting(opened_at(), None, Waiting::Queue),
        on_reject: OnReject::Stop,
        revisable: Vec::new(),
        salt: Digest::from_bytes([1; 32]),
    }
}

fn scope(verdict: Verdict) -> CodeScope {
    CodeScope::of(verdict, &[])
}

pub(super) fn vote(request: &Request, n: u8, now: Timestamp) -> Recorded {
    vote_with(request, n, now, Vec::new())
}

fn vote_with(request: &Request, n: u8, now: Timestamp, answers: Vec<OutcomeAnswer>) -> Recorded {
    let attempt = Attempt {
        verdict: Verdict::Approve,
        digest: Some(request.digest.to_string()),
        version: None,
        door: Door::Mail,
        assurance: Assurance::LinkCode,
        answers,
        note: Some("fine".to_owned()),
    };
    let caller = Caller {
        user: user(n),
        scopes: Scopes::default(),
        capabilities: BTreeSet::from([Capability::Decide]),
        token_id: "t".to_owned(),
    };
    match decide(request, &[], &attempt, &caller, now).unwrap() {
        Decided::Recorded(recorded) => *recorded,
        Decided::Repeated(_) => panic!("repeated"),
    }
}

pub(super) fn commit<'a>(
    before: &'a Request,
    recorded: &'a Recorded,
    now: Timestamp,
) -> Commit<'a> {
    let (vote, receipt) = (Some(&recorded.vote), Some(&recorded.receipt));
    Commit { before, after: &recorded.request, vote, receipt, now }
}

#[tokio::test]
async fn a_request_goes_its_way_through_the_table() {
    let (store, request) = (store().await, request(1));
    let run = request.position.run.clone();
    assert_eq!(store.create(&request, &TaskToken::new("t1")).await.unwrap(), Created::New);
    assert_eq!(store.create(&request, &TaskToken::new("t2")).await.unwrap(), Created::Exists);
    assert_eq!(store.token(&request.id).await.unwrap(), Some(TaskToken::new("t1")));
    let later = TaskToken::new("t2").of_attempt(1, 1);
    assert!(store.reattach(&request.id, &later, request.opened_at).await.unwrap());
    assert!(!store.reattach(&request.id, &TaskToken::new("t1"), request.opened_at).await.unwrap());
    assert_eq!(store.token(&request.id).await.unwrap(), Some(later));
    let loaded = store.load(&request.id).await.unwrap().unwrap();
    assert_eq!((&loaded.request, loaded.votes.len()), (&request, 0));
    assert!(store.is_unasked(&request.id).await.unwrap());
    store.asked(&request.id, 2).await.unwrap();
    assert!(store.is_unasked(&request.id).await.unwrap(), "another version was told");
    store.asked(&request.id, 1).await.unwrap();
    assert!(!store.is_unasked(&request.id).await.unwrap());
    let pending =
        store.for_approver(&user(1), RequestList::Pending, Window::first(10)).await.unwrap();
    assert_eq!(pending.items.len(), 1);
    assert_eq!(store.overdue(request.timing.deadline, 10).await.unwrap().len(), 1);

    let now = request.opened_at.checked_add(SignedDuration::from_secs(60)).unwrap();
    let late = vote(&request, 1, now);
    let too_late = commit(&request, &late, request.timing.deadline);
    assert_eq!(store.commit(&too_late).await.unwrap(), Committed::Stale);
    assert!(store.signatures(&run, "pay").await.unwrap().is_empty());
    assert_eq!(store.commit(&commit(&request, &late, now)).await.unwrap(), Committed::Done);
    assert_eq!(store.commit(&commit(&request, &late, now)).await.unwrap(), Committed::Stale);
    assert!(!store.reattach(&request.id, &TaskToken::new("t3"), now).await.unwrap());

    let signatures = store.signatures(&run, "pay").await.unwrap();
    assert_eq!(signatures[0].receipt, late.receipt.id);
    assert_eq!(signatures[0].covered, request.covers[0]);
    assert!(store.signatures(&run, "other").await.unwrap().is_empty());
    let loaded = store.load(&request.id).await.unwrap().unwrap();
    assert_eq!((loaded.request.status, loaded.votes.len()), (Status::Approved, 1));
    assert_eq!(store.receipts(&request.id).await.unwrap(), [late.receipt]);
    assert!(
        store
            .for_approver(&user(1), RequestList::Pending, Window::first(10))
            .await
            .unwrap()
            .items
            .is_empty()
    );
    assert_eq!(
        store.of_owner(&user(9), RequestList::Closed, Window::first(10)).await.unwrap().items.len(),
        1
    );
    assert_eq!(store.unmoved(now, 10).await.unwrap().len(), 1);
    store.moved(&loaded.request).await.unwrap();
    assert!(store.unmoved(now, 10).await.unwrap().is_empty());
    assert_eq!(store.token(&request.id).await.unwrap(), None);
}

#[tokio::test]
async fn k_49_what_people_answered_is_found_by_its_step_and_permits_nothing() {
    let store = store().await;
    let mut question = request(1);
    let root = question.covers[0].root;
    (question.kind, question.covers) = (Kind::Outcome, Vec::new());
    question.outcome = vec![UnknownCall {
        n: 0,
        leaf: root,
        call: 1,
        approval: question.id.clone(),
        receipt: "rcpt_1".to_owned(),
        sent_at: question.opened_at,
        target: "POST bank.example/pay".to_owned(),
        key: "9f".to_owned(),
        key_hours: Some(24),
    }];
    let (run, now) = (question.position.run.clone(), question.opened_at);
    store.create(&question, &TaskToken::new("t")).await.unwrap();
    assert!(store.answers(&run, "pay").await.unwrap().is_empty());
    let answer = OutcomeAnswer::new(0, Choice::Again, Some("the bank has nothing"));
    let recorded = vote_with(&question, 1, now, vec![answer.clone()]);
    store.commit(&commit(&question, &recorded, now)).await.unwrap();
    let found = store.answers(&run, "pay").await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0].answer, &found[0].call), (&answer, &question.outcome[0]));
    assert_eq!(found[0].receipt, recorded.receipt.id);
    assert!(store.answers(&run, "other").await.unwrap().is_empty());
    assert!(store.signatures(&run, "pay").await.unwrap().is_empty());
}

#[tokio::test]
async fn of_two_votes_at_once_one_has_to_look_again() {
    let (store, request) = (store().await, request(2));
    store.create(&request, &TaskToken::new("t")).await.unwrap();
    let votes = [vote(&request, 1, request.opened_at), vote(&request, 2, request.opened_at)];
    let first = store.commit(&commit(&request, &votes[0], request.opened_at)).await.unwrap();
    let second = store.commit(&commit(&request, &votes[1], request.opened_at)).await.unwrap();
    assert_eq!((first, second), (Committed::Done, Committed::Stale));
}

#[tokio::test]
async fn receipts_are_sealed_once_and_in_order() {
    let (store, request) = (store().await, request(1));
    store.create(&request, &TaskToken::new("t")).await.unwrap();
    let recorded = vote(&request, 1, request.opened_at);
    let receipt = recorded.receipt.clone();
    let forged = [receipt.clone()];
    assert!(store.sealable(&forged).await.unwrap().is_empty(), "not written yet");
    store.commit(&commit(&request, &recorded, request.opened_at)).await.unwrap();
    assert_eq!(store.sealable(&forged).await.unwrap(), forged);
    assert_eq!(store.unsealed(request.opened_at, 10).await.unwrap().len(), 1);
    let entry = Head::genesis(&request.tenant).append(&receipt).unwrap();
    let batch = [Sealed { entry: entry.clone(), receipt }];
    assert_eq!(store.seal(None, &batch).await.unwrap(), SealOutcome::Sealed);
    assert_eq!(store.seal(None, &batch).await.unwrap(), SealOutcome::Stale);
    assert!(store.sealable(&forged).await.unwrap().is_empty());
    assert!(store.unsealed(request.opened_at, 10).await.unwrap().is_empty());
    assert_eq!(store.head().await.unwrap(), Some(Head::from(&entry)));
    assert_eq!(store.entries(1).await.unwrap(), batch);
    assert_eq!(store.receipts(&request.id).await.unwrap().len(), 1);
}

#[tokio::test]
async fn links_repeat_until_reissued_and_codes_are_counted() {
    let (store, request) = (store().await, request(1));
    let key = HmacKey::new("k", &[1; 32]);
    let first = store.issue_link(&request, 0, &key, false).await.unwrap();
    let again = store.issue_link(&request, 0, &key, false).await.unwrap();
    assert_eq!(first.token(), again.token());
    store.check_link(&request.id, 0, &first).await.unwrap();
    let newer = store.issue_link(&request, 0, &key, true).await.unwrap();
    assert!(store.check_link(&request.id, 0, &first).await.is_err());
    store.check_link(&request.id, 0, &newer).await.unwrap();

    let code = Code::from_random([5; 8]);
    let now = request.opened_at;
    let approve =
        |now| code.stored(Digest::from_bytes([2; 32]), 0, 1, scope(Verdict::Approve), now);
    let mut at = now;
    for _ in 0..CodeAllowance::MAX {
        assert_eq!(store.put_code(&request.id, &approve(at), at).await.unwrap(), CodeIssue::Kept);
        let again = store.put_code(&request.id, &approve(at), at).await.unwrap();
        assert!(matches!(again, CodeIssue::Known(_)), "mailed a moment ago: {again:?}");
        at += SignedDuration::from_secs(60);
    }
    let last = store.put_code(&request.id, &approve(at), at).await.unwrap();
    assert!(matches!(last, CodeIssue::Known(_)), "the newest stays good: {last:?}");
    let deny = code.stored(Digest::from_bytes([2; 32]), 0, 1, scope(Verdict::Deny), at);
    let none = store.put_code(&request.id, &deny, at).await.unwrap();
    assert!(matches!(none, CodeIssue::NotBefore(_)), "{none:?}");
    assert!(store.try_code(&request.id, 1, 0, &scope(Verdict::Deny)).await.unwrap().is_none());
    for _ in 0..4 {
        let tried =
            store.try_code(&request.id, 1, 0, &scope(Verdict::Approve)).await.unwrap().unwrap();
        assert_eq!(tried.check("x", 1, &scope(Verdict::Approve), at), CodeCheck::Wrong);
    }
    let tried = store.try_code(&request.id, 1, 0, &scope(Verdict::Approve)).await.unwrap().unwrap();
    assert_eq!(tried.check(&code.to_string(), 1, &scope(Verdict::Approve), at), CodeCheck::Right);
    assert!(store.try_code(&request.id, 1, 0, &scope(Verdict::Approve)).await.unwrap().is_none());
    // Used up, and still there is a next one later.
    at += SignedDuration::from_mins(30);
    assert_eq!(store.put_code(&request.id, &approve(at), at).await.unwrap(), CodeIssue::Kept);
}
