//! Deadlines, reminders, escalation.

use countersign_approval::{Actor, ApprovalId, Escalation, Status, Verdict};
use countersign_failure::Failure as _;
use countersign_identity::TokenUse;
use jiff::SignedDuration;
use serde_json::json;

use super::adapters::{World, at, by_mail, gate, user};
use super::deciding::{session, session_with_factor};
use crate::{Expiry, Extending, GateEvent, GateEventKind, Opened};

const WEEK: i64 = 7 * 24 * 3600;

async fn opened(world: &World) -> ApprovalId {
    let mut opening = gate("10");
    let to = vec![user(2), user(4), user(9)];
    opening.timing.escalation = Some(Escalation { at: at(3600), to });
    match world.open(opening, "t1", at(0)).await {
        Opened::Pending { id, .. } => id,
        Opened::Decided { .. } => panic!("decided"),
    }
}

#[tokio::test]
async fn k_12_the_deadline_refuses_once_and_wakes_the_run() {
    let world = World::new();
    let id = opened(&world).await;
    let expire = GateEvent { approval: id.clone(), action: GateEventKind::Expire, n: 0 };
    let early = world.gatekeeper().expire(&id, at(10)).await.unwrap();
    assert_eq!(early, Expiry::NotDue { deadline: at(WEEK) });
    let rung = world.gatekeeper().ring(&expire, at(WEEK)).await.unwrap();
    assert_eq!(rung, json!({ "expiry": "ended", "status": "timed_out" }));
    let rung = world.gatekeeper().ring(&expire, at(WEEK + 1)).await.unwrap();
    assert_eq!(rung, json!({ "expiry": "ended_before", "status": "timed_out" }));
    assert_eq!(world.told("t1"), [json!({ "decision": "timed_out" })]);
    let state = world.state();
    assert!(state.alarms.is_empty(), "no clock goes on");
    let receipts: Vec<_> = state.receipts.values().map(|r| (&r.actor, r.status)).collect();
    assert_eq!(receipts, [(&Actor::Clock, Status::TimedOut)]);
}

#[tokio::test]
async fn whoever_comes_late_before_the_schedule_closes_the_request() {
    let world = World::new();
    let id = opened(&world).await;
    let approve = by_mail(&world.request(&id), 1, Verdict::Approve);
    let error = world.gatekeeper().decide(&approve, at(WEEK)).await.unwrap_err();
    assert_eq!((error.code(), error.http_status()), ("APPROVAL_TIMED_OUT", 409));
    assert_eq!(world.request(&id).status, Status::TimedOut);
    assert_eq!(world.told("t1").len(), 1);
}

#[tokio::test]
async fn the_sweeper_ends_what_no_schedule_ended() {
    let world = World::new();
    let id = opened(&world).await;
    world.state().alarms.clear();
    assert_eq!(world.gatekeeper().sweep(at(WEEK - 1)).await.unwrap().expired, 0);
    assert_eq!(world.gatekeeper().sweep(at(WEEK)).await.unwrap().expired, 1);
    assert_eq!(world.request(&id).status, Status::TimedOut);
}

#[tokio::test]
async fn r_057_k_20_only_orphans_past_their_deadline_expire() {
    let world = World::new();
    let id = opened(&world).await;
    world.state().run_over = true;
    assert_eq!(world.gatekeeper().sweep(at(60)).await.unwrap().expired, 0);
    world.state().waiting.clear();
    assert_eq!(world.gatekeeper().sweep(at(WEEK)).await.unwrap().expired, 1);
    assert_eq!(world.request(&id).status, Status::Expired);
    assert!(world.state().unmoved.is_empty(), "nobody will ever wait for it");
}

fn more_time(id: &ApprovalId, person: u8, seconds: i64) -> Extending {
    let who = session(person, TokenUse::Login);
    Extending { approval: id.clone(), who, deadline: at(seconds) }
}

#[tokio::test]
async fn more_time_moves_the_clock_and_mails_those_who_have_not_answered() {
    let world = World::new();
    let id = opened(&world).await;
    let approve = by_mail(&world.request(&id), 2, Verdict::Approve);
    world.gatekeeper().decide(&approve, at(1)).await.unwrap();
    for _ in 0..2 {
        let after =
            world.gatekeeper().extend(&more_time(&id, 1, WEEK + 3600), at(5)).await.unwrap();
        let told: Vec<_> = after.extensions.iter().map(|one| (&one.by, one.from, one.to)).collect();
        assert_eq!(told, [(&user(1), at(WEEK), at(WEEK + 3600))]);
    }
    assert_eq!(world.state().alarms[&format!("{id}-expire")], at(WEEK + 3600));
    let left = SignedDuration::from_secs(WEEK + 3600 - 5);
    let reminder = at(5).checked_add(left / 4 * 3).unwrap();
    assert_eq!(world.state().alarms[&format!("{id}-remind-0")], reminder);
    let found = world.gatekeeper().expire(&id, at(WEEK)).await.unwrap();
    assert_eq!(found, Expiry::NotDue { deadline: at(WEEK + 3600) });
    let mailed = |state: &super::adapters::State| {
        let mails = state.mails.iter().filter(|(_, _, on)| on.starts_with("extended-"));
        mails.map(|(person, _, _)| person.clone()).collect::<Vec<_>>()
    };
    assert_eq!(mailed(&world.state()), [user(1), user(3)]);
}

