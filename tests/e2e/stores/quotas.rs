//! Quotas, as many requests at once see them.

use countersign_identity::UserId;
use countersign_run::{Quota, RunId};
use countersign_store_kit::Blobs;
use countersign_store_runs::{
    Counted, Reserved, RunStore, Spend, SpendLimit, SpendLimits, SpendOf, Use,
};
use futures::future::join_all;
use jiff::{SignedDuration, Timestamp};

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

fn one(who: &UserId) -> Use<'_> {
    Use { who, amount: 1, known_by: None }
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
    let asked = (0..20).map(|_| store.reserve_spend(limits, of(&one, 0), tokens(100)));
    let taken: Vec<Reserved> = join_all(asked).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(taken.iter().filter(|one| **one == Reserved::Yes).count(), 7, "{taken:?}");
    assert_eq!(taken.iter().filter(|one| **one == Reserved::RunSpent).count(), 13, "{taken:?}");

    let exceeded = Reserved::DayExceeded(Quota::tokens(1_000).exceeded(at(0)));
    let reserve =
        |run, seconds, amount| store.reserve_spend(limits, of(run, seconds), tokens(amount));
    assert_eq!(reserve(&other, 0, 301).await.unwrap(), exceeded);
    assert_eq!(reserve(&other, 7_200, 301).await.unwrap(), Reserved::Yes, "midnight");
    store.settle_spend(of(&one, 0), tokens(700), tokens(150)).await.unwrap();
    assert_eq!(reserve(&one, 0, 551).await.unwrap(), Reserved::RunSpent);
    assert_eq!(reserve(&one, 0, 550).await.unwrap(), Reserved::Yes);
    assert_eq!(reserve(&one, 0, u64::MAX).await.unwrap(), Reserved::RunSpent);
    let none = SpendLimits::default();
    assert_eq!(store.reserve_spend(none, of(&one, 0), tokens(5_000)).await.unwrap(), Reserved::Yes);
}

#[tokio::test]
async fn r_035_what_models_cost_is_within_a_run_and_a_day_whatever_tokens_there_are() {
    let (store, ana) = (store().await, UserId::from_bytes([8; 16]));
    let (one, other) = (RunId::from_bytes([3; 16]), RunId::from_bytes([4; 16]));
    let spend = |tokens, cost| Spend { tokens, cost };
    let most = |tokens, cost| SpendLimit { tokens, cost: Some(cost) };
    let limits = SpendLimits { per_run: most(None, 500), per_day: most(Some(10_000), 800) };
    let of = |run| SpendOf { run, who: &ana, at: at(0) };
    let reserve = async |run, tokens, cost| {
        store.reserve_spend(limits, of(run), spend(tokens, cost)).await.unwrap()
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
    store.settle_spend(of(&one), spend(50, 500), spend(5, 40)).await.unwrap();
    assert_eq!(reserve(&one, 10, 461).await, Reserved::RunSpent);
    assert_eq!(reserve(&one, 10, 460).await, Reserved::Yes);
    assert_eq!(reserve(&other, 10, 300).await, Reserved::Yes);

    // A budget of nothing is no budget without an end.
    let nothing = SpendLimits { per_run: most(None, 0), per_day: most(None, 0) };
    let free = RunId::from_bytes([5; 16]);
    let reserve = async |cost| store.reserve_spend(nothing, of(&free), spend(10, cost)).await;
    assert_eq!(reserve(1).await.unwrap(), Reserved::RunSpent);
    let day = SpendLimits { per_run: SpendLimit::default(), ..nothing };
    let asked = store.reserve_spend(day, of(&free), spend(10, 1)).await.unwrap();
    assert!(matches!(asked, Reserved::DayExceeded(_)), "{asked:?}");
}
