//! Approvals whose people have lost the rights to give them.

use std::collections::BTreeMap;

use countersign_failure::Failure as _;
use countersign_identity::{
    Capability, DirectoryEntry, Presented, Requirement, Role, Scopes, TokenUse, UserId,
};

use super::make::{after, attempt, caller, entry, opening, question, request, start, user};
use crate::{
    ApprovalRecord, Assurance, Choice, Decided, Door, NotCounted, OutcomeAnswer, ReceiptId,
    Recorded, Request, Status, Verdict, Vote, decide,
};

type People = BTreeMap<UserId, DirectoryEntry>;

fn people() -> People {
    (1..=4).map(|n| (user(n), entry(&user(n)))).collect()
}

/// A vote of person `n`, weighed by what the directory says.
fn weigh(
    request: &Request,
    votes: &[Vote],
    people: &People,
    n: u8,
    verdict: Verdict,
) -> Result<Decided, crate::DecideError> {
    let mut request = request.clone();
    request.mark_uncounted(votes, people);
    let caller =
        people.get(&user(n)).map_or_else(|| caller(&user(n)), |one| one.by_link().unwrap());
    decide(&request, votes, &attempt(&request, verdict), &caller, after(i64::from(n)))
}

fn vote(request: &Request, votes: &[Vote], people: &People, n: u8, verdict: Verdict) -> Recorded {
    match weigh(request, votes, people, n, verdict).unwrap() {
        Decided::Recorded(recorded) => *recorded,
        Decided::Repeated(_) => panic!("repeated"),
    }
}

/// A request that takes two of three, and the approval of person 1.
fn approved_once() -> (Request, Vec<Vote>) {
    let first = vote(&request(3, 2), &[], &people(), 1, Verdict::Approve);
    (first.request, vec![first.vote])
}

fn token() -> Presented {
    Presented {
        user: user(1),
        token_id: "t-1".to_owned(),
        session: Some("s-1".to_owned()),
        account: None,
        issued_at: start().as_second(),
        expires_at: None,
        token_use: TokenUse::Login,
        scopes: Scopes::parse(["global:editor"]),
        capabilities: [Capability::Decide].into(),
        second_factor: false,
    }
}

/// What becomes of the approval of person 1 after `change`.
fn check(votes: &[Vote], change: impl Fn(&mut DirectoryEntry), expect: Option<NotCounted>) {
    let (mut request, _) = approved_once();
    let mut people = people();
    change(people.get_mut(&user(1)).unwrap());
    request.mark_uncounted(votes, &people);
    assert_eq!(request.not_counted(&votes[0]), expect);
    let second = vote(&request, votes, &people, 2, Verdict::Approve);
    let lost: Vec<ReceiptId> = expect.iter().map(|_| votes[0].receipt.clone()).collect();
    assert_eq!(second.receipt.not_counted, lost);
    // A receipt of which all approvals count has the hash that it had before there was such a member.
    let json = serde_json::to_value(&second.receipt).unwrap();
    assert_eq!(json.get("not_counted").is_some(), expect.is_some());
    let expect = match expect {
        None => (Status::Approved, 2, 0),
        Some(_) => (Status::Pending, 1, 1),
    };
    assert_eq!((second.request.status, second.approvals, second.lost), expect);
    assert_eq!(second.receipt.status, second.request.status);
}

#[test]
fn an_approval_counts_while_its_person_could_give_it() {
    let (_, votes) = approved_once();
    check(&votes, |_| {}, None);
    check(&votes, |one| one.active = false, Some(NotCounted::UserInactive));
    check(&votes, |one| one.capabilities.clear(), Some(NotCounted::CapabilityMissing));
    // The request asks for no role; another test has one that does.
    check(&votes, |one| one.scopes = Scopes::default(), None);
    let (mut request, votes) = approved_once();
    let mut without = people();
    without.remove(&user(1));
    request.mark_uncounted(&votes, &without);
    assert_eq!(request.not_counted(&votes[0]), Some(NotCounted::UserUnknown));
}

