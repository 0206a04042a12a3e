//! What a model has asked for, read in the same request as the view of its step.

use std::collections::BTreeSet;

use countersign_run::{ModelUse, RunId, StepStatus, ToolAsk, ToolCall};
use countersign_store_runs::{AskedRead, ModelTurn, ReadAsked, ReadWith, RunStore, ToolOutcome};
use jiff::Timestamp;
use serde_json::json;

use super::revisions::drafted;

const AT: Timestamp = Timestamp::UNIX_EPOCH;
const STEP: &str = "draft";

fn turn(number: u32) -> ModelTurn {
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
async fn read(store: &RunStore, run: &RunId, asked: ReadAsked) -> Option<AskedRead> {
    let view = store.view_and(run, STEP, asked).await.unwrap().unwrap();
    let with = ReadWith { others: &BTreeSet::new(), asked, other_tables: &[] };
    let known = store.view_with(run, STEP, view.plan, with).await;
    assert_eq!(known.unwrap().unwrap().asked, view.asked);
    view.asked
}

#[tokio::test]
async fn f_057_turns_that_nobody_knows_of_are_not_overlooked() {
    let (store, run) = drafted(71).await;
    let turns = |known: u32| read(&store, &run, ReadAsked::Turns(known));
    assert_eq!(turns(0).await, Some(AskedRead::Turns(Vec::new())));
    assert_eq!(turns(1).await, None, "one is missing");

    assert!(store.put_turn(&run, &turn(1)).await.unwrap());
    assert_eq!(turns(0).await, None, "an earlier execution has asked");
    assert_eq!(turns(1).await, Some(AskedRead::Turns(vec![turn(1)])));
    assert!(store.put_turn(&run, &turn(2)).await.unwrap());
    assert_eq!(turns(1).await, None);
    assert_eq!(turns(2).await, Some(AskedRead::Turns(vec![turn(1), turn(2)])));
    assert_eq!(turns(u32::MAX).await, None, "so many are read by themselves");
    assert_eq!(store.turns(&run, STEP).await.unwrap(), [turn(1), turn(2)]);
}

#[tokio::test]
async fn f_057_a_call_is_read_with_its_turn_and_what_came_of_it() {
    let (store, run) = drafted(72).await;
    let call = |turn: u32| read(&store, &run, ReadAsked::Call { turn, call: 1 });
    assert_eq!(call(1).await, Some(AskedRead::Call(None, None)));
    store.put_turn(&run, &turn(1)).await.unwrap();
    assert_eq!(call(1).await, Some(AskedRead::Call(Some(turn(1)), None)));

    let made = outcome(&turn(1));
    store.end_tool_call(&run, made.clone(), Some(&json!({ "a": 1 }))).await.unwrap();
    let Some(AskedRead::Call(Some(_), Some(kept))) = call(1).await else { panic!("it is over") };
    assert_eq!(kept.call, made.call);
    assert_eq!(call(2).await, Some(AskedRead::Call(None, None)), "of another turn");
}
