//! `countersign runs model-calls`.

use clap::Args;
use jiff::Timestamp;
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
        let mut calls = all_pages(&session.door, &path).await?;
        calls.sort_by_key(asked_at);
        let columns = [
            "asked_at",
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
            "ASKED",
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

/// When a model was asked. The API lists turns by step.
fn asked_at(call: &Value) -> Option<Timestamp> {
    call["asked_at"].as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::asked_at;

    #[test]
    fn turns_are_in_the_order_in_which_models_were_asked() {
        let mut calls = ["2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"]
            .map(|at| json!({ "asked_at": at }));
        calls.sort_by_key(asked_at);
        let order = calls.map(|call| call["asked_at"].as_str().unwrap().len());
        assert_eq!(order, [20, 22, 20]);
    }
}
