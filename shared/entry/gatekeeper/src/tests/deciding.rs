//! Deciding through the gatekeeper.

use countersign_approval::{Assurance, Choice, Door, OutcomeAnswer, Status, Verdict};
use countersign_failure::Failure as _;
use countersign_identity::{Capability, Presented, Scopes, TokenUse};
use futures::future::join_all;

use super::adapters::{World, at, by_mail, gate, question, user};
use crate::{Attempting, GateError, Opened, Who};

async fn opened(world: &World) -> countersign_approval::Request {
    match world.open(gate("10"), "t1", at(0)).await {
        Opened::Pending { id, .. } => world.request(&id),
        Opened::Decided { .. } => panic!("decided"),
    }
}

#[tokio::test]
async fn k_49_a_repeated_answer_counts_only_the_answers_equal_to_it() {
    let world = World::new();
    let Opened::Pending { id, .. } = world.open(question(), "t1", at(0)).await else {
        panic!("decided")
    };
    let request = world.request(&id);
    let answering = |person, choice, evidence| {
        let mut attempting = by_mail(&request, person, Verdict::Approve);
        attempting.attempt.answers = vec![OutcomeAnswer::new(0, choice, evidence)];
        attempting
    };
    let done = answering(1, Choice::Done, Some("statement 47"));
    let not_done = answering(2, Choice::NotDone, None);
    for attempting in [&done, &not_done, &done, &not_done] {
        let answer = world.gatekeeper().decide(attempting, at(1)).await.unwrap();
        assert_eq!((answer.approvals, answer.quorum), (1, 2), "{answer:?}");
        assert_eq!(answer.status, Status::Pending);
    }
}

async fn check(world: &World, attempting: &Attempting, expect: (&str, u16)) {
    let got = match world.gatekeeper().decide(attempting, at(1)).await {
        Ok(_) => ("", 200),
        Err(error) => (error.code(), error.http_status()),
    };
    assert_eq!(got, expect);
}

#[tokio::test]
async fn rights_are_read_at_the_decision_and_not_remembered() {
    let world = World::new();
    let request = opened(&world).await;
    let approve = by_mail(&request, 1, Verdict::Approve);
    let take = |change: &dyn Fn(&mut countersign_identity::DirectoryEntry)| {
        change(world.state().people.get_mut(&user(1)).unwrap());
    };
    take(&|entry| entry.capabilities.clear());
    check(&world, &approve, ("DECIDE_CAPABILITY_MISSING", 403)).await;
    take(&|entry| entry.capabilities.extend([Capability::Decide]));
    take(&|entry| entry.active = false);
    check(&world, &approve, ("USER_INACTIVE", 403)).await;
    world.state().people.remove(&user(1));
    check(&world, &approve, ("USER_UNKNOWN", 403)).await;
    world.state().broken.insert("directory");
    check(&world, &approve, ("BROKEN", 503)).await;
    assert!(world.state().votes.is_empty());
}

pub(super) fn session(person: u8, token_use: TokenUse) -> Who {
    Who::Session(Box::new(Presented {
        user: user(person),
        token_id: "t-1".to_owned(),
        session: None,
        account: None,
        expires_at: None,
        issued_at: 0,
        token_use,
        scopes: Scopes::parse(["global:editor"]),
        capabilities: [Capability::Decide].into(),
        second_factor: false,
    }))
}

/// As [`session`] of a login, with a second factor behind it.
pub(super) fn session_with_factor(person: u8) -> Who {
    match session(person, TokenUse::Login) {
        Who::Session(token) => Who::Session(Box::new(Presented { second_factor: true, ..*token })),
        link @ Who::LinkOf(_) => link,
    }
}

#[tokio::test]
async fn only_an_interactive_login_decides() {
    let world = World::new();
    let request = opened(&world).await;
    let mut attempting = by_mail(&request, 1, Verdict::Approve);
    attempting.attempt.door = Door::Rest;
    attempting.attempt.assurance = Assurance::SignedIn;
    for token_use in [TokenUse::Api, TokenUse::Service] {
        attempting.who = session(1, token_use);
        check(&world, &attempting, ("DECIDE_CAPABILITY_MISSING", 403)).await;
    }
    attempting.who = session(1, TokenUse::Login);
    check(&world, &attempting, ("", 200)).await;
}

