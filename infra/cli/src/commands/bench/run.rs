//! `countersign bench run`: what a run of ten steps costs.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::Args;
use countersign_identity::{Scopes, UserId};
use serde_json::{Value, json};

use super::Figure;
use crate::commands::{FACTORY, operator, text, user};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;
use crate::stack::{Aws, Place, Stack, UpOptions, down, up};
use crate::token::login;

const STEPS: usize = 10;
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Debug, Args)]
pub(crate) struct Run {}

/// What one run cost.
struct Cost {
    invocations: usize,
    reads: u64,
    writes: u64,
    /// The most DynamoDB requests one tool step needed.
    dearest_step: u64,
}

impl Run {
    pub(crate) async fn figures(
        &self,
        place: &Place,
        console: &Console,
    ) -> Result<Vec<Figure>, CliError> {
        let project = place.project()?;
        let state = project.join(".countersign/bench");
        let own = Place { project: Some(project.clone()), state: Some(state.clone()) };
        let options = UpOptions {
            port: Some(0),
            name: Some("countersign-bench".to_owned()),
            ..UpOptions::default()
        };
        let stack = up(&own, &options, console).await?;
        let measured = measure(&stack, &Aws::of(&stack, &project), &state).await;
        down(&state, console).await?;
        let ten = measured?;
        let machine = machine(&project)?;
        Ok(vec![
            Figure::at_most(
                "state transitions per ungated tool step, by the definition",
                transitions(&machine, false),
                "count",
                3.0,
            ),
            Figure::at_most(
                "state transitions per gated tool step, by the definition",
                transitions(&machine, true),
                "count",
                5.0,
            ),
            Figure::plain(
                "Lambda invocations of a run of 10 steps",
                ten.invocations as f64,
                "count",
            ),
            Figure::plain("DynamoDB reads of a run of 10 steps", ten.reads as f64, "requests"),
            Figure::plain("DynamoDB writes of a run of 10 steps", ten.writes as f64, "requests"),
            Figure::at_most(
                "DynamoDB requests per reversible step, at most",
                ten.dearest_step as f64,
                "requests",
                6.0,
            ),
        ])
    }
}

/// One run of ten steps.
async fn measure(stack: &Stack, aws: &Aws, state: &std::path::Path) -> Result<Cost, CliError> {
    let admin = operator(stack)?;
    let name = format!("bench-{}", stack.api_id);
    let body = json!({ "username": name, "email": format!("{name}@example.org"), "email_verified": true, "display_name": "Bench" });
    let person = match admin.get(&format!("/api/admin/users/{name}")).await {
        Ok(known) => known,
        Err(_) => admin.post("/api/admin/users", &body).await?,
    };
    user::give(&admin, &name, "global:analyst").await?;
    let id = text(&person, "id").unwrap_or_default();
    let id = UserId::parse(&id).map_err(|error| CliError::Found(error.to_string()))?;
    let door = Door::with(&stack.url(), login(stack, &id, Scopes::parse(["global:analyst"]))?)?;
    let agent =
        json!({ "name": "Bench", "handle": format!("bench-{}", uuid::Uuid::now_v7().simple()) });
    let agent =
        text(&door.post(&format!("{FACTORY}/profiles"), &agent).await?, "id").unwrap_or_default();
    cost(&door, &agent, STEPS, aws, state, stack).await
}

async fn cost(
    door: &Door,
    agent: &str,
    steps: usize,
    aws: &Aws,
    state: &std::path::Path,
    stack: &Stack,
) -> Result<Cost, CliError> {
    let id = format!("bench-{steps}-{}", uuid::Uuid::now_v7().simple());
    door.post(&format!("{FACTORY}/playbooks"), &json!({ "yaml": playbook(&id, steps) })).await?;
    let before = served(aws, state, stack).await?;
    let body = json!({ "profile": agent, "playbook": id, "inputs": { "rows": [{ "a": 1 }] }, "run_context": "interactive" });
    let run =
        text(&door.post(&format!("{FACTORY}/executions"), &body).await?, "id").unwrap_or_default();
    finished(door, &run).await?;
    let after = settled(aws, state, stack, &before, steps).await?;
    Ok(difference(&before, &after))
}

fn machine(project: &std::path::Path) -> Result<Value, CliError> {
    let file = project.join("statemachines/run.asl.json");
    let text = std::fs::read_to_string(&file)
        .map_err(|source| CliError::io("reading the machine", source))?;
    serde_json::from_str(&text).map_err(|error| CliError::Found(error.to_string()))
}

/// The states a tool step enters, by the machine's definition: the Map of its stage, then state after state inside it. The
/// local stack's history does not name states inside a Map, so they cannot be counted there.
fn transitions(machine: &Value, gated: bool) -> f64 {
    let inner = &machine["States"]["Stages"]["ItemProcessor"]["States"]["Steps"]["ItemProcessor"];
    let mut entered = 1;
    let mut at = inner["StartAt"].as_str();
    while let Some(state) = at.map(|name| &inner["States"][name]).filter(|state| state.is_object())
    {
        entered += 1;
        // The first choice of a Choice is the way of a signed step, its default that of others.
        let chosen = if gated { &state["Choices"][0]["Next"] } else { &state["Default"] };
        at = chosen.as_str().or_else(|| state["Next"].as_str());
    }
    f64::from(entered)
}

