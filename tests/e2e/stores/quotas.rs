//! Quotas and budgets, as many requests at once see them.

use std::slice::from_ref;

use countersign_identity::UserId;
use countersign_run::{Draft, Head, ModelCall, ModelCallStatus, Quota, RunId, SourceLimit};
use countersign_store_kit::{Blobs, StoreError, Window};
use countersign_store_runs::{
    Asked, Counted, Created, EndedCall, Reserved, RunExceeded, RunLimits, RunStore, Spend,
    SpendLimit, SpendLimits, SpendOf, Spent, Use,
};
use futures::future::join_all;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

async fn store() -> RunStore {
    RunStore::new(super::table("quotas").await, Blobs::of(&super::aws().await, "nothing-is-kept"))
}

fn at(seconds: i64) -> Timestamp {
    let start: Timestamp = "2026-03-04T22:00:00Z".parse().unwrap();
    start.checked_add(SignedDuration::from_secs(seconds)).unwrap()
}

fn tokens(tokens: u64) -> Spend {
    Spend { tokens, cost: 0 }
}

/// The first turn of a step, before its model is asked.
pub(super) fn turn(step: &str) -> ModelCall {
    ModelCall {
        step: step.to_owned(),
        turn: 1,
        model: "openai/gpt-5-mini".to_owned(),
        status: ModelCallStatus::Asked,
        code: None,
        asked_at: at(0),
        latency_ms: None,
        requests: 0,
        input_tokens: None,
        output_tokens: None,
        counted_tokens: 100,
        counted_cost: None,
        prompt_sha256: "00".repeat(32),
        answer_sha256: None,
    }
}

/// How the same turn ended.
pub(super) fn answered(asked: &ModelCall) -> ModelCall {
    ModelCall { status: ModelCallStatus::Answered, requests: 1, ..asked.clone() }
}

/// The turns of a run that are recorded.
pub(super) async fn recorded(store: &RunStore, run: &RunId) -> Vec<ModelCall> {
    store.model_calls(run, Window::first(100)).await.unwrap().items
}

fn one(who: &UserId) -> Use<'_> {
    Use { who, amount: 1, known_by: None }
}

/// A turn that is over, of whose answer nothing was shown.
fn over<'a>(of: SpendOf<'a>, reserved: Spend, used: Spend, call: &'a ModelCall) -> EndedCall<'a> {
    EndedCall { of, reserved, used, call, is_shown: false }
}

#[tokio::test]
async fn requests_at_once_never_get_more_than_the_quota() {
    let (store, ana, ben) =
        (store().await, UserId::from_bytes([1; 16]), UserId::from_bytes([2; 16]));
    let quota = Quota::runs(7);
    let asked = (0..20).map(|_| store.count(quota, one(&ana), at(0)));
    let counted: Vec<Counted> = join_all(asked).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(counted.iter().filter(|one| **one == Counted::Yes).count(), 7, "{counted:?}");
    assert_eq!(store.count(quota, one(&ben), at(0)).await.unwrap(), Counted::Yes);
    assert_eq!(store.count(Quota::mails(7), one(&ana), at(0)).await.unwrap(), Counted::Yes);
    assert_ne!(store.count(quota, one(&ana), at(7_199)).await.unwrap(), Counted::Yes);
    assert_eq!(store.count(quota, one(&ana), at(7_200)).await.unwrap(), Counted::Yes, "midnight");
    assert_eq!(store.count(Quota::runs(0), one(&ana), at(0)).await.unwrap(), Counted::Yes);
}

