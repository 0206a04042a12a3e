//! Asking for changes instead of deciding.

use countersign_failure::Failure as _;
use countersign_identity::UserId;

use super::make::{attempt, caller, opening, start};
use crate::{Actor, Attempt, Decided, MAX_REVISIONS, Request, Status, Verdict, decide, story};

fn person(n: u8) -> UserId {
    UserId::from_bytes([n; 16])
}

/// A request of a quorum of two whose draft can be rewritten.
fn gate() -> Request {
    let mut opening = opening(3);
    opening.policy.quorum = 2;
    opening.revisable = vec!["draft".to_owned()];
    Request::open(opening, start()).unwrap()
}

fn wish(request: &Request, verdict: Verdict, instructions: &str) -> Attempt {
    Attempt { note: Some(instructions.to_owned()), ..attempt(request, verdict) }
}

#[track_caller]
fn is_refused(request: &Request, attempt: &Attempt, code: &str) {
    let who = request.policy.approvers[0].clone();
    let error = decide(request, &[], attempt, &caller(&who), start()).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
}

#[test]
fn r_060_k_09_one_wish_closes_the_request_and_allows_nothing() {
    let request = gate();
    let approvers = request.policy.approvers.clone();
    let approve = attempt(&request, Verdict::Approve);
    let decided = decide(&request, &[], &approve, &caller(&approvers[0]), start()).unwrap();
    let Decided::Recorded(approved) = decided else { panic!("not recorded") };
    assert_eq!(approved.request.status, Status::Pending);

    let wish = wish(&request, Verdict::Override, "Pay half of it.");
    let votes = [approved.vote];
    let who = caller(&approvers[1]);
    let decided = decide(&approved.request, &votes, &wish, &who, start()).unwrap();
    let Decided::Recorded(revised) = decided else { panic!("not recorded") };
    assert_eq!(revised.request.status, Status::Superseded);
    assert!(!revised.request.allows("pay", &request.digest), "nothing may be sent");
    let closed = revised.request.closed.clone().unwrap();
    let revision = closed.revision.as_ref().unwrap();
    assert!(revision.is_instead());
    assert_eq!(revision.instructions, "Pay half of it.");
    assert_eq!(closed.by, Actor::Person(approvers[1].clone()));
    assert!(story(&closed, Some("maria")).contains("asked for by maria"));
    assert_eq!(revised.receipt.verdict, Some(Verdict::Override));
    assert!(revised.receipt.note.is_some(), "the receipt proves what was asked for");

    // The same wish again has the first receipt; nothing else counts any more.
    let votes = [votes[0].clone(), revised.vote.clone()];
    let again = decide(&revised.request, &votes, &wish, &who, start()).unwrap();
    assert_eq!(again, Decided::Repeated(Box::new(revised.vote)));
    let other = Attempt { note: Some("Pay all of it.".to_owned()), ..wish };
    let error = decide(&revised.request, &votes, &other, &who, start()).unwrap_err();
    assert_eq!(error.code(), "APPROVAL_SUPERSEDED");
    let late = decide(&revised.request, &votes, &approve, &caller(&approvers[2]), start());
    assert_eq!(late.unwrap_err().code(), "APPROVAL_SUPERSEDED");
}

#[test]
fn k_09_changes_are_asked_for_with_instructions_and_where_they_are_offered() {
    let request = gate();
    is_refused(&request, &attempt(&request, Verdict::Enhance), "INSTRUCTIONS_MISSING");
    is_refused(&request, &wish(&request, Verdict::Enhance, " \n"), "INSTRUCTIONS_MISSING");
    let long = "x".repeat(2_001);
    is_refused(&request, &wish(&request, Verdict::Enhance, &long), "INSTRUCTIONS_TOO_LONG");
    let stale = Attempt { version: Some(7), ..wish(&request, Verdict::Enhance, "Less.") };
    is_refused(&request, &stale, "PREVIEW_CHANGED");
    let none = Request { revisable: Vec::new(), ..request.clone() };
    is_refused(&none, &wish(&none, Verdict::Enhance, "Less."), "REVISION_NOT_OFFERED");
    let mut last = request.clone();
    last.position.round = MAX_REVISIONS;
    is_refused(&last, &wish(&last, Verdict::Enhance, "Less."), "REVISIONS_TOO_MANY");

    let stranger = caller(&person(99));
    let error =
        decide(&request, &[], &wish(&request, Verdict::Enhance, "Less."), &stranger, start());
    assert_eq!(error.unwrap_err().code(), "NOT_AN_APPROVER");
}