/// A chain of equal steps.
fn playbook(id: &str, steps: usize) -> String {
    let mut yaml = format!(
        "id: {id}\nname: Bench\ndescription: A chain of equal steps.\nversion: 1.0.0\nexecution_mode: deterministic\ninputs:\n  - {{name: rows, type: list, required: true}}\nsteps:\n"
    );
    for n in 0..steps {
        let data = if n == 0 { "{rows}".to_owned() } else { format!("{{s{}.data}}", n - 1) };
        yaml.push_str(&format!(
            "  - {{name: s{n}, step_type: tool, action: transform_data, inputs: {{data: \"{data}\"}}, operations: [{{type: limit, value: 1}}]}}\n"
        ));
    }
    yaml
}

async fn finished(door: &Door, run: &str) -> Result<(), CliError> {
    let deadline = std::time::Instant::now() + PATIENCE;
    loop {
        let now = door.get(&format!("{FACTORY}/executions/{run}")).await?;
        match now["state"].as_str() {
            Some("complete") => return Ok(()),
            Some("running") if std::time::Instant::now() < deadline => {
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            other => {
                return Err(CliError::Found(format!("the benchmark's run ended as {other:?}")));
            }
        }
    }
}

/// The lines `served` of the functions' logs: requests of one invocation each, by function.
async fn served(
    aws: &Aws,
    state: &std::path::Path,
    stack: &Stack,
) -> Result<Vec<(String, u64, u64)>, CliError> {
    let group = stack.output("FunctionLogGroup").unwrap_or_default();
    let said = aws
        .json(
            &["logs", "filter-log-events", "--log-group-name", group, "--filter-pattern", "served"],
            state,
        )
        .await?;
    let mut lines = Vec::new();
    for event in said["events"].as_array().into_iter().flatten() {
        lines.extend(served_line(event["message"].as_str().unwrap_or_default()));
    }
    Ok(lines)
}

/// One line `served`, as JSON (AWS) or as text (the local stack): function, reads, writes.
fn served_line(message: &str) -> Option<(String, u64, u64)> {
    if let Ok(line) = serde_json::from_str::<Value>(message) {
        let fields = line.get("fields").unwrap_or(&line);
        let number = |name: &str| fields[name].as_u64();
        return Some((
            fields["function"].as_str()?.to_owned(),
            number("reads")?,
            number("writes")?,
        ));
    }
    let part = |name: &str| {
        let (_, rest) = message.split_once(&format!(" {name}="))?;
        rest.split_whitespace().next().map(|value| value.trim_matches('"').to_owned())
    };
    Some((part("function")?, part("reads")?.parse().ok()?, part("writes")?.parse().ok()?))
}

/// Waits until the logs of a run are all there: begin, its steps, finish.
async fn settled(
    aws: &Aws,
    state: &std::path::Path,
    stack: &Stack,
    before: &[(String, u64, u64)],
    steps: usize,
) -> Result<Vec<(String, u64, u64)>, CliError> {
    let deadline = std::time::Instant::now() + PATIENCE;
    loop {
        let after = served(aws, state, stack).await?;
        let engine = |lines: &[(String, u64, u64)]| {
            lines.iter().filter(|(function, ..)| of_run(function)).count()
        };
        if engine(&after) >= engine(before) + steps + 2 {
            return Ok(after);
        }
        if std::time::Instant::now() > deadline {
            return Err(CliError::Found("the functions' logs do not tell of the run".to_owned()));
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

fn of_run(function: &str) -> bool {
    ["run-begin", "run-finish", "tool-data"].iter().any(|own| function.ends_with(own))
}

fn difference(before: &[(String, u64, u64)], after: &[(String, u64, u64)]) -> Cost {
    let mut old: BTreeMap<&(String, u64, u64), usize> = BTreeMap::new();
    for line in before {
        *old.entry(line).or_default() += 1;
    }
    let mut cost = Cost { invocations: 0, reads: 0, writes: 0, dearest_step: 0 };
    for line in after.iter().filter(|(function, ..)| of_run(function)) {
        if let Some(count) = old.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            continue;
        }
        let (function, reads, writes) = line;
        cost.invocations += 1;
        cost.reads += reads;
        cost.writes += writes;
        if function.ends_with("tool-data") {
            cost.dearest_step = cost.dearest_step.max(reads + writes);
        }
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::{difference, playbook, served_line, transitions};

    #[test]
    fn only_what_is_new_counts() {
        let line = |function: &str| (function.to_owned(), 2, 1);
        let before = [line("x-tool-data")];
        let after = [line("x-tool-data"), line("x-tool-data"), line("x-run-begin"), line("x-api")];
        let cost = difference(&before, &after);
        assert_eq!((cost.invocations, cost.reads, cost.writes, cost.dearest_step), (2, 4, 2, 3));
    }

    #[test]
    fn a_line_is_read_in_both_forms() {
        let text = r#" INFO invoke{requestId="1"}: served function="s-tool-data" request_id="1" reads=2 writes=1"#;
        let json =
            r#"{"fields":{"message":"served","function":"s-tool-data","reads":2,"writes":1}}"#;
        for line in [text, json] {
            assert_eq!(served_line(line), Some(("s-tool-data".to_owned(), 2, 1)));
        }
        assert_eq!(served_line("START RequestId: 1"), None);
    }

    #[test]
    fn the_machine_enters_three_states_for_a_tool_and_five_for_a_signed_one() {
        let text = include_str!("../../../../../statemachines/run.asl.json");
        let machine = serde_json::from_str(text).unwrap();
        assert_eq!((transitions(&machine, false), transitions(&machine, true)), (3.0, 5.0));
    }

    #[test]
    fn the_playbook_is_a_chain() {
        let yaml = playbook("b", 3);
        assert!(yaml.contains("\"{rows}\"") && yaml.contains("\"{s1.data}\""));
    }
}