#[tokio::test]
async fn a_request_that_comes_again_counts_once_and_one_that_does_not_fit_not_at_all() {
    let (store, ana) = (store().await, UserId::from_bytes([1; 16]));
    let quota = Quota::uploads(1);
    let of = |known_by, amount| Use { who: &ana, amount, known_by: Some(known_by) };
    let half = 512 * 1024;
    for _ in 0..3 {
        assert_eq!(store.count(quota, of("a", half), at(0)).await.unwrap(), Counted::Yes);
    }
    for _ in 0..2 {
        let large = store.count(quota, of("b", half + 1), at(0)).await.unwrap();
        assert_eq!(large, Counted::Exceeded(quota.exceeded(at(0))));
    }
    // Refused, so it was never known: it is weighed again, and fits now.
    assert_eq!(store.count(quota, of("b", half), at(0)).await.unwrap(), Counted::Yes);
    assert_ne!(store.count(quota, of("c", 1), at(0)).await.unwrap(), Counted::Yes);
    assert_ne!(store.count(quota, of("d", 2 * half + 1), at(86_400)).await.unwrap(), Counted::Yes);
    // After a day a key is another request's.
    assert_eq!(store.count(quota, of("a", 2 * half), at(86_400)).await.unwrap(), Counted::Yes);
    assert_ne!(store.count(quota, of("e", 1), at(86_400)).await.unwrap(), Counted::Yes);
}

#[tokio::test]
async fn tokens_of_turns_at_once_never_exceed_a_run_or_a_day_and_what_was_not_used_is_there_again()
{
    let (store, ana) = (store().await, UserId::from_bytes([7; 16]));
    let (one, other) = (RunId::from_bytes([1; 16]), RunId::from_bytes([2; 16]));
    let most = |tokens| SpendLimit { tokens: Some(tokens), cost: None };
    let limits = SpendLimits { per_run: most(700), per_day: most(1_000) };
    let of = |run, seconds| SpendOf { run, who: &ana, at: at(seconds) };
    let call = turn("answer");
    let asked = (0..20).map(|_| store.begin_model_call(limits, of(&one, 0), tokens(100), &call));
    let taken: Vec<Reserved> = join_all(asked).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(taken.iter().filter(|one| **one == Reserved::Yes).count(), 7, "{taken:?}");
    assert_eq!(taken.iter().filter(|one| **one == Reserved::RunSpent).count(), 13, "{taken:?}");

    let exceeded = Reserved::DayExceeded(Quota::tokens(1_000).exceeded(at(0)));
    let reserve = |run, seconds, amount| {
        store.begin_model_call(limits, of(run, seconds), tokens(amount), &call)
    };
    assert_eq!(reserve(&other, 0, 301).await.unwrap(), exceeded);
    assert_eq!(reserve(&other, 7_200, 301).await.unwrap(), Reserved::Yes, "midnight");
    store.end_model_call(over(of(&one, 0), tokens(700), tokens(150), &call)).await.unwrap();
    assert_eq!(reserve(&one, 0, 551).await.unwrap(), Reserved::RunSpent);
    assert_eq!(reserve(&one, 0, 550).await.unwrap(), Reserved::Yes);
    assert_eq!(reserve(&one, 0, u64::MAX).await.unwrap(), Reserved::RunSpent);
    let none = SpendLimits::default();
    let unlimited = store.begin_model_call(none, of(&one, 0), tokens(5_000), &call);
    assert_eq!(unlimited.await.unwrap(), Reserved::Yes);
}

#[tokio::test]
async fn r_035_what_models_cost_is_within_a_run_and_a_day_whatever_tokens_there_are() {
    let (store, ana) = (store().await, UserId::from_bytes([8; 16]));
    let (one, other) = (RunId::from_bytes([3; 16]), RunId::from_bytes([4; 16]));
    let spend = |tokens, cost| Spend { tokens, cost };
    let most = |tokens, cost| SpendLimit { tokens, cost: Some(cost) };
    let limits = SpendLimits { per_run: most(None, 500), per_day: most(Some(10_000), 800) };
    let of = |run| SpendOf { run, who: &ana, at: at(0) };
    let call = turn("answer");
    let reserve = async |run, tokens, cost| {
        store.begin_model_call(limits, of(run), spend(tokens, cost), &call).await.unwrap()
    };
    let asked = (0..10).map(|_| reserve(&one, 10, 100));
    let taken = join_all(asked).await;
    assert_eq!(taken.iter().filter(|one| **one == Reserved::Yes).count(), 5, "{taken:?}");
    assert!(matches!(reserve(&other, 10, 301).await, Reserved::DayExceeded(_)));
    assert_eq!(reserve(&other, 10, 501).await, Reserved::RunSpent);
    assert!(
        matches!(reserve(&other, 9_951, 1).await, Reserved::DayExceeded(_)),
        "tokens count too"
    );
    store.end_model_call(over(of(&one), spend(50, 500), spend(5, 40), &call)).await.unwrap();
    assert_eq!(reserve(&one, 10, 461).await, Reserved::RunSpent);
    assert_eq!(reserve(&one, 10, 460).await, Reserved::Yes);
    assert_eq!(reserve(&other, 10, 300).await, Reserved::Yes);

    // A budget of nothing is no budget without an end.
    let nothing = SpendLimits { per_run: most(None, 0), per_day: most(None, 0) };
    let free = RunId::from_bytes([5; 16]);
    let asked = store.begin_model_call(nothing, of(&free), spend(10, 1), &call).await.unwrap();
    assert_eq!(asked, Reserved::RunSpent);
    let day = SpendLimits { per_run: SpendLimit::default(), ..nothing };
    let asked = store.begin_model_call(day, of(&free), spend(10, 1), &call).await.unwrap();
    assert!(matches!(asked, Reserved::DayExceeded(_)), "{asked:?}");
}

