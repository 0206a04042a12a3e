//! `countersign runs model-calls`.

use clap::Args;
use serde_json::Value;

use super::super::{FACTORY, Who, pretty, row};
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
        let path = format!("{FACTORY}/executions/{}/model-calls?limit=100", self.run);
        let calls = all_pages(&self.who.door(place).await?, &path).await?;
        if self.json {
            console.line(pretty(&Value::Array(calls)));
            return Ok(());
        }
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
        let rows: Vec<Vec<String>> = calls.iter().map(|call| row(call, &columns)).collect();
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
        console.table(&heads, &rows);
        Ok(())
    }
}
