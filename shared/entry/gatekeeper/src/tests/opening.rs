//! Opening, and opening again.

use countersign_approval::ports::TooFew;
use countersign_approval::{Decision, Policy, Status, Verdict};
use countersign_failure::Failure as _;
use countersign_identity::UserId;
use countersign_store_approvals::TaskToken;
use serde_json::json;

use super::adapters::{World, at, by_mail, gate, run, user};
use crate::Opened;

fn id_of(opened: &Opened) -> countersign_approval::ApprovalId {
    match opened {
        Opened::Pending { id, .. } | Opened::Decided { id, .. } => id.clone(),
    }
}

#[tokio::test]
async fn f_198_a_gate_is_written_timed_and_mailed_once() {
    let world = World::new();
    let first = world.open(gate("10"), "t1", at(0)).await;
    let id = id_of(&first);
    assert_eq!(first, Opened::Pending { id: id.clone(), first: true });
    let again = world.open(gate("10"), "t2", at(5)).await;
    assert_eq!(again, Opened::Pending { id: id.clone(), first: false });
    let state = world.state();
    assert_eq!(state.mails.len(), 3);
    assert_eq!(state.tokens[&id].expose(), "t2");
    assert_eq!(state.alarms[&format!("{id}-expire")], at(7 * 24 * 3600));
    assert_eq!(state.alarms.len(), 2, "expiry and one reminder");
    assert!(state.run_opened.contains(&id) && state.unasked.is_empty());
}

#[tokio::test]
async fn f_196_the_decision_wakes_the_newest_waiter_only() {
    let world = World::new();
    let id = id_of(&world.open(gate("10"), "t1", at(0)).await);
    world.open(gate("10"), "t2", at(5)).await;
    for person in [1, 2] {
        let attempting = by_mail(&world.request(&id), person, Verdict::Approve);
        world.gatekeeper().decide(&attempting, at(6)).await.unwrap();
    }
    assert_eq!(world.told("t2"), [json!({ "decision": "approved" })]);
    assert!(world.told("t1").is_empty());
}

#[tokio::test]
async fn an_invocation_that_is_late_does_not_replace_the_token_of_its_retry() {
    let world = World::new();
    let turn = |token: &str, retry| TaskToken::new(token).of_attempt(1, retry);
    let gatekeeper = world.gatekeeper();
    let id = id_of(&gatekeeper.open(gate("10"), &turn("t2", 1), at(2)).await.unwrap());
    let late = gatekeeper.open(gate("10"), &turn("t1", 0), at(3)).await.unwrap();
    assert_eq!(late, Opened::Pending { id: id.clone(), first: false });
    assert_eq!(world.state().tokens[&id].expose(), "t2");
    let next = TaskToken::new("t3").of_attempt(2, 0);
    gatekeeper.open(gate("10"), &next, at(4)).await.unwrap();
    assert_eq!(world.state().tokens[&id].expose(), "t3");
}

#[tokio::test]
async fn k_14_a_gate_opened_after_the_decision_is_answered_at_once() {
    for (verdict, status) in [(Verdict::Approve, Status::Approved), (Verdict::Deny, Status::Denied)]
    {
        let world = World::new();
        let mut one = gate("10");
        one.policy.quorum = 1;
        let id = id_of(&world.open(one.clone(), "t1", at(0)).await);
        world.state().waiting.clear();
        let attempting = by_mail(&world.request(&id), 1, verdict);
        world.gatekeeper().decide(&attempting, at(6)).await.unwrap();
        assert!(world.state().unmoved.contains(&id), "nobody waited");

        let opened = world.open(one, "t2", at(9)).await;
        let decision = Decision { decision: status };
        assert_eq!(opened, Opened::Decided { id: id.clone(), decision });
        assert_eq!(world.told("t2"), [json!({ "decision": status })]);
        assert!(world.state().unmoved.is_empty());
    }
}

#[tokio::test]
async fn k_09_other_arguments_need_new_signatures() {
    let world = World::new();
    let id = id_of(&world.open(gate("10"), "t1", at(0)).await);
    let old = world.request(&id);
    world.gatekeeper().decide(&by_mail(&old, 1, Verdict::Approve), at(1)).await.unwrap();

    world.open(gate("99"), "t2", at(2)).await;
    let new = world.request(&id);
    assert_eq!((new.version, new.status), (2, Status::Pending));
    let changed = world.state().mails.iter().filter(|(_, version, _)| *version == 2).count();
    assert_eq!(changed, 3, "everybody is told");

    let error =
        world.gatekeeper().decide(&by_mail(&old, 2, Verdict::Approve), at(3)).await.unwrap_err();
    assert_eq!((error.code(), error.http_status()), ("PREVIEW_CHANGED", 409));
    // The first vote is void: two new ones are needed.
    let answer =
        world.gatekeeper().decide(&by_mail(&new, 2, Verdict::Approve), at(4)).await.unwrap();
    assert_eq!((answer.status, answer.approvals), (Status::Pending, 1));
    let answer =
        world.gatekeeper().decide(&by_mail(&new, 1, Verdict::Approve), at(5)).await.unwrap();
    assert_eq!(answer.status, Status::Approved);
}