#[tokio::test]
async fn r_035_of_turns_that_begin_at_once_those_for_which_there_is_room_are_recorded_and_counted()
{
    let (store, ana) = (store().await, UserId::from_bytes([9; 16]));
    let (one, other) = (RunId::from_bytes([6; 16]), RunId::from_bytes([7; 16]));
    let most = SpendLimit { tokens: Some(1_000), cost: None };
    let limits = SpendLimits { per_run: most, per_day: most };
    let of = |run| SpendOf { run, who: &ana, at: at(0) };
    let turns: Vec<ModelCall> = (0..16).map(|n| turn(&format!("step_{n:02}"))).collect();
    let asked =
        turns.iter().map(|turn| store.begin_model_call(limits, of(&one), tokens(100), turn));
    let begun: Vec<Reserved> = join_all(asked).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(begun.iter().filter(|one| **one == Reserved::RunSpent).count(), 6, "{begun:?}");
    let of_both = turns.iter().zip(&begun).filter(|(_, begun)| **begun == Reserved::Yes);
    let yes: Vec<ModelCall> = of_both.map(|(turn, _)| turn.clone()).collect();
    assert_eq!(yes.len(), 10, "{begun:?}");
    assert_eq!(recorded(&store, &one).await, yes);

    // All of both budgets is used, and what one of the turns gives back is there again: no more and no less.
    let exceeded = Reserved::DayExceeded(Quota::tokens(1_000).exceeded(at(0)));
    let extra = turn("step_99");
    let begin = async |run, amount| {
        store.begin_model_call(limits, of(run), tokens(amount), &extra).await.unwrap()
    };
    assert_eq!(begin(&one, 1).await, Reserved::RunSpent);
    assert_eq!(begin(&other, 1).await, exceeded);
    let ended = answered(&yes[0]);
    store.end_model_call(over(of(&one), tokens(100), tokens(30), &ended)).await.unwrap();
    assert_eq!(begin(&one, 71).await, Reserved::RunSpent);
    assert_eq!(begin(&other, 71).await, exceeded);
    assert_eq!(begin(&one, 70).await, Reserved::Yes);

    // One that used what was reserved changes its record alone.
    let last = answered(&yes[9]);
    store.end_model_call(over(of(&one), tokens(100), tokens(100), &last)).await.unwrap();
    let now = recorded(&store, &one).await;
    assert_eq!((now.len(), &now[0], &now[9], &now[10]), (11, &ended, &last, &extra));
    assert_eq!(now[1..9], yes[1..9]);

    // What was shown of its answer is gone with it.
    let texts = [("answer".to_owned(), "It is".to_owned())].into();
    let draft = Draft { step: last.step.clone(), turn: 1, texts, at: at(0) };
    store.put_draft(&one, &draft).await.unwrap();
    assert_eq!(store.drafts(&one).await.unwrap(), from_ref(&draft));
    let shown = over(of(&one), tokens(100), tokens(100), &last);
    store.end_model_call(EndedCall { is_shown: true, ..shown }).await.unwrap();
    assert_eq!(store.drafts(&one).await.unwrap(), []);
}

