//! Budgets, breakers and last good answers, as many instances at once see them.

use std::time::Duration;

use countersign_resilience::{
    Admission, AnswerKey, AnswerOf, Answers, Budget, CachedAnswer, CallLimits, CallResult,
    LimitKey, OPENS_AFTER, Permit, Report, STAYS_OPEN,
};
use countersign_store_egress::EgressStore;
use futures::future::join_all;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, json};

const NO_PATIENCE: Duration = Duration::ZERO;

async fn store() -> EgressStore {
    EgressStore::new(super::table("egress").await)
}

fn at(seconds: i64) -> Timestamp {
    let start: Timestamp = "2026-03-04T05:06:07Z".parse().unwrap();
    start.checked_add(SignedDuration::from_secs(seconds)).unwrap()
}

fn report(holder: &str, verdict: CallResult, seconds: i64) -> Report {
    let error = (verdict == CallResult::Failure).then_some("CONNECTOR_UNAVAILABLE");
    Report {
        holder: holder.to_owned(),
        verdict,
        error,
        latency: None,
        at: at(seconds),
        rests_for: STAYS_OPEN,
    }
}

#[tokio::test]
async fn f_105_callers_at_once_never_get_more_than_the_budget() {
    let (store, subject) = (store().await, LimitKey::of(&["rate", "api"]));
    let budget = Budget { day: Some(7), ..Budget::default() };
    let asked = (0..20).map(|_| store.permit(&subject, &budget, at(0), NO_PATIENCE));
    let permits: Vec<Permit> = join_all(asked).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(permits.iter().filter(|permit| **permit == Permit::Go).count(), 7, "{permits:?}");
    let spent = |permit: &&Permit| matches!(permit, Permit::Exhausted(spent) if spent.limit == 7);
    assert_eq!(permits.iter().filter(spent).count(), 13, "{permits:?}");
    let tomorrow = store.permit(&subject, &budget, at(86_400), NO_PATIENCE).await.unwrap();
    assert_eq!(tomorrow, Permit::Go);
}

#[tokio::test]
async fn k_74_of_many_callers_of_an_open_breaker_one_is_the_probe() {
    let (store, subject) = (store().await, LimitKey::of(&["health", "api"]));
    let lease = Duration::from_secs(60);
    for failure in 0..OPENS_AFTER {
        let holder = format!("call-{failure}");
        let seen = store.admit(&subject, &holder, at(0), lease).await.unwrap();
        assert_eq!(seen.admission, Admission::Pass);
        let failed = report(&holder, CallResult::Failure, 0);
        store.report(&subject, seen.seen, &failed).await.unwrap();
    }
    let resting = store.admit(&subject, "early", at(299), lease).await.unwrap();
    assert!(matches!(resting.admission, Admission::Refused { .. }), "{resting:?}");
    let holders: Vec<String> = (0..12).map(|n| format!("late-{n}")).collect();
    let asked = holders.iter().map(|holder| store.admit(&subject, holder, at(301), lease));
    let admitted: Vec<_> = join_all(asked).await.into_iter().map(Result::unwrap).collect();
    let probes: Vec<usize> =
        (0..12).filter(|n| admitted[*n].admission == Admission::Probe).collect();
    assert_eq!(probes.len(), 1, "{admitted:?}");
    let others = admitted.iter().filter(|one| matches!(one.admission, Admission::Refused { .. }));
    assert_eq!(others.count(), 11);
    let probe = probes[0];
    let well = report(&holders[probe], CallResult::Success, 302);
    store.report(&subject, admitted[probe].seen.clone(), &well).await.unwrap();
    let open = store.admit(&subject, "after", at(303), lease).await.unwrap();
    assert_eq!(open.admission, Admission::Pass);
}

#[tokio::test]
async fn k_75_an_older_answer_never_replaces_a_newer_one() {
    let store = store().await;
    let key = AnswerKey::of(&AnswerOf {
        owner: "user_1",
        credential: None,
        connector: "api",
        version: "1.0.0",
        definition: "d",
        base_url: "https://api.example.com",
        endpoint: "search",
        arguments: &Map::new(),
    })
    .unwrap();
    assert_eq!(store.last(&key).await.unwrap(), None);
    let answer =
        |n: i64| CachedAnswer { output: Map::from_iter([("n".to_owned(), json!(n))]), at: at(n) };
    for n in [2, 9, 4] {
        store.keep(&key, &answer(n)).await.unwrap();
    }
    assert_eq!(store.last(&key).await.unwrap(), Some(answer(9)));
}
