//! Single decisions.

use countersign_failure::Failure as _;
use countersign_identity::{Capability, Requirement, Role, Scopes, Topic};
use countersign_zones::to_the_second;

use super::make::{after, attempt, caller, opening, request, start, user};
use crate::{
    Assurance, Attempt, Decided, Door, Recorded, Request, Status, Verdict, Vote, close, decide,
};

fn vote(request: &Request, votes: &[Vote], n: u8, verdict: Verdict) -> Recorded {
    let attempt = attempt(request, verdict);
    match decide(request, votes, &attempt, &caller(&user(n)), after(1)).unwrap() {
        Decided::Recorded(recorded) => *recorded,
        Decided::Repeated(_) => panic!("repeated"),
    }
}

/// The code and status of what an attempt of user 1 comes to; empty when it counts.
fn check(
    request: &Request,
    change: impl Fn(&mut Attempt, &mut countersign_identity::Caller),
    expect: (&str, u16),
) {
    let (mut attempt, mut caller) = (attempt(request, Verdict::Approve), caller(&user(1)));
    change(&mut attempt, &mut caller);
    let got = match decide(request, &[], &attempt, &caller, after(1)) {
        Ok(_) => ("", 200),
        Err(error) => (error.code(), error.http_status()),
    };
    assert_eq!(got, expect);
}

#[test]
fn what_is_malformed_is_422() {
    let request = request(2, 1);
    check(&request, |_, _| {}, ("", 200));
    check(&request, |attempt, _| attempt.digest = None, ("DIGEST_MISSING", 422));
    check(&request, |a, _| a.digest = Some(String::new()), ("DIGEST_MISSING", 422));
    check(&request, |a, _| a.digest = Some("yes".to_owned()), ("DIGEST_MALFORMED", 422));
    check(&request, |a, _| a.note = Some("x".repeat(4001)), ("NOTE_TOO_LONG", 422));
    check(&request, |a, _| a.note = Some("ü".repeat(2000)), ("", 200));
}

#[test]
fn another_digest_or_version_than_now_is_preview_changed() {
    let request = request(2, 1);
    check(&request, |a, _| a.digest = Some("0".repeat(64)), ("PREVIEW_CHANGED", 409));
    check(&request, |a, _| a.version = Some(2), ("PREVIEW_CHANGED", 409));
    check(&request, |a, _| a.version = Some(1), ("", 200));
}

#[test]
fn what_is_wrong_with_digest_or_version_is_said_without_the_right_digest() {
    let request = request(2, 1);
    let said = |change: &dyn Fn(&mut Attempt)| {
        let mut attempt = attempt(&request, Verdict::Approve);
        change(&mut attempt);
        let error = decide(&request, &[], &attempt, &caller(&user(1)), after(1)).unwrap_err();
        assert!(error.help().is_some_and(|help| help.contains("`digest`")), "{error}");
        error.to_string()
    };
    assert_eq!(
        said(&|attempt| attempt.digest = Some("0".repeat(64))),
        "the `digest` sent is not the digest of this request at version 1"
    );
    assert_eq!(
        said(&|attempt| attempt.version = Some(2)),
        "this was decided on version 2 of the request, which is at version 1 now"
    );
}

#[test]
fn k_22_only_entitled_people_decide() {
    let request = request(2, 1);
    check(&request, |_, caller| caller.user = user(100), ("NOT_AN_APPROVER", 403));
    check(&request, |_, caller| caller.user = user(9), ("NOT_AN_APPROVER", 403));
    let none = |_: &mut Attempt, caller: &mut countersign_identity::Caller| {
        caller.capabilities.remove(&Capability::Decide);
    };
    check(&request, none, ("DECIDE_CAPABILITY_MISSING", 403));
    check(&request, |a, _| a.door = Door::Webhook, ("DOOR_CLOSED", 403));
}

#[test]
fn k_08_a_requester_is_barred_unless_the_policy_lets_them() {
    let mut opening = opening(3);
    opening.requesters.insert(user(1));
    let barred = Request::open(opening.clone(), start()).unwrap();
    check(&barred, |_, _| {}, ("REQUESTER_BARRED", 403));
    opening.policy.requester_may_decide = true;
    check(&Request::open(opening, start()).unwrap(), |_, _| {}, ("", 200));
}

#[test]
fn the_permission_is_checked_again_at_every_decision() {
    let mut opening = opening(2);
    opening.requirement = Some(Requirement::topic_role(Role::Editor));
    opening.topic = Some(Topic::parse("macro").unwrap());
    let request = Request::open(opening, start()).unwrap();
    check(&request, |_, _| {}, ("", 200));
    check(&request, |_, c| c.scopes = Scopes::parse(["macro:editor"]), ("", 200));
    check(&request, |_, c| c.scopes = Scopes::parse(["esg:admin"]), ("PERMISSION_DENIED", 403));
    check(&request, |_, c| c.scopes = Scopes::parse([]), ("PERMISSION_DENIED", 403));
}

#[test]
fn assurance_is_what_the_policy_asks_for() {
    let mut opening = opening(2);
    opening.policy.assurance = Assurance::LinkCode;
    let request = Request::open(opening, start()).unwrap();
    let low = ("ASSURANCE_TOO_LOW", 403);
    check(&request, |a, _| a.assurance = Assurance::Link, low);
    let deny = |a: &mut Attempt, _: &mut _| {
        a.assurance = Assurance::Link;
        a.verdict = Verdict::Deny;
    };
    check(&request, deny, low);
    check(&request, |a, _| a.assurance = Assurance::LinkCode, ("", 200));
    check(&request, |a, _| a.assurance = Assurance::SignedIn, ("", 200));
}