#[tokio::test]
async fn r_035_a_turn_that_is_refused_leaves_no_record_and_counts_for_nothing() {
    let (store, ana) = (store().await, UserId::from_bytes([10; 16]));
    let (one, other) = (RunId::from_bytes([8; 16]), RunId::from_bytes([9; 16]));
    let most = |tokens| SpendLimit { tokens: Some(tokens), cost: None };
    let limits = SpendLimits { per_run: most(100), per_day: most(150) };
    let exceeded = Reserved::DayExceeded(Quota::tokens(150).exceeded(at(0)));
    let (first, second) = (turn("first"), turn("second"));
    let begin = async |run, amount, turn| {
        let of = SpendOf { run, who: &ana, at: at(0) };
        store.begin_model_call(limits, of, tokens(amount), turn).await.unwrap()
    };
    assert_eq!(begin(&one, 100, &first).await, Reserved::Yes);
    assert_eq!(begin(&one, 1, &second).await, Reserved::RunSpent, "the day has room");
    assert_eq!(begin(&one, 60, &second).await, Reserved::RunSpent, "neither has: the run is named");
    assert_eq!(begin(&other, 51, &second).await, exceeded, "the run has room");
    assert_eq!(begin(&other, 101, &second).await, Reserved::RunSpent, "no run ever has so much");
    assert_eq!(recorded(&store, &one).await, from_ref(&first));
    assert!(recorded(&store, &other).await.is_empty());

    // What was refused is in no count: all that is left of the day can be used.
    assert_eq!(begin(&other, 50, &second).await, Reserved::Yes);
    assert_eq!(recorded(&store, &other).await, from_ref(&second));
    let of = |run| SpendOf { run, who: &ana, at: at(0) };
    let spent = Spent { by_run: tokens(50), in_day: tokens(150) };
    assert_eq!(store.spent(of(&other)).await.unwrap(), spent);
    let none = RunId::from_bytes([99; 16]);
    let day = Spent { by_run: tokens(0), ..spent };
    assert_eq!(store.spent(of(&none)).await.unwrap(), day);
}

/// The head of a run that this person starts now.
fn head(who: &UserId, n: u8, now: Timestamp) -> Head {
    let own = super::runs::head(&RunId::from_bytes([n; 16]));
    Head { owner: who.clone(), invoked_by: who.clone(), started_at: now, ..own }
}

/// What becomes of runs that begin at once.
async fn begin(store: &RunStore, heads: &[Head], limits: RunLimits<'_>) -> Vec<Created> {
    let asked = Asked { inputs: json!({}), samples: None, playbook: None };
    let begun = heads.iter().map(|head| store.create(head, &asked, limits, &[]));
    join_all(begun).await.into_iter().map(Result::unwrap).collect()
}

/// How many of them are new, were there already, and were refused.
fn tally(begun: &[Created]) -> [usize; 3] {
    let many = |is: fn(&&Created) -> bool| begun.iter().filter(is).count();
    [
        many(|one| matches!(one, Created::New)),
        many(|one| matches!(one, Created::Existing(_))),
        many(|one| matches!(one, Created::Exceeded(_))),
    ]
}

#[tokio::test]
async fn a_source_starts_no_more_runs_than_it_may_however_many_begin_at_once() {
    let (store, owner) = (store().await, UserId::from_bytes([77; 16]));
    let limit = SourceLimit { owner: &owner, source: "trig_1", word: "trigger", most: 3 };
    let of_person = |limit| RunLimits { person: Quota::runs(limit), source: None };
    let limits = RunLimits { source: Some(limit), ..of_person(100) };
    let heads: Vec<Head> = (0..8).map(|n| head(&owner, n, at(0))).collect();
    let first = begin(&store, &heads, limits).await;
    assert_eq!(tally(&first), [3, 0, 5], "{first:?}");
    let source = Created::Exceeded(RunExceeded::Source(limit.exceeded(at(0))));
    assert_eq!(first.iter().filter(|one| **one == source).count(), 5, "{first:?}");
    assert_eq!(tally(&begin(&store, &heads, limits).await), [0, 3, 5], "the same run counts once");
    assert!(!store.source_has_room(limit, at(0)).await.unwrap());
    let other = SourceLimit { source: "trig_2", ..limit };
    assert!(store.source_has_room(other, at(0)).await.unwrap());
    assert!(store.source_has_room(limit, at(3 * 3600)).await.unwrap(), "it is the next day");

    // Those that were refused hold no place of their person's day.
    let next = [head(&owner, 50, at(0))];
    let used_up = Created::Exceeded(RunExceeded::Person(Quota::runs(3).exceeded(at(0))));
    assert_eq!(begin(&store, &next, of_person(3)).await, [used_up]);
    assert_eq!(begin(&store, &next, of_person(4)).await, [Created::New]);
}

