//! People whose rights are taken away between their approval and the next one.

use countersign_approval::ports::TooFew;
use countersign_approval::{Assurance, Door, NotCounted, Request, Status, Verdict};
use countersign_failure::Failure as _;
use countersign_identity::{Capability, DirectoryEntry, TokenUse};
use futures::future::join_all;

use super::adapters::{World, at, by_mail, gate, user};
use super::deciding::session;
use crate::{Answer, Attempting, Opened, recount};

async fn opened(world: &World) -> Request {
    match world.open(gate("10"), "t1", at(0)).await {
        Opened::Pending { id, .. } => world.request(&id),
        Opened::Decided { .. } => panic!("decided"),
    }
}

async fn approve(world: &World, request: &Request, person: u8, second: i64) -> Answer {
    let approve = by_mail(request, person, Verdict::Approve);
    world.gatekeeper().decide(&approve, at(second)).await.unwrap()
}

fn change(world: &World, person: u8, change: impl FnOnce(&mut DirectoryEntry)) {
    change(world.state().people.get_mut(&user(person)).unwrap());
}

/// Person 1 has approved, loses something, and person 2 approves: whether that is enough.
async fn check(lose: impl FnOnce(&mut DirectoryEntry), expect: Option<NotCounted>) {
    let world = World::new();
    let request = opened(&world).await;
    approve(&world, &request, 1, 1).await;
    change(&world, 1, lose);
    let answer = approve(&world, &request, 2, 2).await;
    let (status, approvals, lost) = match expect {
        None => (Status::Approved, 2, 0),
        Some(_) => (Status::Pending, 1, 1),
    };
    assert_eq!((answer.status, answer.approvals, answer.not_counted), (status, approvals, lost));
    let after = world.request(&request.id);
    assert_eq!(after.uncounted.values().next().copied(), expect);
    assert_eq!(world.told("t1").len(), usize::from(expect.is_none()));
    assert_eq!(world.state().votes.len(), 2, "both votes are kept");
    let again = approve(&world, &request, 2, 3).await;
    assert_eq!((again.repeated, again.receipt), (true, answer.receipt));
    assert_eq!((again.approvals, again.not_counted), (approvals, lost));
}

#[tokio::test]
async fn an_approval_counts_only_while_its_person_may_give_it() {
    check(|_| {}, None).await;
    check(|one| one.active = false, Some(NotCounted::UserInactive)).await;
    check(|one| one.capabilities.clear(), Some(NotCounted::CapabilityMissing)).await;
}

#[tokio::test]
async fn an_approval_of_a_revoked_session_does_not_count_and_a_new_session_gives_it_again() {
    let world = World::new();
    let request = opened(&world).await;
    let mut signed_in = by_mail(&request, 1, Verdict::Approve);
    (signed_in.attempt.door, signed_in.attempt.assurance) = (Door::Rest, Assurance::SignedIn);
    signed_in.who = session(1, TokenUse::Login);
    world.gatekeeper().decide(&signed_in, at(1)).await.unwrap();
    change(&world, 1, |one| one.revoked = ["t-1".to_owned()].into());
    let second = approve(&world, &request, 2, 2).await;
    assert_eq!((second.status, second.approvals, second.not_counted), (Status::Pending, 1, 1));

    let refused = world.gatekeeper().decide(&signed_in, at(3)).await.unwrap_err();
    assert_eq!(refused.code(), "TOKEN_REVOKED");
    let crate::Who::Session(mut token) = session(1, TokenUse::Login) else { panic!("a link") };
    token.token_id = "t-2".to_owned();
    let anew = Attempting { who: crate::Who::Session(token), ..signed_in };
    let third = world.gatekeeper().decide(&anew, at(3)).await.unwrap();
    assert_eq!((third.status, third.repeated, third.approvals), (Status::Approved, false, 2));
    let state = world.state();
    assert_eq!((state.votes.len(), state.receipts.len()), (3, 3));
}

