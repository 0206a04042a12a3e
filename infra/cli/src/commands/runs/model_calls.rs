//! `countersign runs model-calls`.

use clap::Args;
use serde_json::Value;

use super::super::one::plain;
use super::super::{FACTORY, Who, row};
use super::all_pages;
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct ModelCalls {
    /// The run.
    run: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

impl ModelCalls {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let path = format!("{FACTORY}/executions/{}/model-calls?limit=100", plain(&self.run)?);
        let session = self.who.session(place, self.json, console).await?;
        let calls = all_pages(&session.door, &path).await?;
        let columns = [
            "step",
            "turn",
            "model",
            "status",
            "code",
            "input_tokens",
            "output_tokens",
            "counted_cost",
            "requests",
            "latency_ms",
        ];
        let heads = [
            "STEP",
            "TURN",
            "MODEL",
            "STATUS",
            "CODE",
            "TOKENS IN",
            "OUT",
            "COST",
            "REQUESTS",
            "MS",
        ];
        session.table(&Value::Array(calls), &heads, |call| row(call, &columns));
        Ok(())
    }
}
