//! Striking effects out through the gatekeeper, and what the engine finds when it attaches again.

use countersign_approval::{
    ApprovalId, Assurance, Decision, Door, Request, Status, Strike, Verdict,
};
use countersign_failure::Failure as _;
use countersign_identity::{TokenUse, UserId};

use super::adapters::{World, at, by_mail, payments, user};
use super::deciding::{session, session_with_factor};
use crate::{GateError, Opened, Striking, Who};

fn id_of(opened: &Opened) -> ApprovalId {
    match opened {
        Opened::Pending { id, .. } | Opened::Decided { id, .. } => id.clone(),
    }
}

async fn opened(world: &World) -> Request {
    let id = id_of(&world.open(payments(40), "t1", at(0)).await);
    world.request(&id)
}

fn striking(request: &Request, person: u8, indices: &[u32]) -> Striking {
    Striking {
        approval: request.id.clone(),
        who: Who::LinkOf(user(person)),
        strike: Strike {
            digest: Some(request.digest.to_string()),
            version: Some(request.version),
            step: "pay".to_owned(),
            indices: indices.to_vec(),
            door: Door::Mail,
            assurance: Assurance::LinkCode,
        },
    }
}

async fn strike(world: &World, request: &Request, person: u8, indices: &[u32]) -> Request {
    world.gatekeeper().strike(&striking(request, person, indices), at(1)).await.unwrap()
}

/// Who was mailed about a version.
fn mailed(world: &World, version: u32) -> Vec<UserId> {
    let state = world.state();
    let of_version = state.mails.iter().filter(|(_, of, _)| *of == version);
    of_version.map(|(person, ..)| person.clone()).collect()
}

#[tokio::test]
async fn k_09_a_strike_voids_votes_and_tells_everybody_else() {
    let world = World::new();
    let request = opened(&world).await;
    world.gatekeeper().decide(&by_mail(&request, 2, Verdict::Approve), at(1)).await.unwrap();
    let after = strike(&world, &request, 1, &[3, 17]).await;
    assert_eq!((after.version, after.status), (2, Status::Pending));
    assert_eq!(world.request(&request.id), after);
    assert_eq!(mailed(&world, 2), [user(2), user(3)], "also whoever had voted; not whoever struck");
    assert!(world.state().unasked.is_empty());

    // The old page decides nothing, and the first vote counts no more.
    let error = world.gatekeeper().decide(&by_mail(&request, 3, Verdict::Approve), at(2)).await;
    assert_eq!(error.unwrap_err().code(), "PREVIEW_CHANGED");
    let answer =
        world.gatekeeper().decide(&by_mail(&after, 1, Verdict::Approve), at(2)).await.unwrap();
    assert_eq!((answer.status, answer.approvals), (Status::Pending, 1));
    let answer =
        world.gatekeeper().decide(&by_mail(&after, 2, Verdict::Approve), at(3)).await.unwrap();
    assert_eq!(answer.status, Status::Approved);
}

#[tokio::test]
async fn k_09_a_double_click_strikes_once_and_a_stale_page_nothing() {
    let world = World::new();
    let request = opened(&world).await;
    let first = strike(&world, &request, 1, &[3]).await;
    assert_eq!(strike(&world, &request, 1, &[3]).await, first);
    assert_eq!(mailed(&world, 2).len(), 2);
    let stale = world.gatekeeper().strike(&striking(&request, 2, &[5]), at(2)).await.unwrap_err();
    assert_eq!((stale.code(), stale.http_status()), ("PREVIEW_CHANGED", 409));
    assert_eq!(world.request(&request.id), first);
}

#[tokio::test]
async fn k_09_strangers_learn_nothing_and_rights_are_read_now() {
    let world = World::new();
    let request = opened(&world).await;
    let check = async |person: u8, expect: &str| {
        let error = world.gatekeeper().strike(&striking(&request, person, &[1]), at(1)).await;
        assert_eq!(error.unwrap_err().code(), expect);
    };
    check(7, "APPROVAL_NOT_FOUND").await;
    check(9, "NOT_AN_APPROVER").await;
    world.state().people.get_mut(&user(1)).unwrap().capabilities.clear();
    check(1, "DECIDE_CAPABILITY_MISSING").await;
    let late = world.gatekeeper().strike(&striking(&request, 2, &[1]), at(8 * 86_400)).await;
    assert!(matches!(late, Err(GateError::Decide(_))));
    assert_eq!(world.request(&request.id).status, Status::TimedOut, "the visitor closes it");
}