#[tokio::test]
async fn more_time_is_given_by_those_who_may_decide_and_to_a_later_time() {
    let world = World::new();
    let id = opened(&world).await;
    let check = async |person: u8, seconds: i64, now: i64, expect: &str| {
        let asked = more_time(&id, person, seconds);
        let error = world.gatekeeper().extend(&asked, at(now)).await.unwrap_err();
        assert_eq!(error.code(), expect, "{person} {seconds}");
    };
    check(1, WEEK - 1, 6, "DEADLINE_NOT_LATER").await;
    check(1, WEEK + 3599, 6, "DEADLINE_NOT_LATER").await;
    check(1, 301 * 24 * 3600, 6, "DEADLINE_NOT_LATER").await;
    check(5, WEEK + 1, 6, "APPROVAL_NOT_FOUND").await;
    check(9, WEEK + 1, 6, "NOT_AN_APPROVER").await;
    check(1, WEEK + 1, WEEK, "APPROVAL_TIMED_OUT").await;
    assert!(world.request(&id).extensions.is_empty());
}

#[tokio::test]
async fn k_08_a_session_gives_time_and_asks_others_with_a_second_factor_where_the_deployment_says_so()
 {
    let world = World::new();
    let id = opened(&world).await;
    world.state().requires_mfa = true;
    let (before, mails) = (world.request(&id), world.state().mails.clone());
    let extending = |who| Extending { who, ..more_time(&id, 1, WEEK + 3600) };
    let without = session(1, TokenUse::Login);
    let gatekeeper = world.gatekeeper();
    for error in [
        gatekeeper.extend(&extending(without.clone()), at(1)).await.unwrap_err(),
        gatekeeper.escalate_now(&id, &without, at(1)).await.unwrap_err(),
    ] {
        assert_eq!((error.code(), error.http_status()), ("MFA_REQUIRED", 403));
    }
    assert_eq!(world.request(&id), before, "the request changed");
    assert_eq!(world.state().mails, mails, "somebody was told");
    assert_eq!(world.state().alarms[&format!("{id}-expire")], at(WEEK), "the clock moved");
    // Strangers hear nothing of factors.
    let stranger = session(7, TokenUse::Login);
    for error in [
        gatekeeper.extend(&extending(stranger.clone()), at(1)).await.unwrap_err(),
        gatekeeper.escalate_now(&id, &stranger, at(1)).await.unwrap_err(),
    ] {
        assert_eq!(error.code(), "APPROVAL_NOT_FOUND");
    }
    let with = session_with_factor(1);
    let extended = gatekeeper.extend(&extending(with.clone()), at(2)).await.unwrap();
    assert_eq!(extended.timing.deadline, at(WEEK + 3600));
    assert_eq!(gatekeeper.escalate_now(&id, &with, at(2)).await.unwrap(), [user(2), user(4)]);
}

#[tokio::test]
async fn more_time_is_given_sixteen_times_and_each_is_kept() {
    let world = World::new();
    let id = opened(&world).await;
    for (n, hours) in (1..=16).zip(1..) {
        let asked = more_time(&id, 1, WEEK + hours * 3600);
        assert_eq!(world.gatekeeper().extend(&asked, at(5)).await.unwrap().extensions.len(), n);
    }
    let asked = more_time(&id, 1, WEEK + 17 * 3600);
    let error = world.gatekeeper().extend(&asked, at(5)).await.unwrap_err();
    assert_eq!((error.code(), error.http_status()), ("APPROVAL_TOO_MANY_EXTENSIONS", 409));
    let request = world.request(&id);
    assert_eq!((request.extensions.len(), request.timing.deadline), (16, at(WEEK + 16 * 3600)));
    let again = world.gatekeeper().extend(&more_time(&id, 1, WEEK + 16 * 3600), at(6)).await;
    assert!(again.is_ok(), "the same deadline changes nothing");
    assert_eq!(
        world.state().mails.iter().filter(|(_, _, on)| on.starts_with("extended-")).count(),
        48
    );
}

#[tokio::test]
async fn only_those_who_have_not_answered_are_reminded() {
    let world = World::new();
    let id = opened(&world).await;
    let approve = by_mail(&world.request(&id), 1, Verdict::Approve);
    world.gatekeeper().decide(&approve, at(1)).await.unwrap();
    assert_eq!(world.gatekeeper().remind(&id, 0, at(2)).await.unwrap(), [user(2), user(3)]);
    assert!(world.gatekeeper().remind(&id, 0, at(WEEK)).await.unwrap().is_empty());
}

#[tokio::test]
async fn escalation_asks_others_in_addition_and_their_votes_count() {
    let world = World::new();
    let id = opened(&world).await;
    let event = GateEvent { approval: id.clone(), action: GateEventKind::Escalate, n: 0 };
    for _ in 0..2 {
        let rung = world.gatekeeper().ring(&event, at(3600)).await.unwrap();
        assert_eq!(rung, json!({ "asked": 2 }));
    }
    let escalated = world.state().mails.iter().filter(|(_, _, on)| on == "escalated").count();
    assert_eq!(escalated, 2);
    for person in [4, 1] {
        let approve = by_mail(&world.request(&id), person, Verdict::Approve);
        world.gatekeeper().decide(&approve, at(3700)).await.unwrap();
    }
    assert_eq!(world.request(&id).status, Status::Approved);
    assert_eq!(world.gatekeeper().ring(&event, at(3800)).await.unwrap(), json!({ "asked": 0 }));
}

#[tokio::test]
async fn an_escalation_to_people_who_cannot_decide_is_heard_and_nobody_is_mailed() {
    let world = World::new();
    let id = opened(&world).await;
    for person in [2, 4, 9] {
        world.state().people.get_mut(&user(person)).unwrap().active = false;
    }
    assert!(world.gatekeeper().escalate(&id, at(3600)).await.unwrap().is_empty());
    let state = world.state();
    let heard: Vec<(&str, usize)> = state.heard.iter().map(|(on, n)| (on.as_str(), *n)).collect();
    assert_eq!(heard, [("opened", 3), ("escalated", 0)]);
    assert!(state.too_few.is_empty(), "two others can decide");
}