#[tokio::test]
async fn a_run_that_begins_several_times_at_once_counts_once_and_one_that_is_not_written_not_at_all()
 {
    let (store, ana) = (store().await, UserId::from_bytes([78; 16]));
    let limits = RunLimits { person: Quota::runs(2), source: None };
    let one = head(&ana, 1, at(0));
    assert_eq!(tally(&begin(&store, &vec![one.clone(); 6], limits).await), [1, 5, 0]);

    // It repeats a run that is not there.
    let missing = vec![RunId::from_bytes([99; 16])];
    let lost = Head { repeats: missing, ..head(&ana, 2, at(0)) };
    let asked = Asked { inputs: json!({}), samples: None, playbook: None };
    let written = store.create(&lost, &asked, limits, &[]).await;
    assert!(written.as_ref().is_err_and(StoreError::is_condition), "{written:?}");

    let rest: Vec<Head> = (3..6).map(|n| head(&ana, n, at(0))).collect();
    let begun = begin(&store, &rest, limits).await;
    assert_eq!(tally(&begun), [1, 0, 2], "there was room for one: {begun:?}");
    assert_eq!(tally(&begin(&store, &[one], limits).await), [0, 1, 0], "it counts already");
}

#[tokio::test]
async fn runs_that_one_person_starts_at_once_all_count_while_there_is_room() {
    let (store, ana) = (store().await, UserId::from_bytes([79; 16]));
    let limits = RunLimits { person: Quota::runs(15), source: None };
    let heads: Vec<Head> = (0..20).map(|n| head(&ana, n, at(0))).collect();
    let begun = begin(&store, &heads, limits).await;
    assert_eq!(tally(&begun), [15, 0, 5], "{begun:?}");
    assert_eq!(tally(&begin(&store, &heads, limits).await), [0, 15, 5]);
}

#[tokio::test]
async fn a_run_for_which_its_person_has_no_room_counts_for_nothing_in_its_source() {
    let (store, owner) = (store().await, UserId::from_bytes([80; 16]));
    let limit = SourceLimit { owner: &owner, source: "trig_1", word: "trigger", most: 4 };
    let limits = |runs| RunLimits { person: Quota::runs(runs), source: Some(limit) };
    // Begun at once, so that some of them are refused where the run would be written, others before.
    let heads: Vec<Head> = (0..6).map(|n| head(&owner, n, at(0))).collect();
    let begun = begin(&store, &heads, limits(1)).await;
    assert_eq!(tally(&begun), [1, 0, 5], "{begun:?}");
    let used_up = Created::Exceeded(RunExceeded::Person(Quota::runs(1).exceeded(at(0))));
    assert_eq!(begun.iter().filter(|one| **one == used_up).count(), 5, "{begun:?}");

    // The source has started one: three more fit, and no fourth.
    let next: Vec<Head> = (10..16).map(|n| head(&owner, n, at(0))).collect();
    let begun = begin(&store, &next, limits(100)).await;
    assert_eq!(tally(&begun), [3, 0, 3], "{begun:?}");
    let full = Created::Exceeded(RunExceeded::Source(limit.exceeded(at(0))));
    assert_eq!(begun.iter().filter(|one| **one == full).count(), 3, "{begun:?}");
    assert!(!store.source_has_room(limit, at(0)).await.unwrap());
}