#[test]
fn an_approval_does_not_count_without_the_role_that_signing_takes() {
    let mut opening = opening(3);
    opening.policy.quorum = 2;
    opening.requirement = Some(Requirement::role(Role::Editor));
    let request = Request::open(opening, start()).unwrap();
    let mut people = people();
    let first = vote(&request, &[], &people, 1, Verdict::Approve);
    people.get_mut(&user(1)).unwrap().scopes = Scopes::parse(["global:reader"]);
    let votes = [first.vote];
    let second = vote(&first.request, &votes, &people, 2, Verdict::Approve);
    assert_eq!((second.request.status, second.approvals), (Status::Pending, 1));
    assert_eq!(second.request.not_counted(&votes[0]), Some(NotCounted::RoleMissing));
}

#[test]
fn an_approval_of_a_void_token_does_not_count_and_one_over_a_link_has_none() {
    let (_, by_link) = approved_once();
    let void = |one: &mut DirectoryEntry| one.not_before = Some(after(1).as_second() + 1);
    let mut votes = by_link.clone();
    votes[0].door = Door::Rest;
    check(&votes, void, Some(NotCounted::TokenRevoked));
    votes[0].token = Some(token());
    check(&votes, void, Some(NotCounted::TokenRevoked));
    for id in ["t-1", "s-1"] {
        let end = |one: &mut DirectoryEntry| one.revoked = [id.to_owned()].into();
        check(&votes, end, Some(NotCounted::TokenRevoked));
    }
    check(&votes, |one| one.revoked = ["s-2".to_owned()].into(), None);
    check(&votes, |one| one.not_before = Some(start().as_second()), None);
    votes[0] =
        Vote { door: Door::Mail, assurance: Assurance::LinkCode, token: None, ..votes[0].clone() };
    check(&votes, void, None);
}

#[test]
fn whoever_has_the_rights_again_gives_the_approval_again_and_it_is_another_vote() {
    let (request, mut votes) = approved_once();
    let mut people = people();
    people.get_mut(&user(1)).unwrap().capabilities.clear();
    let error = weigh(&request, &votes, &people, 1, Verdict::Approve).unwrap_err();
    assert_eq!(error.code(), "DECIDE_CAPABILITY_MISSING", "it is not repeated either");
    let second = vote(&request, &votes, &people, 2, Verdict::Approve);
    votes.push(second.vote);
    people.insert(user(1), entry(&user(1)));
    // Found not to count, it stays so: with it there would be two.
    let third = weigh(&second.request, &votes, &people, 2, Verdict::Approve).unwrap();
    assert!(matches!(third, Decided::Repeated(_)), "{third:?}");
    assert_eq!(second.request.approvals(&votes), 1);
    let again = vote(&second.request, &votes, &people, 1, Verdict::Approve);
    assert_eq!((again.request.status, again.approvals, again.lost), (Status::Approved, 2, 0));
    assert_ne!(again.receipt.id, votes[0].receipt);
    assert_eq!((votes[0].again, again.vote.again), (0, 1));
    votes.push(again.vote);
    let same = weigh(&again.request, &votes, &people, 1, Verdict::Approve).unwrap();
    assert_eq!(same, Decided::Repeated(Box::new(votes[2].clone())));
    let other = weigh(&again.request, &votes, &people, 1, Verdict::Deny).unwrap_err();
    assert_eq!(other.code(), "APPROVAL_CLOSED");
}

#[test]
fn whoever_has_the_rights_again_may_deny_what_they_had_approved() {
    let (request, votes) = approved_once();
    let mut people = people();
    people.get_mut(&user(1)).unwrap().active = false;
    let second = vote(&request, &votes, &people, 2, Verdict::Approve);
    people.insert(user(1), entry(&user(1)));
    let votes = [&votes[..], &[second.vote]].concat();
    let denied = vote(&second.request, &votes, &people, 1, Verdict::Deny);
    assert_eq!(denied.request.status, Status::Denied);
}

