//! Strikes through the table: the version, what a signature then covers, and who has to be told.

use std::collections::BTreeSet;

use countersign_approval::{
    Assurance, Covered, Door, Opening, Request, StepEffects, Strike, Struck, strike,
};
use countersign_identity::{Caller, Capability, Scopes};
use countersign_store_approvals::{Commit, Committed, Created, TaskToken};
use jiff::SignedDuration;

use super::approvals::{commit, opening, user, vote};

fn caller() -> Caller {
    Caller {
        user: user(1),
        scopes: Scopes::default(),
        capabilities: BTreeSet::from([Capability::Decide]),
        token_id: "t".to_owned(),
    }
}

fn payments() -> StepEffects {
    let texts = (0..3).map(|n| format!("{{\"amount\":\"{n}\"}}")).collect();
    StepEffects { step: "pay".to_owned(), action: "pay".to_owned(), texts }
}

fn gate(effects: &StepEffects) -> Request {
    let mut gate: Opening = opening(1);
    gate.subject.effects = vec![effects.clone()];
    let now = gate.timing.deadline.checked_sub(SignedDuration::from_hours(1)).unwrap();
    Request::open(gate, now).unwrap()
}

fn without_the_second(request: &Request, effects: &StepEffects) -> Request {
    let wish = Strike {
        digest: Some(request.digest.to_string()),
        version: Some(request.version),
        step: "pay".to_owned(),
        indices: vec![1],
        door: Door::Mail,
        assurance: Assurance::LinkCode,
    };
    let effects = std::slice::from_ref(effects);
    match strike(request, effects, &wish, &caller(), request.opened_at).unwrap() {
        Struck::Changed(moved) => moved.request,
        Struck::Unchanged => panic!("nothing was struck"),
    }
}

#[tokio::test]
async fn k_09_a_struck_request_is_found_and_covers_what_is_left() {
    let store = super::approvals("strikes").await;
    let effects = payments();
    let request = gate(&effects);
    let now = request.opened_at;
    assert_eq!(store.create(&request, &TaskToken::new("t")).await.unwrap(), Created::New);
    store.asked(&request.id, 1).await.unwrap();

    let after = without_the_second(&request, &effects);
    let change = Commit { before: &request, after: &after, vote: None, receipt: None, now };
    assert_eq!(store.commit(&change).await.unwrap(), Committed::Done);
    assert_eq!(store.commit(&change).await.unwrap(), Committed::Stale, "a second one looks again");
    assert_eq!(store.request(&request.id).await.unwrap().as_ref(), Some(&after));
    assert!(store.is_unasked(&request.id).await.unwrap(), "the others have to be told");
    assert_eq!(store.places(&request.position.run).await.unwrap()[0].covers, after.covers);

    // A vote on the version before does not count; one on the new version signs what is left and nothing else.
    let stale = vote(&request, 1, now);
    assert_eq!(store.commit(&commit(&request, &stale, now)).await.unwrap(), Committed::Stale);
    let signed = vote(&after, 1, now);
    assert_eq!(store.commit(&commit(&after, &signed, now)).await.unwrap(), Committed::Done);
    let run = &request.position.run;
    let found = store.signatures(run, "pay").await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].covered, Covered::without(&effects, &[1]));
    assert!(found[0].covered.is_of(&effects) && found[0].covered != effects.covered());
}