#[tokio::test]
async fn what_cannot_be_taken_back_is_decided_with_a_second_factor_where_the_deployment_says_so() {
    let world = World::new();
    let request = opened(&world).await;
    assert!(request.irreversible);
    let mut signed_in = by_mail(&request, 1, Verdict::Approve);
    (signed_in.attempt.door, signed_in.attempt.assurance) = (Door::Rest, Assurance::SignedIn);
    signed_in.who = session(1, TokenUse::Login);
    world.state().requires_mfa = true;
    for verdict in [Verdict::Approve, Verdict::Deny] {
        signed_in.attempt.verdict = verdict;
        check(&world, &signed_in, ("MFA_REQUIRED", 403)).await;
    }
    assert!(world.state().votes.is_empty());
    // Strangers and people without the right hear nothing of factors.
    let stranger = Attempting { who: session(5, TokenUse::Login), ..signed_in.clone() };
    check(&world, &stranger, ("APPROVAL_NOT_FOUND", 404)).await;
    let program = Attempting { who: session(1, TokenUse::Api), ..signed_in.clone() };
    check(&world, &program, ("DECIDE_CAPABILITY_MISSING", 403)).await;

    signed_in.attempt.verdict = Verdict::Approve;
    signed_in.who = session_with_factor(1);
    check(&world, &signed_in, ("", 200)).await;
    // A link is not a session, and what can be taken back asks for none.
    check(&world, &by_mail(&request, 2, Verdict::Approve), ("", 200)).await;
}

#[tokio::test]
async fn strangers_find_nothing_and_the_owner_is_told_why() {
    let world = World::new();
    let request = opened(&world).await;
    check(&world, &by_mail(&request, 5, Verdict::Approve), ("APPROVAL_NOT_FOUND", 404)).await;
    check(&world, &by_mail(&request, 9, Verdict::Approve), ("NOT_AN_APPROVER", 403)).await;
    let mut unknown = by_mail(&request, 1, Verdict::Approve);
    unknown.approval = countersign_approval::ApprovalId::from_bytes([0; 16]);
    check(&world, &unknown, ("APPROVAL_NOT_FOUND", 404)).await;
}

#[tokio::test]
async fn k_17_a_double_click_is_one_vote_with_one_receipt() {
    let world = World::new();
    let request = opened(&world).await;
    let approve = by_mail(&request, 1, Verdict::Approve);
    let gatekeeper = world.gatekeeper();
    let answers = join_all((0..8).map(|_| gatekeeper.decide(&approve, at(1)))).await;
    let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
    assert_eq!(answers.iter().filter(|answer| !answer.repeated).count(), 1);
    assert!(answers.iter().all(|answer| answer.receipt == answers[0].receipt));
    let state = world.state();
    assert_eq!((state.votes.len(), state.receipts.len()), (1, 1));
}

#[tokio::test]
async fn votes_cast_at_the_same_moment_are_all_counted() {
    let world = World::new();
    let request = opened(&world).await;
    let gatekeeper = world.gatekeeper();
    let attempts = [1, 2].map(|person| by_mail(&request, person, Verdict::Approve));
    let answers = join_all(attempts.iter().map(|attempt| gatekeeper.decide(attempt, at(1)))).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(world.request(&request.id).status, Status::Approved);
    assert_eq!(world.told("t1").len(), 1);
}

#[tokio::test]
async fn approvals_and_denials_at_once_have_one_outcome() {
    let world = World::new();
    let request = opened(&world).await;
    let gatekeeper = world.gatekeeper();
    let verdicts = [(1, Verdict::Approve), (2, Verdict::Approve), (3, Verdict::Deny)];
    let attempts = verdicts.map(|(person, verdict)| by_mail(&request, person, verdict));
    let answers = join_all(attempts.iter().map(|attempt| gatekeeper.decide(attempt, at(1)))).await;
    let status = world.request(&request.id).status;
    assert!(status.is_final());
    assert_eq!(world.told("t1").len(), 1);
    assert_eq!(world.state().run_closed[&request.id], status);
    for answer in answers {
        assert!(matches!(answer, Ok(_) | Err(GateError::Decide(_))));
    }
}

#[tokio::test]
async fn a_decision_stands_although_the_run_cannot_be_woken() {
    for port in ["states", "runs", "ledger"] {
        let world = World::new();
        let request = opened(&world).await;
        world.state().broken.insert(port);
        for person in [1, 2] {
            let approve = by_mail(&request, person, Verdict::Approve);
            world.gatekeeper().decide(&approve, at(1)).await.unwrap();
        }
        assert_eq!(world.request(&request.id).status, Status::Approved, "{port}");
        // A run that has not noted the outcome is not woken: it could run on past a refusal.
        assert_eq!(world.told("t1").is_empty(), port != "ledger", "{port}");
        world.state().broken.clear();
        let swept = world.gatekeeper().sweep(at(60)).await.unwrap();
        assert_eq!(swept.moved, usize::from(port != "ledger"), "{port}");
        assert_eq!(world.told("t1").len(), 1, "{port}");
        assert_eq!(world.state().ledger.len(), 2, "{port}");
        let again = world.gatekeeper().sweep(at(120)).await.unwrap();
        assert_eq!(again, crate::Swept::default(), "{port}");
    }
}