#[tokio::test]
async fn an_approval_that_no_longer_fits_opens_the_next_round_and_a_refusal_stays() {
    for (verdict, asks_again) in [(Verdict::Approve, true), (Verdict::Deny, false)] {
        let world = World::new();
        let mut one = gate("10");
        one.policy.quorum = 1;
        let id = id_of(&world.open(one, "t1", at(0)).await);
        let attempting = by_mail(&world.request(&id), 1, verdict);
        world.gatekeeper().decide(&attempting, at(1)).await.unwrap();

        let mut other = gate("99");
        other.policy.quorum = 1;
        let opened = world.open(other.clone(), "t2", at(2)).await;
        assert_eq!(matches!(opened, Opened::Pending { first: true, .. }), asks_again);
        assert_eq!(id_of(&opened) != id, asks_again);
        // And it is found again by the next attempt.
        let again = world.open(other, "t3", at(3)).await;
        assert_eq!(id_of(&again), id_of(&opened));
    }
}

#[tokio::test]
async fn a_gate_found_after_its_deadline_has_timed_out() {
    let world = World::new();
    let id = id_of(&world.open(gate("10"), "t1", at(0)).await);
    let late = at(8 * 24 * 3600);
    let mut opening = gate("10");
    opening.timing.deadline = at(9 * 24 * 3600);
    let opened = world.open(opening, "t2", late).await;
    let decision = Decision { decision: Status::TimedOut };
    assert_eq!(opened, Opened::Decided { id, decision });
}

#[tokio::test]
async fn a_gate_nobody_could_open_is_refused_and_leaves_nothing() {
    let world = World::new();
    let mut own = gate("10");
    own.policy = Policy::one_of(vec![user(9)], true);
    let error = world.gatekeeper().open(own, &TaskToken::new("t1"), at(0)).await.unwrap_err();
    assert_eq!(error.code(), "APPROVAL_UNREACHABLE");
    let state = world.state();
    assert!(state.requests.is_empty() && state.mails.is_empty());
}

#[tokio::test]
async fn k_03_a_mail_that_cannot_be_sent_leaves_the_request_pending_and_is_sent_later() {
    for port in ["mail", "alarms", "runs"] {
        let world = World::new();
        world.state().broken.insert(port);
        let opened = world.open(gate("10"), "t1", at(0)).await;
        assert!(matches!(opened, Opened::Pending { first: true, .. }));
        assert!(world.state().mails.is_empty());

        let swept = world.gatekeeper().sweep(at(60)).await.unwrap();
        assert_eq!((swept.announced, swept.unannounced), (0, 1), "{port}");
        world.state().broken.clear();
        let swept = world.gatekeeper().sweep(at(120)).await.unwrap();
        assert_eq!((swept.announced, swept.unannounced), (1, 0), "{port}");
        assert_eq!(world.state().mails.len(), 3);
        assert_eq!(world.gatekeeper().sweep(at(180)).await.unwrap().announced, 0);
    }
}

/// The people who were told of a request that nobody could be told of when it was opened, after these have lost the right to decide.
async fn told_later(lost: &[u8]) -> (World, Vec<UserId>) {
    let world = World::new();
    world.state().broken.insert("mail");
    let id = id_of(&world.open(gate("10"), "t1", at(0)).await);
    for person in lost {
        world.state().people.get_mut(&user(*person)).unwrap().capabilities.clear();
    }
    world.state().broken.clear();
    assert_eq!(world.gatekeeper().sweep(at(120)).await.unwrap().announced, 1);
    assert!(world.request(&id).status == Status::Pending && world.state().unasked.is_empty());
    let people = world.state().mails.iter().map(|(person, ..)| person.clone()).collect();
    (world, people)
}

#[tokio::test]
async fn k_03_whoever_lost_the_right_to_decide_before_they_were_told_is_not_mailed() {
    let (world, people) = told_later(&[1]).await;
    assert_eq!(people, [user(2), user(3)]);
    assert!(world.state().too_few.is_empty());
    let (world, people) = told_later(&[1, 2]).await;
    assert_eq!(people, [user(3)]);
    assert_eq!(world.state().too_few, [TooFew { able: 1, needed: 2 }]);
    let (world, people) = told_later(&[1, 2, 3]).await;
    assert_eq!(people, []);
    let state = world.state();
    assert_eq!(state.too_few, [TooFew { able: 0, needed: 2 }]);
    assert_eq!(state.heard, [("opened".to_owned(), 0)], "listeners hear of it all the same");
}

#[tokio::test]
async fn k_03_whoever_has_decided_before_the_others_are_told_is_not_asked_again() {
    let world = World::new();
    world.state().broken.insert("mail");
    let id = id_of(&world.open(gate("10"), "t1", at(0)).await);
    let approve = by_mail(&world.request(&id), 1, Verdict::Approve);
    world.gatekeeper().decide(&approve, at(1)).await.unwrap();
    world.state().broken.clear();
    world.open(gate("10"), "t2", at(60)).await;
    let people: Vec<UserId> = world.state().mails.iter().map(|(one, ..)| one.clone()).collect();
    assert_eq!(people, [user(2), user(3)]);
    assert!(world.state().too_few.is_empty());
}

#[tokio::test]
async fn stopping_a_run_cancels_its_gates_and_wakes_what_waits() {
    let world = World::new();
    let id = id_of(&world.open(gate("10"), "t1", at(0)).await);
    assert_eq!(world.gatekeeper().cancel_for_run(&run(), at(1)).await.unwrap(), 1);
    assert_eq!(world.gatekeeper().cancel_for_run(&run(), at(2)).await.unwrap(), 0);
    assert_eq!(world.told("t1"), [json!({ "decision": "cancelled" })]);
    let attempting = by_mail(&world.request(&id), 1, Verdict::Approve);
    let error = world.gatekeeper().decide(&attempting, at(3)).await.unwrap_err();
    assert_eq!((error.code(), error.http_status()), ("APPROVAL_CANCELLED", 409));
}
