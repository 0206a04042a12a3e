//! `countersign demo --question`: the agent answers from what earlier runs have put into its knowledge graph.

use serde_json::json;

use super::{AGENT, PATIENCE};
use crate::commands::run::settled;
use crate::commands::{FACTORY, response_text, text};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;

/// About somebody in the shipped filings; those of `--filings` have other names.
const QUESTION: &str = "What do we know about Margaret Thornquist?";

/// Asks, and shows the answer.
///
/// # Errors
/// [`CliError::Found`] where the run ends in another way than with an answer.
pub(super) async fn ask(door: &Door, console: &Console) -> Result<(), CliError> {
    console.line(format!("\n7. The same agent is asked: {QUESTION}"));
    let body = json!({ "profile": AGENT, "query": QUESTION });
    let started = door.post(&format!("{FACTORY}/executions"), &body).await?;
    let run = text(&started, "id")
        .ok_or_else(|| CliError::Found("the question was accepted without an id".to_owned()))?;
    let status = settled(door, &run, PATIENCE).await?;
    let run = door.get(&format!("{FACTORY}/executions/{run}")).await?;
    console.line("8. Its knowledge graph answers. Nothing is sent, so nobody has to sign:");
    response_text::lines(&run).iter().for_each(|line| console.line(format!("   {line}")));
    if status == "complete" {
        Ok(())
    } else {
        Err(CliError::Found(format!("the question ended as `{status}`")))
    }
}