#[tokio::test]
async fn nothing_is_decided_while_the_directory_cannot_say_who_still_may() {
    let world = World::new();
    let request = opened(&world).await;
    approve(&world, &request, 1, 1).await;
    let loaded = world.gatekeeper().load(&request.id).await.unwrap();
    world.state().broken.insert("directory");
    let error = recount(&world, loaded).await.unwrap_err();
    assert_eq!(error.http_status(), 503);
    let second = by_mail(&request, 2, Verdict::Approve);
    let error = world.gatekeeper().decide(&second, at(2)).await.unwrap_err();
    assert_eq!(error.http_status(), 503);
    assert_eq!(world.request(&request.id).revision, 2);
    assert_eq!(world.state().votes.len(), 1);
}

#[tokio::test]
async fn rights_that_are_back_before_anybody_decides_leave_the_approval_as_it_was() {
    let world = World::new();
    let request = opened(&world).await;
    approve(&world, &request, 1, 1).await;
    change(&world, 1, |one| one.capabilities.clear());
    change(&world, 1, |one| one.capabilities.extend([Capability::Decide]));
    assert_eq!(approve(&world, &request, 2, 2).await.status, Status::Approved);
}

#[tokio::test]
async fn two_who_decide_at_once_count_each_other_and_not_the_one_who_may_not() {
    let world = World::new();
    let request = opened(&world).await;
    approve(&world, &request, 1, 1).await;
    change(&world, 1, |one| one.active = false);
    let gatekeeper = world.gatekeeper();
    let attempts = [2, 3].map(|person| by_mail(&request, person, Verdict::Approve));
    let answers = join_all(attempts.iter().map(|attempt| gatekeeper.decide(attempt, at(2)))).await;
    let mut approvals: Vec<u32> =
        answers.into_iter().map(|answer| answer.unwrap().approvals).collect();
    approvals.sort_unstable();
    assert_eq!(approvals, [1, 2]);
    assert_eq!(world.request(&request.id).status, Status::Approved);
    assert_eq!(world.told("t1").len(), 1);
}

#[tokio::test]
async fn whoever_does_not_count_any_more_is_reminded_once_they_can_decide_again() {
    let world = World::new();
    let request = opened(&world).await;
    approve(&world, &request, 1, 1).await;
    change(&world, 1, |one| one.active = false);
    approve(&world, &request, 2, 2).await;
    let gatekeeper = world.gatekeeper();
    assert_eq!(gatekeeper.remind(&request.id, 0, at(3)).await.unwrap(), [user(3)]);
    change(&world, 1, |one| one.active = true);
    assert_eq!(gatekeeper.remind(&request.id, 1, at(4)).await.unwrap(), [user(1), user(3)]);
    assert!(world.state().too_few.is_empty(), "one more is enough");
}

#[tokio::test]
async fn k_12_whoever_cannot_decide_is_not_mailed_and_the_owner_hears_that_too_few_can() {
    let world = World::new();
    let request = opened(&world).await;
    let gatekeeper = world.gatekeeper();
    change(&world, 1, |one| one.capabilities.clear());
    assert_eq!(gatekeeper.remind(&request.id, 0, at(1)).await.unwrap(), [user(2), user(3)]);
    assert!(world.state().too_few.is_empty());
    change(&world, 2, |one| one.active = false);
    assert_eq!(gatekeeper.remind(&request.id, 1, at(2)).await.unwrap(), [user(3)]);
    assert_eq!(world.state().too_few, [TooFew { able: 1, needed: 2 }]);
    // An approval that its person could not give any more is none that is there.
    approve(&world, &request, 3, 3).await;
    change(&world, 3, |one| one.capabilities.clear());
    assert!(gatekeeper.remind(&request.id, 2, at(4)).await.unwrap().is_empty());
    assert_eq!(world.state().too_few.last(), Some(&TooFew { able: 0, needed: 2 }));
    let mails = world.state().mails.clone();
    let reminded = |n: u32| {
        let of = |(_, _, occasion): &&(_, _, String)| *occasion == format!("reminder-{n}");
        mails.iter().filter(of).map(|(person, ..)| person.clone()).collect::<Vec<_>>()
    };
    let people = [vec![user(2), user(3)], vec![user(3)], vec![]];
    assert_eq!([reminded(0), reminded(1), reminded(2)], people);
}
