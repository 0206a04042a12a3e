//! Everything but votes.

use jiff::SignedDuration;
use serde_json::json;

use super::make::{after, attempt, caller, opening, request, start, tool, user};
use crate::{
    Actor, Decided, Escalation, LifecycleError, Opening, Position, Preview, Request, RunId, Status,
    Timing, Verdict, Waiting, amend, close, decide, escalate, expire, extend,
};

#[test]
fn k_16_every_gate_has_a_finite_deadline() {
    let check = |minutes, waiting, seconds| {
        let timing = Timing::starting(start(), minutes, waiting);
        assert_eq!(timing.deadline, after(seconds));
    };
    check(None, Waiting::Interactive, 120);
    check(None, Waiting::Queue, 24 * 3600);
    check(None, Waiting::Mail, 7 * 24 * 3600);
    check(Some(30), Waiting::Mail, 1800);
    check(Some(u32::MAX), Waiting::Mail, 300 * 24 * 3600);
    let past = Timing::starting(start(), Some(0), Waiting::Mail);
    let error = Request::open(Opening { timing: past, ..opening(1) }, start()).unwrap_err();
    assert_eq!(countersign_failure::Failure::code(&error), "APPROVAL_DEADLINE_PASSED");
}

#[test]
fn long_waits_are_reminded_once() {
    let mail = Timing::starting(start(), None, Waiting::Mail);
    assert_eq!(mail.reminders, [after(7 * 24 * 3600 / 4 * 3)]);
    assert!(Timing::starting(start(), None, Waiting::Interactive).reminders.is_empty());
}

#[test]
fn r_055_a_missed_deadline_is_a_denial_with_a_receipt() {
    let request = request(2, 1);
    let early = expire(&request, after(1)).unwrap_err();
    assert_eq!(early, LifecycleError::NotDue { deadline: request.timing.deadline });
    let ended = expire(&request, request.timing.deadline).unwrap();
    let receipt = ended.receipt.unwrap();
    assert_eq!((receipt.status, &receipt.actor), (Status::TimedOut, &Actor::Clock));
    assert_eq!(ended.request.decision().unwrap().decision, Status::TimedOut);
    let again = expire(&ended.request, request.timing.deadline).unwrap_err();
    assert!(matches!(again, LifecycleError::Closed(_)));
}

#[test]
fn only_votes_approve_and_deny() {
    for status in [Status::Pending, Status::Approved, Status::Denied, Status::TimedOut] {
        let error = close(&request(2, 1), status, after(1)).unwrap_err();
        assert_eq!(error, LifecycleError::NotAnEnd(status));
    }
}

#[test]
fn r_054_final_states_never_change() {
    let closed = close(&request(2, 1), Status::Cancelled, after(1)).unwrap().request;
    assert!(close(&closed, Status::Expired, after(2)).is_err());
    assert!(expire(&closed, after(1_000_000)).is_err());
    assert!(amend(&closed, opening(2), after(2)).is_err());
    assert!(extend(&closed, after(1_000_000), after(2)).is_err());
    assert!(escalate(&closed).is_err());
}

#[test]
fn changing_the_content_raises_the_version_and_voids_votes() {
    let before = request(3, 2);
    let approve = attempt(&before, Verdict::Approve);
    let Decided::Recorded(first) =
        decide(&before, &[], &approve, &caller(&user(1)), after(1)).unwrap()
    else {
        panic!("repeated")
    };
    let changed = Opening { subject: tool(&json!({"amount": "99.00"})), ..opening(3) };
    let mut changed_policy = changed;
    changed_policy.policy.quorum = 2;
    let now = amend(&first.request, changed_policy, after(2)).unwrap().request;
    assert_eq!((now.version, now.salt), (2, before.salt));
    assert_ne!(now.digest, before.digest);
    // The old vote counts for nothing, and its caster may vote anew.
    let approve = attempt(&now, Verdict::Approve);
    let votes = [first.vote];
    let Decided::Recorded(second) =
        decide(&now, &votes, &approve, &caller(&user(1)), after(3)).unwrap()
    else {
        panic!("repeated")
    };
    assert_eq!((second.approvals, second.request.status), (1, Status::Pending));
    assert_ne!(second.receipt.id, first.receipt.id);
}

#[test]
fn content_of_another_place_is_no_change() {
    let elsewhere = Position::of_step(&RunId::from_bytes([8; 16]), "gate");
    let opening = Opening { position: elsewhere, ..opening(2) };
    let error = amend(&request(2, 1), opening, after(1)).unwrap_err();
    assert_eq!(error, LifecycleError::OtherRequest);
}

