//! Striking effects out of a request, and restoring them.

use std::collections::BTreeSet;

use countersign_effect::{effect_leaf, tree};
use countersign_failure::Failure as _;
use countersign_identity::{Caller, Capability};
use proptest::prelude::*;

use super::make::{after, attempt, caller, opening, start, user};
use crate::{
    Assurance, Covered, DecideError, Decided, Door, Kind, MAX_STRIKES, Move, Opening, Request,
    StepEffects, Strike, StrikeError, Struck, Subject, Verdict, amend, decide, strike,
};

fn step(name: &str, count: usize) -> StepEffects {
    let texts = (0..count).map(|n| format!("{{\"amount\":\"{n}\",\"step\":\"{name}\"}}")).collect();
    StepEffects { step: name.to_owned(), action: "call_connector".to_owned(), texts }
}

fn gate(effects: &[StepEffects]) -> Opening {
    let subject = Subject { effects: effects.to_vec(), ..Subject::of(Kind::Step) };
    let mut gate = Opening { subject, irreversible: true, ..opening(3) };
    gate.policy.assurance = Assurance::LinkCode;
    gate
}

fn opened(effects: &[StepEffects]) -> Request {
    Request::open(gate(effects), start()).unwrap()
}

fn wish(request: &Request, step: &str, indices: &[u32]) -> Strike {
    Strike {
        digest: Some(request.digest.to_string()),
        version: Some(request.version),
        step: step.to_owned(),
        indices: indices.to_vec(),
        door: Door::Mail,
        assurance: Assurance::LinkCode,
    }
}

fn struck(request: &Request, effects: &[StepEffects], step: &str, indices: &[u32]) -> Request {
    let wish = wish(request, step, indices);
    match strike(request, effects, &wish, &caller(&user(1)), after(1)).unwrap() {
        Struck::Changed(moved) => moved.request,
        Struck::Unchanged => request.clone(),
    }
}

/// Code and status of a strike of user 1 in forty payments; empty when it counts.
#[track_caller]
fn check(change: impl Fn(&mut Strike, &mut Caller), expect: (&str, u16, Option<&str>)) {
    let effects = [step("pay", 40), step("tell", 1)];
    let request = opened(&effects);
    let (mut wish, mut caller) = (wish(&request, "pay", &[3, 17]), caller(&user(1)));
    change(&mut wish, &mut caller);
    let found = match strike(&request, &effects, &wish, &caller, after(1)) {
        Ok(_) => ("", 200, None),
        Err(error) => (error.code(), error.http_status(), error.path()),
    };
    assert_eq!((found.0, found.1, found.2.as_deref()), expect);
}

#[test]
fn k_09_whoever_may_vote_may_strike_on_what_they_saw() {
    check(|_, _| {}, ("", 200, None));
    check(|strike, _| strike.version = None, ("", 200, None));
    check(|strike, _| strike.digest = None, ("DIGEST_MISSING", 422, None));
    check(|strike, _| strike.digest = Some("x".to_owned()), ("DIGEST_MALFORMED", 422, None));
    check(|strike, _| strike.digest = Some("0".repeat(64)), ("PREVIEW_CHANGED", 409, None));
    check(|strike, _| strike.version = Some(2), ("PREVIEW_CHANGED", 409, None));
    check(|strike, _| strike.version = Some(u32::MAX), ("PREVIEW_CHANGED", 409, None));
    check(|_, caller| caller.user = user(9), ("NOT_AN_APPROVER", 403, None));
    check(|_, caller| caller.user = user(100), ("NOT_AN_APPROVER", 403, None));
    let lacks = |_: &mut Strike, caller: &mut Caller| {
        caller.capabilities.remove(&Capability::Decide);
    };
    check(lacks, ("DECIDE_CAPABILITY_MISSING", 403, None));
    check(|strike, _| strike.door = Door::Webhook, ("DOOR_CLOSED", 403, None));
    check(|strike, _| strike.assurance = Assurance::Link, ("ASSURANCE_TOO_LOW", 403, None));
}

#[test]
fn k_09_a_strike_names_effects_of_a_step_with_several_once() {
    let step = |name: &str| {
        let name = name.to_owned();
        move |strike: &mut Strike, _: &mut Caller| strike.step.clone_from(&name)
    };
    let list = |indices: &[u32]| {
        let indices = indices.to_vec();
        move |strike: &mut Strike, _: &mut Caller| strike.indices.clone_from(&indices)
    };
    check(step("other"), ("STRIKE_STEP", 422, Some("step")));
    check(step("tell"), ("STRIKE_STEP", 422, Some("step")));
    check(list(&[0, 40]), ("STRIKE_INDEX", 422, Some("indices[1]")));
    check(list(&[u32::MAX]), ("STRIKE_INDEX", 422, Some("indices[0]")));
    check(list(&[2, 1, 2]), ("STRIKE_INDEX", 422, Some("indices[2]")));
    check(list(&[]), ("", 200, None));
    // Another step is left.
    check(list(&(0..40).collect::<Vec<u32>>()), ("", 200, None));
}