#[test]
fn r_056_the_same_decision_again_gets_the_first_receipt_and_another_is_409() {
    let request = request(2, 1);
    let first = vote(&request, &[], 1, Verdict::Approve);
    assert_eq!(first.request.status, Status::Approved);
    let closed = &first.request;
    let votes = [first.vote.clone()];
    let again =
        decide(closed, &votes, &attempt(closed, Verdict::Approve), &caller(&user(1)), after(9));
    assert_eq!(again, Ok(Decided::Repeated(Box::new(first.vote.clone()))));

    let other =
        decide(closed, &votes, &attempt(closed, Verdict::Deny), &caller(&user(1)), after(9));
    let error = other.unwrap_err();
    assert_eq!((error.code(), error.http_status()), ("APPROVAL_CLOSED", 409));
    let told = format!("this request was approved at {}", to_the_second(after(1)));
    assert_eq!(error.to_string(), told, "ids stay inside");
    let crate::DecideError::Closed(ended) = &error else { panic!("{error:?}") };
    let told = format!("this request was approved by ada at {}", to_the_second(after(1)));
    assert_eq!(crate::story(ended, Some("ada")), told);
    let at = "2026-11-30T14:40:12.105923501Z".parse().unwrap();
    let told = crate::story(&crate::Closed { at, ..ended.clone() }, Some("ada"));
    assert_eq!(told, "this request was approved by ada at 2026-11-30 14:40:12Z");

    let late =
        decide(closed, &votes, &attempt(closed, Verdict::Approve), &caller(&user(2)), after(9));
    assert_eq!(late.unwrap_err().http_status(), 409);
}

#[test]
fn one_human_counts_once_and_cannot_change_their_mind() {
    let request = request(3, 2);
    let first = vote(&request, &[], 1, Verdict::Approve);
    assert_eq!((first.request.status, first.approvals), (Status::Pending, 1));
    let votes = [first.vote];
    let deny = attempt(&first.request, Verdict::Deny);
    let error = decide(&first.request, &votes, &deny, &caller(&user(1)), after(2)).unwrap_err();
    assert_eq!((error.code(), error.http_status()), ("ALREADY_VOTED", 409));
    let second = vote(&first.request, &votes, 2, Verdict::Approve);
    assert_eq!((second.request.status, second.approvals), (Status::Approved, 2));
}

#[test]
fn one_denial_closes_unless_the_policy_says_otherwise() {
    let one = vote(&request(3, 2), &[], 1, Verdict::Deny);
    assert_eq!(one.request.status, Status::Denied);

    let mut opening = opening(3);
    (opening.policy.quorum, opening.policy.denials) = (2, 3);
    let request = Request::open(opening, start()).unwrap();
    let first = vote(&request, &[], 1, Verdict::Deny);
    assert_eq!(first.request.status, Status::Pending);
    // With two denials of three, a quorum of two is out of reach.
    let second = vote(&first.request, &[first.vote], 2, Verdict::Deny);
    assert_eq!(second.request.status, Status::Denied);
}

#[test]
fn a_callback_alone_never_approves_what_cannot_be_taken_back() {
    let mut opening = opening(3);
    opening.irreversible = true;
    opening.policy.doors.insert(Door::Webhook);
    let request = Request::open(opening, start()).unwrap();
    let mut by_callback = attempt(&request, Verdict::Approve);
    by_callback.door = Door::Webhook;
    let Ok(Decided::Recorded(first)) =
        decide(&request, &[], &by_callback, &caller(&user(1)), after(1))
    else {
        panic!("not recorded");
    };
    assert_eq!(first.request.status, Status::Pending);
    let second = vote(&first.request, &[first.vote], 2, Verdict::Approve);
    assert_eq!(second.request.status, Status::Approved);
}

#[test]
fn k_12_from_the_deadline_on_nobody_decides() {
    let request = request(2, 1);
    let deadline = request.timing.deadline;
    let approve = attempt(&request, Verdict::Approve);
    let error = decide(&request, &[], &approve, &caller(&user(1)), deadline).unwrap_err();
    assert_eq!((error.code(), error.http_status()), ("APPROVAL_TIMED_OUT", 409));
    let just = deadline.checked_sub(jiff::SignedDuration::from_millis(1)).unwrap();
    assert!(decide(&request, &[], &approve, &caller(&user(1)), just).is_ok());
}

#[test]
fn a_request_that_ended_otherwise_says_so() {
    let ends = [(Status::Expired, "APPROVAL_EXPIRED"), (Status::Cancelled, "APPROVAL_CANCELLED")];
    for (status, code) in ends {
        let closed = close(&request(2, 1), status, after(5)).unwrap().request;
        check(&closed, |_, _| {}, (code, 409));
    }
}

#[test]
fn a_receipt_names_ids_and_hides_content() {
    let request = request(2, 1);
    let mut approve = attempt(&request, Verdict::Approve);
    approve.note = Some("looks right to me".to_owned());
    let decided = decide(&request, &[], &approve, &caller(&user(1)), after(1)).unwrap();
    let Decided::Recorded(recorded) = decided else { panic!("repeated") };
    let text = serde_json::to_string(&recorded.receipt).unwrap();
    for hidden in ["looks right", "gate", "Pay", "10.00", &request.digest.to_string()] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
    assert!(request.explains(&recorded.receipt));
    let back: crate::Receipt = serde_json::from_str(&text).unwrap();
    assert_eq!(back, recorded.receipt);
    assert_eq!(recorded.vote.note.as_deref(), Some("looks right to me"));
}
