//! What a turn of a model and a call of a tool need.

use serde_json::Value;

use super::super::run::{Bench, Served};
use super::super::{Figure, Figures};
use super::graph::{CALLS, TURNS, playbook, run};

/// Counts the requests of one run, and the states of the machine's definition.
pub(super) async fn figures(bench: &Bench<'_>, machine: &Value) -> Figures {
    let id = bench.enter("turns", playbook).await?;
    let before = bench.logs.all().await?;
    run(bench, &id).await?;
    let functions = ["tool-model", "tool-data"];
    // Both calls of a turn are made in one invocation.
    let served = bench.logs.since(&before, &functions, TURNS + CALLS / 2).await?;
    let requests = |function: &str| -> f64 {
        let own = served.iter().filter(|line| line.function.ends_with(function));
        own.map(|Served { reads, writes, .. }| (reads + writes) as f64).sum()
    };
    Ok(vec![
        Figure::at_most(
            "state transitions per turn, by the definition",
            turn(machine),
            "count",
            3.0,
        ),
        Figure::at_most("state transitions per call of a tool", call(machine), "count", 3.0),
        Figure::plain("invocations for 20 turns and 20 calls", served.len() as f64, "count"),
        Figure::at_most(
            "DynamoDB requests per turn",
            requests("tool-model") / TURNS as f64,
            "requests",
            8.0,
        ),
        Figure::at_most(
            "DynamoDB requests per call of a tool",
            requests("tool-data") / CALLS as f64,
            "requests",
            3.0,
        ),
    ])
}

fn steps(machine: &Value) -> &Value {
    &machine["States"]["Stages"]["ItemProcessor"]["States"]["Steps"]["ItemProcessor"]["States"]
}

/// The states from one turn to the next: the local stack's history does not name states inside a Map.
fn turn(machine: &Value) -> f64 {
    let states = steps(machine);
    let (mut at, mut entered) = ("Ask", 0);
    while at != "Ask" || entered == 0 {
        entered += 1;
        let state = &states[at];
        let Some(next) = state["Next"].as_str().or_else(|| state["Choices"][0]["Next"].as_str())
        else {
            break;
        };
        at = next;
    }
    f64::from(entered)
}

/// The states of one call, inside the Map over all calls of a turn.
fn call(machine: &Value) -> f64 {
    let calls = &steps(machine)["ToolCalls"]["ItemProcessor"];
    let (mut at, mut entered) = (calls["StartAt"].as_str(), 0);
    while let Some(name) = at {
        entered += 1;
        at = calls["States"][name]["Next"].as_str();
    }
    f64::from(entered)
}

#[cfg(test)]
mod tests {
    use super::{call, turn};

    #[test]
    fn f_057_a_turn_enters_three_states_and_a_call_one() {
        let text = include_str!("../../../../../../statemachines/run.asl.json");
        let machine = serde_json::from_str(text).unwrap();
        assert_eq!((turn(&machine), call(&machine)), (3.0, 1.0));
    }
}