#[test]
fn a_deadline_moves_only_forward_and_not_for_ever() {
    let request = request(2, 1);
    let deadline = request.timing.deadline;
    let check = |to, now, fits| assert_eq!(extend(&request, to, now).is_ok(), fits);
    let later = |hours| deadline.checked_add(SignedDuration::from_hours(hours)).unwrap();
    check(later(1), after(1), true);
    check(deadline, after(1), false);
    check(later(300 * 24), after(1), false);
    check(later(1), deadline, false);
}

#[test]
fn escalation_appends_and_repeats_harmlessly() {
    let mut opening = opening(2);
    opening.timing.escalation =
        Some(Escalation { at: after(60), to: vec![user(2), user(5), opening.owner.clone()] });
    let request = Request::open(opening, start()).unwrap();
    let (change, people) = escalate(&request).unwrap();
    let escalated = change.unwrap().request;
    // The owner is asked for nothing: they may not decide.
    assert_eq!(people, [user(2), user(5)]);
    assert_eq!(escalated.policy.slot_of(&user(5)), Some(2));
    assert_eq!(escalated.policy.slot_of(&user(1)), Some(0));
    let (again, people) = escalate(&escalated).unwrap();
    assert_eq!((again, people), (None, vec![user(2), user(5)]));
}

#[test]
fn the_same_place_has_the_same_id_and_every_other_place_another() {
    let run = RunId::from_bytes([7; 16]);
    let place = Position::of_step(&run, "gate");
    let id = |place: &Position| place.approval_id(&super::make::tenant());
    assert_eq!(id(&place), id(&place.clone()));
    let others = [
        Position::of_step(&RunId::from_bytes([8; 16]), "gate"),
        Position::of_step(&run, "gate2"),
        Position { iteration: 1, ..place.clone() },
        Position { turn: 1, ..place.clone() },
        Position { call: 1, ..place.clone() },
        place.next_round(),
    ];
    let ids: std::collections::BTreeSet<_> = others.iter().chain([&place]).map(id).collect();
    assert_eq!(ids.len(), 7);
}

#[test]
fn an_approval_allows_exactly_the_calls_it_covers() {
    let request = request(2, 1);
    let covered = request.covers[0].root;
    assert!(!request.allows("gate", &covered), "pending allows nothing");
    let approve = attempt(&request, Verdict::Approve);
    let Decided::Recorded(done) =
        decide(&request, &[], &approve, &caller(&user(1)), after(1)).unwrap()
    else {
        panic!("repeated")
    };
    assert!(done.request.allows("gate", &covered));
    assert!(!done.request.allows("other", &covered));
    let other = tool(&json!({"amount": "10.01"})).effects[0].covered().root;
    assert!(!done.request.allows("gate", &other));
}

#[test]
fn r_053_a_request_says_who_is_asked_what_until_when_and_how_it_ended() {
    let pending = request(2, 1);
    let stored = serde_json::to_value(&pending).unwrap();
    for member in ["id", "position", "owner", "invoker", "prompt", "covers", "policy", "salt"] {
        assert!(!stored[member].is_null(), "{member}");
    }
    assert_eq!((&stored["status"], &stored["opened_at"]), (&json!("pending"), &json!(start())));
    assert_eq!(stored["timing"]["deadline"], json!(pending.timing.deadline));
    assert!(pending.closed.is_none());
    let late = pending.timing.deadline;
    let ended = expire(&pending, late).unwrap().request;
    let closed = ended.closed.as_ref().unwrap();
    assert_eq!((closed.status, closed.at), (Status::TimedOut, late));
    let kept = serde_json::to_string(&ended).unwrap();
    assert_eq!(serde_json::from_str::<Request>(&kept).unwrap(), ended);
}

#[test]
fn f_195_rows_and_prompt_are_kept_as_they_were_when_the_gate_opened() {
    let mut rows = json!([{ "payee": "Ann" }, { "payee": "Bob" }]);
    let mut asked = opening(1);
    asked.preview = Preview::of(&rows, 10).unwrap();
    let request = Request::open(asked, start()).unwrap();
    rows[0]["payee"] = json!("Eve");
    assert_eq!(request.preview.shown, json!([{ "payee": "Ann" }, { "payee": "Bob" }]));
    assert_eq!((request.position.step.as_str(), request.prompt.as_str()), ("gate", "Pay?"));
    assert_eq!(request.status, Status::Pending);
}
