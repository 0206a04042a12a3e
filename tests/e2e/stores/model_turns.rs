//! What a model has asked for, read in the same request as the view of its step.

use std::collections::BTreeSet;

use countersign_run::{ModelUse, RunId, StepStatus, ToolAsk, ToolCall};
use countersign_store_runs::{AskedRead, ModelTurn, ReadAsked, ReadWith, RunStore, ToolOutcome};
use jiff::Timestamp;
use serde_json::json;

use super::revisions::drafted;

const AT: Timestamp = Timestamp::UNIX_EPOCH;
const STEP: &str = "draft";

pub(super) fn turn(number: u32) -> ModelTurn {
    let used = ModelUse {
        model_used: "openai/a".to_owned(),
        input_tokens: Some(1),
        output_tokens: Some(1),
        turns: 1,
        latency_ms: 1,
        prompt_sha256: String::new(),
        answer_sha256: String::new(),
    };
    let ask = ToolAsk { tool: "search_web".to_owned(), arguments: "{}".to_owned() };
    ModelTurn { step: STEP.to_owned(), turn: number, asks: vec![ask], used, at: AT }
}

fn outcome(of: &ModelTurn) -> ToolOutcome {
    let call = ToolCall {
        turn: of.turn,
        call: 1,
        tool: of.asks[0].tool.clone(),
        arguments: ToolCall::told(&of.asks[0].arguments),
        status: StepStatus::Done,
        code: None,
        message: None,
        took_ms: 1,
        found: Vec::new(),
    };
    ToolOutcome::new(STEP, call, 1, AT)
}

/// What is read, whether the plan is known or not.
async fn read(store: &RunStore, run: &RunId, asked: ReadAsked<'_>) -> Option<AskedRead> {
    let view = store.view_and(run, STEP, asked).await.unwrap().unwrap();
    let with = ReadWith { others: &BTreeSet::new(), asked, other_tables: &[] };
    let known = store.view_with(run, STEP, view.plan, with).await;
    assert_eq!(known.unwrap().unwrap().asked, view.asked);
    view.asked
}

#[tokio::test]
async fn f_057_turns_that_nobody_knows_of_are_not_overlooked() {
    let (store, run) = drafted(71).await;
    let turns = |kept: u32| read(&store, &run, ReadAsked::Turns { kept, calls: &[] });
    let alone = |turns| Some(AskedRead::Turns(turns, None));
    let none = Some(AskedRead::Turns(Vec::new(), Some(Vec::new())));
    assert_eq!(turns(0).await, none, "of no turn there are no calls");
    assert_eq!(turns(1).await, None, "one is missing");

    assert!(store.put_turn(&run, &turn(1), None).await.unwrap());
    assert_eq!(turns(0).await, None, "an earlier execution has asked");
    assert_eq!(turns(1).await, alone(vec![turn(1)]));
    assert!(store.put_turn(&run, &turn(2), None).await.unwrap());
    assert_eq!(turns(1).await, None);
    assert_eq!(turns(2).await, alone(vec![turn(1), turn(2)]));
    assert_eq!(turns(u32::MAX).await, None, "so many are read by themselves");
    assert_eq!(store.turns(&run, STEP).await.unwrap(), [turn(1), turn(2)]);
}

#[tokio::test]
async fn f_057_what_came_of_calls_is_read_with_the_turns_where_their_number_is_known() {
    let (store, run) = drafted(73).await;
    store.put_turn(&run, &turn(1), None).await.unwrap();
    store.put_turn(&run, &turn(2), None).await.unwrap();
    let over = vec![(outcome(&turn(1)), Some(json!({ "a": 1 }))), (outcome(&turn(2)), None)];
    store.end_tool_calls(&run, over).await.unwrap();
    let check = async |calls: &[u32], expect: Option<&[u32]>| {
        let read = read(&store, &run, ReadAsked::Turns { kept: 2, calls }).await;
        let Some(AskedRead::Turns(_, outcomes)) = read else { panic!("the turns are known") };
        let turns = outcomes.map(|all| all.iter().map(|one| one.call.turn).collect::<Vec<_>>());
        assert_eq!(turns.as_deref(), expect, "{calls:?}");
    };
    check(&[1, 1], Some(&[1, 2])).await;
    check(&[1, 2], None).await;
    check(&[1], None).await;
    check(&[1, 31], None).await;
    check(&[], None).await;
}

#[tokio::test]
async fn f_057_calls_are_read_with_their_turn_and_what_came_of_them() {
    let (store, run) = drafted(72).await;
    let calls = |turn: u32| read(&store, &run, ReadAsked::Calls { turn, calls: &[1, 2] });
    assert_eq!(calls(1).await, Some(AskedRead::Calls(None, Vec::new())));
    store.put_turn(&run, &turn(1), None).await.unwrap();
    assert_eq!(calls(1).await, Some(AskedRead::Calls(Some(turn(1)), Vec::new())));

    let made = outcome(&turn(1));
    store.end_tool_calls(&run, vec![(made.clone(), Some(json!({ "a": 1 })))]).await.unwrap();
    let Some(AskedRead::Calls(Some(_), kept)) = calls(1).await else { panic!("it is over") };
    assert_eq!(kept.iter().map(|one| &one.call).collect::<Vec<_>>(), [&made.call]);
    assert_eq!(calls(2).await, Some(AskedRead::Calls(None, Vec::new())), "of another turn");
}

#[tokio::test]
async fn f_057_a_call_that_was_over_before_stands_beside_others_that_are_written() {
    let (store, run) = drafted(74).await;
    store.put_turn(&run, &turn(1), None).await.unwrap();
    let numbered = |call: u32, took_ms: u64| {
        let of = outcome(&turn(1));
        ToolOutcome::new(STEP, ToolCall { call, took_ms, ..of.call }, 1, AT)
    };
    store.end_tool_calls(&run, vec![(numbered(1, 1), None)]).await.unwrap();
    store.end_tool_calls(&run, vec![(numbered(1, 9), None), (numbered(2, 9), None)]).await.unwrap();
    let kept = store.tool_outcomes(&run, STEP).await.unwrap();
    let kept: Vec<_> = kept.iter().map(|one| (one.call.call, one.call.took_ms)).collect();
    assert_eq!(kept, [(1, 1), (2, 9)]);
}
