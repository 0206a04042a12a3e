//! `countersign runs calls`.

use clap::Args;
use serde_json::Value;

use super::super::{FACTORY, Who, pretty, row};
use super::all_pages;
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Calls {
    /// The run.
    run: String,
    /// The step.
    step: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

impl Calls {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let path = format!("{FACTORY}/executions/{}/calls/{}?limit=100", self.run, self.step);
        let calls = all_pages(&self.who.door(place).await?, &path).await?;
        if self.json {
            console.line(pretty(&Value::Array(calls)));
            return Ok(());
        }
        let columns = ["n", "key", "status", "sent_at", "idempotency_key", "receipt", "message"];
        let rows: Vec<Vec<String>> = calls.iter().map(|call| row(call, &columns)).collect();
        console.table(&["N", "ITEM", "STATUS", "SENT", "KEY", "RECEIPT", "MESSAGE"], &rows);
        Ok(())
    }
}