#[test]
fn a_denial_counts_whatever_becomes_of_its_person() {
    let mut opening = opening(4);
    (opening.policy.quorum, opening.policy.denials) = (2, 2);
    let request = Request::open(opening, start()).unwrap();
    let mut people = people();
    let first = vote(&request, &[], &people, 1, Verdict::Deny);
    people.remove(&user(1));
    let votes = [first.vote];
    assert!(first.request.approved_by(&votes).is_empty());
    let second = vote(&first.request, &votes, &people, 2, Verdict::Deny);
    assert_eq!(second.request.status, Status::Denied);
}

#[test]
fn an_answer_that_does_not_count_contradicts_nobody() {
    let request = question(3, 2, &[0]);
    let mut people = people();
    let mut votes = Vec::new();
    let mut answer = |request: &Request, people: &People, n: u8, choice, evidence| {
        let mut request = request.clone();
        request.mark_uncounted(&votes, people);
        let mut attempt = attempt(&request, Verdict::Approve);
        attempt.answers = vec![OutcomeAnswer::new(0, choice, evidence)];
        let decided = decide(&request, &votes, &attempt, &caller(&user(n)), after(i64::from(n)));
        let Decided::Recorded(recorded) = decided.unwrap() else { panic!("repeated") };
        votes.push(recorded.vote.clone());
        recorded
    };
    let first = answer(&request, &people, 1, Choice::Done, Some("statement 47"));
    people.get_mut(&user(1)).unwrap().active = false;
    let second = answer(&first.request, &people, 2, Choice::NotDone, None);
    assert_eq!((second.request.status, second.approvals, second.lost), (Status::Pending, 1, 1));
    let third = answer(&second.request, &people, 3, Choice::NotDone, None);
    assert_eq!((third.request.status, third.approvals), (Status::Approved, 2));
    let record = ApprovalRecord::of(&third.request, &votes, &|person| person.to_string());
    assert_eq!(record.tally.len(), 1, "{:?}", record.tally);
}

#[test]
fn the_record_keeps_what_does_not_count_and_says_so() {
    let (request, mut votes) = approved_once();
    let mut people = people();
    people.get_mut(&user(1)).unwrap().active = false;
    let second = vote(&request, &votes, &people, 2, Verdict::Approve);
    votes.push(second.vote);
    let name = |person: &UserId| {
        let n = (1..=3).find(|n| user(*n) == *person).unwrap();
        ["ann", "bob", "cy"][usize::from(n) - 1].to_owned()
    };
    let record = ApprovalRecord::of(&second.request, &votes, &name);
    assert_eq!((record.given, record.progress().as_str()), (1, "1 of 2"));
    assert_eq!(record.waits_for, ["ann", "cy"]);
    let said: Vec<_> = record.decisions.iter().map(|one| (&*one.by, one.not_counted)).collect();
    assert_eq!(said, [("ann", Some(NotCounted::UserInactive)), ("bob", None)]);

    let third = vote(&second.request, &votes, &people, 3, Verdict::Approve);
    votes.push(third.vote);
    let mut closed = third.request;
    // What it was decided by does not change any more.
    assert!(closed.approved_by(&votes).is_empty());
    closed.mark_uncounted(&votes, &BTreeMap::new());
    let record = ApprovalRecord::of(&closed, &votes, &name);
    assert_eq!((record.given, record.by.as_deref()), (2, Some("cy")));
    assert_eq!(record.senders().collect::<Vec<_>>(), ["bob", "cy"]);
    assert_eq!(
        record.sentence(100),
        "gate was approved: ann approved (not counted: the person is not active any more); bob approved; cy approved"
    );
}

#[test]
fn requests_and_votes_of_earlier_releases_are_read_and_new_ones_have_what_they_need() {
    let (mut request, votes) = approved_once();
    let text = serde_json::to_string(&(&request, &votes[0])).unwrap();
    assert!(!text.contains("uncounted") && !text.contains("again") && !text.contains("token"));
    request.mark_uncounted(&votes, &BTreeMap::new());
    let vote = Vote { token: Some(token()), again: 1, ..votes[0].clone() };
    let text = serde_json::to_string(&(&request, &vote)).unwrap();
    assert_eq!(serde_json::from_str::<(Request, Vote)>(&text).unwrap(), (request, vote));
}
