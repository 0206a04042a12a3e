//! `countersign runs calls`.

use clap::Args;
use serde_json::Value;

use super::super::one::plain;
use super::super::{FACTORY, Who, row};
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
        let path =
            format!("{FACTORY}/executions/{}/calls/{}?limit=100", plain(&self.run)?, self.step);
        let session = self.who.session(place, self.json, console).await?;
        let calls = all_pages(&session.door, &path).await?;
        let columns = ["n", "key", "status", "sent_at", "idempotency_key", "receipt", "message"];
        let titles = ["N", "ITEM", "STATUS", "SENT", "KEY", "RECEIPT", "MESSAGE"];
        session.table(&Value::Array(calls), &titles, |call| row(call, &columns));
        Ok(())
    }
}