#[test]
fn k_09_a_row_that_is_not_there_is_named_as_people_count() {
    let of = |index| StrikeError::OutOfRange { at: 0, index, step: "pay".to_owned(), count: 40 };
    let told = "`pay` has 40 rows, so there is no row 41 (index 40, counted from 0)";
    assert_eq!(of(40).to_string(), told);
    assert!(of(u32::MAX).to_string().contains("no row 4294967296"));
    let twice = StrikeError::Twice { at: 2, index: 2 };
    assert_eq!(twice.to_string(), "row 3 is listed twice (index 2, counted from 0)");
}

#[test]
fn k_09_all_of_it_is_denied_and_not_struck() {
    let effects = [step("pay", 2), step("tell", 2)];
    let request = struck(&opened(&effects), &effects, "pay", &[0, 1]);
    let error =
        strike(&request, &effects, &wish(&request, "tell", &[1, 0]), &caller(&user(1)), after(2))
            .unwrap_err();
    assert_eq!(error, StrikeError::NothingLeft);
    assert_eq!((error.code(), error.path().as_deref()), ("STRIKE_ALL", Some("indices")));
    assert!(error.help().unwrap().contains("deny"));
}

#[test]
fn k_09_what_has_ended_or_was_sent_cannot_be_struck() {
    let effects = [step("pay", 3)];
    let request = opened(&effects);
    let try_at = |request: &Request, seconds| {
        strike(request, &effects, &wish(request, "pay", &[1]), &caller(&user(1)), after(seconds))
    };
    let late = try_at(&request, 400 * 86_400).unwrap_err();
    assert!(matches!(late, StrikeError::Decide(DecideError::DeadlinePassed { .. })));
    let closed = crate::close(&request, crate::Status::Cancelled, after(1)).unwrap().request;
    assert_eq!(try_at(&closed, 2).unwrap_err().code(), "APPROVAL_CANCELLED");
    let mut asked = gate(&effects);
    asked.subject.kind = Kind::Outcome;
    let asked = Request::open(asked, start()).unwrap();
    assert_eq!(try_at(&asked, 2).unwrap_err(), StrikeError::AlreadySent);
}

#[test]
fn k_09_a_strike_is_a_new_version_that_voids_votes_and_names_who() {
    let effects = [step("pay", 40)];
    let mut two = gate(&effects);
    two.policy.quorum = 2;
    let request = Request::open(two, start()).unwrap();
    let by_mail = |request: &Request| crate::Attempt {
        door: Door::Mail,
        assurance: Assurance::LinkCode,
        ..attempt(request, Verdict::Approve)
    };
    let Decided::Recorded(voted) =
        decide(&request, &[], &by_mail(&request), &caller(&user(2)), after(1)).unwrap()
    else {
        panic!("repeated")
    };
    let after_strike = struck(&voted.request, &effects, "pay", &[17, 3]);
    assert_eq!((after_strike.version, after_strike.revision), (2, voted.request.revision + 1));
    assert_eq!(after_strike.covers[0].struck, [3, 17]);
    assert_eq!((after_strike.covers[0].count, after_strike.covers[0].left()), (40, 38));
    let note = "Written before 2 of 40 requests were struck out: what it counts may include them.";
    assert_eq!((request.prompt_note(), after_strike.prompt_note().as_deref()), (None, Some(note)));
    assert_eq!(after_strike.prompt, request.prompt);
    let record = after_strike.last_strike().unwrap();
    assert_eq!((&record.by, record.at, record.version), (&user(1), after(1), 2));
    assert_eq!((&record.struck[..], &record.restored[..]), (&[3, 17][..], &[][..]));

    let restored = struck(&after_strike, &effects, "pay", &[17]);
    assert_eq!(restored.last_strike().unwrap().restored, [3]);
    assert!(
        restored
            .prompt_note()
            .unwrap()
            .starts_with("Written before 1 of 40 requests was struck out")
    );
    assert_eq!(restored.struck_by("pay", 17).unwrap().version, 2);
    assert!(restored.struck_by("pay", 3).is_none() && restored.struck_by("tell", 17).is_none());

    // One vote more does not approve: the first was cast on another version.
    let answer =
        decide(&restored, &[voted.vote], &by_mail(&restored), &caller(&user(3)), after(4)).unwrap();
    let Decided::Recorded(second) = answer else { panic!("repeated") };
    assert_eq!((second.approvals, second.request.status), (1, crate::Status::Pending));
}

#[test]
fn k_09_the_same_strike_sent_twice_changes_nothing_the_second_time() {
    let effects = [step("pay", 5)];
    let request = opened(&effects);
    let twice = wish(&request, "pay", &[4, 1]);
    let changed = struck(&request, &effects, "pay", &[1, 4]);
    let ask = |strike_of: &Strike, person| {
        strike(&changed, &effects, strike_of, &caller(&user(person)), after(9))
    };
    assert_eq!(ask(&twice, 1), Ok(Struck::Unchanged));
    // Somebody else's strike on the version before is stale, and so is another list.
    assert_eq!(ask(&twice, 2).unwrap_err().code(), "PREVIEW_CHANGED");
    let other = Strike { indices: vec![1], ..twice };
    assert_eq!(ask(&other, 1).unwrap_err().code(), "PREVIEW_CHANGED");
    assert_eq!(ask(&wish(&changed, "pay", &[1, 4]), 2), Ok(Struck::Unchanged));
}

