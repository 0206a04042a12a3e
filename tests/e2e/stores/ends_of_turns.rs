//! The end of a turn of a model that is written with what came of it.

use countersign_identity::UserId;
use countersign_run::{Draft, LeftEnd, ModelCall, ModelCallEnd, ModelCallStatus, RunId};
use countersign_store_runs::{
    Consequence, Ended, Reserved, RunStore, Spend, SpendLimits, SpendOf, Spent, StepOutcome,
};
use jiff::Timestamp;

use super::model_turns::turn as asks;
use super::quotas::{answered, recorded, turn};
use super::revisions::{drafted, written};

const AT: Timestamp = Timestamp::UNIX_EPOCH;

fn tokens(tokens: u64) -> Spend {
    Spend { tokens, cost: 0 }
}

/// A turn that has begun with 100 tokens and used 30, of whose answer something was shown.
async fn begun(store: &RunStore, run: &RunId, who: &UserId, number: u32) -> ModelCallEnd {
    let reserved = ModelCall { turn: number, ..turn("draft") };
    let of = SpendOf { run, who, at: AT };
    let taken = store.begin_model_call(SpendLimits::default(), of, tokens(100), &reserved).await;
    assert_eq!(taken.unwrap(), Reserved::Yes);
    let texts = [("text".to_owned(), "It is".to_owned())].into();
    let draft = Draft { step: "draft".to_owned(), turn: number, texts, at: AT };
    store.put_draft(run, &draft).await.unwrap();
    let ended = ModelCall { counted_tokens: 30, ..answered(&reserved) };
    ModelCallEnd { reserved, ended, who: who.clone(), at: AT, is_shown: true }
}

/// What is counted, and how each turn ended; nothing of an answer is shown any more.
async fn check(store: &RunStore, run: &RunId, who: &UserId, used: u64) {
    let spent = store.spent(SpendOf { run, who, at: AT }).await.unwrap();
    assert_eq!(spent, Spent { by_run: tokens(used), in_day: tokens(used) });
    let calls = recorded(store, run).await;
    assert!(calls.iter().all(|call| call.status == ModelCallStatus::Answered), "{calls:#?}");
    assert_eq!(store.drafts(run).await.unwrap(), []);
}

#[tokio::test]
async fn r_035_the_end_of_a_turn_is_counted_once_with_what_its_model_asks_for() {
    let ((store, run), ana) = (drafted(81).await, UserId::from_bytes([81; 16]));
    let end = begun(&store, &run, &ana, 1).await;
    assert!(store.put_turn(&run, &asks(1), Some(&end)).await.unwrap());
    check(&store, &run, &ana, 30).await;
    // Another invocation was faster: its turn stands, and what this one used is counted all the same.
    let late = begun(&store, &run, &ana, 2).await;
    assert!(!store.put_turn(&run, &asks(1), Some(&late)).await.unwrap());
    check(&store, &run, &ana, 60).await;
    assert_eq!(recorded(&store, &run).await.len(), 2);
}

#[tokio::test]
async fn r_035_the_end_of_a_turn_is_counted_once_with_the_end_of_its_step() {
    let ((store, run), ana) = (drafted(82).await, UserId::from_bytes([82; 16]));
    let end = async |step: &str, left: &LeftEnd| {
        let (outcome, event) = written(1, "long");
        let outcome = StepOutcome { step: step.to_owned(), ..outcome };
        let consequence = Consequence { end_of_turn: Some(left), ..Consequence::default() };
        store.end_step(&run, &outcome, &event, consequence).await.unwrap()
    };
    let left = LeftEnd::default();
    left.put(begun(&store, &run, &ana, 1).await);
    assert_eq!(end("look", &left).await, Ended::Now);
    assert_eq!(left.take(), None, "it is not written again");
    check(&store, &run, &ana, 30).await;
    // The step was over before.
    left.put(begun(&store, &run, &ana, 2).await);
    assert!(matches!(end("draft", &left).await, Ended::Before(_)));
    check(&store, &run, &ana, 60).await;
}
