//! `countersign runs calls`.

use clap::Args;
use serde_json::Value;

use super::super::{FACTORY, Who, items, pretty, row, text};
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
        let calls = self.all(place).await?;
        if self.json {
            console.line(pretty(&Value::Array(calls)));
            return Ok(());
        }
        let columns = ["n", "key", "status", "sent_at", "idempotency_key", "receipt", "message"];
        let rows: Vec<Vec<String>> = calls.iter().map(|call| row(call, &columns)).collect();
        console.table(&["N", "ITEM", "STATUS", "SENT", "KEY", "RECEIPT", "MESSAGE"], &rows);
        Ok(())
    }

    /// Every page.
    async fn all(&self, place: &Place) -> Result<Vec<Value>, CliError> {
        let door = self.who.door(place).await?;
        let path = format!("{FACTORY}/executions/{}/calls/{}?limit=100", self.run, self.step);
        let mut page = door.get(&path).await?;
        let mut all = items(&page).to_vec();
        while let Some(next) = text(&page, "next") {
            page = door.get(&format!("{path}&cursor={next}")).await?;
            all.extend_from_slice(items(&page));
        }
        Ok(all)
    }
}