#[test]
fn k_09_strikes_are_bounded() {
    let effects = [step("pay", 3)];
    let mut request = opened(&effects);
    for n in 0..MAX_STRIKES {
        request = struck(&request, &effects, "pay", &[u32::try_from(n % 2).unwrap()]);
    }
    let more = wish(&request, "pay", &[2]);
    let error = strike(&request, &effects, &more, &caller(&user(1)), after(2)).unwrap_err();
    assert_eq!((error.code(), error.http_status()), ("STRIKES_TOO_MANY", 409));
    assert_eq!(request.strikes.len(), MAX_STRIKES);
}

#[test]
fn k_09_other_content_comes_back_whole_and_says_so() {
    let effects = [step("pay", 5)];
    let request = struck(&opened(&effects), &effects, "pay", &[1, 4]);
    let again = opened(&effects);
    assert!(request.is_asked_again_by(&again, &effects));
    let other = [step("pay", 6)];
    assert!(!request.is_asked_again_by(&opened(&other), &other));

    let changed = amend(&request, gate(&other), after(3)).unwrap().request;
    assert_eq!((changed.version, changed.covers[0].left()), (3, 6));
    assert!(changed.strikes.is_empty() && changed.last_strike().is_none());
    assert!(changed.remarks[0].contains("The 2 that were struck out"), "{:?}", changed.remarks);
    assert!(amend(&again, gate(&other), after(3)).unwrap().request.remarks.is_empty());
}

/// The root over some of the effects, from the leaves alone.
fn root_without(effects: &StepEffects, gone: &BTreeSet<u32>) -> countersign_effect::Digest {
    let kept = (0..).zip(&effects.texts).filter(|(n, _)| !gone.contains(n));
    tree::root(&kept.map(|(_, text)| effect_leaf(text)).collect::<Vec<_>>())
}

fn moved(request: &Request, effects: &[StepEffects], gone: &BTreeSet<u32>) -> Option<Move> {
    let list: Vec<u32> = gone.iter().copied().collect();
    let wish = wish(request, "pay", &list);
    match strike(request, effects, &wish, &caller(&user(1)), after(1)).unwrap() {
        Struck::Changed(moved) => Some(*moved),
        Struck::Unchanged => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever is struck and restored, in whatever order: every change changes the digest, the root is that of what is
    /// left, nothing is added, each effect that is left has a path to the root, and restoring all is the first content.
    #[test]
    fn k_09_strikes_remove_and_restore_and_never_add(
        count in 2u32..30,
        lists in prop::collection::vec(prop::collection::btree_set(0u32..30, 0..12), 1..6),
    ) {
        let effects = [step("pay", count as usize), step("tell", 1)];
        let first = opened(&effects);
        let mut request = first.clone();
        for list in lists {
            let gone: BTreeSet<u32> = list.into_iter().filter(|n| *n < count).collect();
            let before = request.clone();
            let Some(moved) = moved(&request, &effects, &gone) else {
                prop_assert!(before.covers[0].struck.iter().copied().eq(gone));
                continue;
            };
            request = moved.request;
            prop_assert_ne!(request.digest, before.digest);
            prop_assert_eq!(request.version, before.version + 1);
            let covered = &request.covers[0];
            prop_assert_eq!(covered.root, root_without(&effects[0], &gone));
            prop_assert_eq!((covered.count, covered.left()), (u64::from(count), u64::from(count) - gone.len() as u64));
            prop_assert!(covered.is_of(&effects[0]));
            prop_assert_eq!(&request.covers[1], &before.covers[1]);
            prop_assert_eq!(&request.effects, &first.effects);
            for n in 0..count {
                let path = covered.path(&effects[0], n as usize);
                prop_assert_eq!(path.is_none(), gone.contains(&n));
                let leaf = effect_leaf(&effects[0].texts[n as usize]);
                prop_assert!(path.is_none_or(|path| path.root(&leaf) == Some(covered.root)));
            }
            prop_assert!(request.is_asked_again_by(&first, &effects));
            prop_assert!(gone.iter().all(|n| request.struck_by("pay", *n).is_some()));
        }
        let restored = moved(&request, &effects, &BTreeSet::new()).map_or(request, |moved| moved.request);
        prop_assert_eq!(&restored.covers, &first.covers);
        prop_assert_eq!(restored.digest, first.digest);
    }

    /// What would act with another set of effects than what is left is not covered.
    #[test]
    fn k_09_only_what_is_left_is_covered(count in 2usize..12, gone in prop::collection::btree_set(0u32..12, 1..6)) {
        let all = step("pay", count);
        let gone: Vec<u32> = gone.into_iter().filter(|n| (*n as usize) < count - 1).collect();
        let covered = Covered::without(&all, &gone);
        prop_assert_eq!(covered.root == all.covered().root, gone.is_empty());
        prop_assert!(!covered.is_of(&step("pay", count + 1)));
    }
}
