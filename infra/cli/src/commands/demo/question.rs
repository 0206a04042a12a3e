//! `countersign demo --question`: agents answer from what earlier runs have put into the knowledge graph.

use serde_json::{Value, json};

use super::{AGENT, PATIENCE};
use crate::commands::run::settled;
use crate::commands::{FACTORY, items, made, response_text, text, visible};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;

/// About somebody in the shipped filings; those of `--filings` have other names.
const QUESTION: &str = "What do we know about Margaret Thornquist?";

/// The agent that divides questions between specialists, and what it is asked: no single call answers it.
const DESK: &str = "research-desk";
const DIVIDED: &str = "Which boards and officers is Margaret Thornquist connected with?";

/// Asks both, and shows the answers.
///
/// # Errors
/// [`CliError::Found`] where a run ends in another way than with an answer.
pub(super) async fn ask(door: &Door, console: &Console) -> Result<(), CliError> {
    console.line(format!("\n7. The same agent is asked: {QUESTION}"));
    let run = answered(door, AGENT, QUESTION).await?;
    console.line("8. Its knowledge graph answers. Nothing is sent, so nobody has to sign:");
    shown(&run, console);
    console.line(format!("\n9. The Research Desk is asked: {DIVIDED}"));
    let run = answered(door, DESK, DIVIDED).await?;
    let id = text(&run, "id").unwrap_or_default();
    let plan = door.get(&format!("{FACTORY}/executions/{id}/outputs/plan")).await?;
    console.line("10. A model divides the question, specialists look, and a model answers from what they found:");
    tasks(&plan).iter().for_each(|line| console.line(format!("   {line}")));
    shown(&run, console);
    Ok(())
}

async fn answered(door: &Door, agent: &str, question: &str) -> Result<Value, CliError> {
    let body = json!({ "profile": agent, "query": question });
    let run = made(door, "/executions", &body, "the question was accepted").await?;
    let status = settled(door, &run, PATIENCE).await?;
    if status == "complete" {
        return door.get(&format!("{FACTORY}/executions/{run}")).await;
    }
    Err(CliError::Found(format!(
        "the question ended as `{status}`; `countersign show {run}` says why"
    )))
}

fn shown(run: &Value, console: &Console) {
    response_text::lines(run).iter().for_each(|line| console.line(format!("   {line}")));
}

/// The tasks of a plan, a line each: `stage 1, records: Who serves there?`.
fn tasks(plan: &Value) -> Vec<String> {
    let tasks = plan.pointer("/output/execution_plan").map_or(&[][..], items).iter();
    let line = |task: &Value| {
        let word = |name: &str| text(task, name).unwrap_or_default();
        visible(&format!("stage {}, {}: {}", task["stage"], word("agent_name"), word("task")))
    };
    tasks.map(line).collect()
}