#[tokio::test]
async fn k_08_a_session_strikes_with_a_second_factor_where_the_deployment_says_so() {
    let world = World::new();
    let request = opened(&world).await;
    world.state().requires_mfa = true;
    let by = |who: Who| {
        let mut striking = striking(&request, 1, &[3]);
        striking.who = who;
        (striking.strike.door, striking.strike.assurance) = (Door::Rest, Assurance::SignedIn);
        striking
    };
    let refused = by(session(1, TokenUse::Login));
    let error = world.gatekeeper().strike(&refused, at(1)).await.unwrap_err();
    assert_eq!((error.code(), error.http_status()), ("MFA_REQUIRED", 403));
    assert_eq!(world.request(&request.id), request, "something was struck out");
    assert_eq!(mailed(&world, 2), [], "somebody was told");
    // Strangers hear nothing of factors.
    let stranger = by(session(7, TokenUse::Login));
    let error = world.gatekeeper().strike(&stranger, at(1)).await.unwrap_err();
    assert_eq!(error.code(), "APPROVAL_NOT_FOUND");
    let struck = world.gatekeeper().strike(&by(session_with_factor(1)), at(1)).await.unwrap();
    assert_eq!(struck.version, 2);
}

#[tokio::test]
async fn k_09_attaching_again_leaves_strikes_alone() {
    let world = World::new();
    let request = opened(&world).await;
    let after = strike(&world, &request, 1, &[3, 17]).await;
    let again = world.open(payments(40), "t2", at(5)).await;
    assert_eq!(again, Opened::Pending { id: request.id.clone(), first: false });
    assert_eq!(world.request(&request.id), after);
    assert_eq!(world.state().tokens[&request.id].expose(), "t2");
    assert_eq!(mailed(&world, 3), []);

    for person in [1, 2] {
        let vote = by_mail(&after, person, Verdict::Approve);
        world.gatekeeper().decide(&vote, at(6)).await.unwrap();
    }
    // Approved without two of them, and attached again: decided, not asked anew.
    let decided = world.open(payments(40), "t3", at(7)).await;
    let decision = Decision { decision: Status::Approved };
    assert_eq!(decided, Opened::Decided { id: request.id.clone(), decision });
    let other = world.open(payments(41), "t4", at(8)).await;
    assert_ne!(id_of(&other), request.id);
}

#[tokio::test]
async fn k_09_other_content_starts_without_strikes_and_says_so() {
    let world = World::new();
    let request = opened(&world).await;
    strike(&world, &request, 1, &[3, 17]).await;
    world.open(payments(41), "t2", at(5)).await;
    let changed = world.request(&request.id);
    assert_eq!((changed.version, changed.covers[0].left()), (3, 41));
    assert!(changed.remarks[0].contains("2 that were struck out"), "{:?}", changed.remarks);
    assert_eq!(mailed(&world, 3).len(), 3, "everybody is told, whoever struck too");
    // Attaching once more finds the content unchanged.
    world.open(payments(41), "t3", at(6)).await;
    assert_eq!(world.request(&request.id), changed);
}

#[tokio::test]
async fn k_09_a_crash_after_the_strike_tells_the_others_later() {
    let world = World::new();
    let request = opened(&world).await;
    world.state().broken.insert("mail");
    strike(&world, &request, 1, &[3]).await;
    assert_eq!(mailed(&world, 2), []);
    world.state().broken.clear();
    assert_eq!(world.gatekeeper().sweep(at(120)).await.unwrap().announced, 1);
    assert_eq!(mailed(&world, 2), [user(2), user(3)]);
}

#[tokio::test]
async fn k_09_a_strike_and_a_vote_at_once_leave_no_vote_on_unseen_content() {
    let world = World::new();
    let request = opened(&world).await;
    let gatekeeper = world.gatekeeper();
    let (strike, vote) = (striking(&request, 1, &[3]), by_mail(&request, 2, Verdict::Approve));
    let (struck, voted) =
        futures::join!(gatekeeper.strike(&strike, at(1)), gatekeeper.decide(&vote, at(1)));
    let after = world.request(&request.id);
    assert_eq!((struck.unwrap().version, after.version), (2, 2));
    // Whichever came first, the vote is of the version that was seen.
    let votes = world.state().votes.clone();
    assert_eq!(votes.len(), usize::from(voted.is_ok()));
    assert!(votes.iter().all(|(_, vote)| vote.version == 1));
    assert_eq!(after.status, Status::Pending);
}
