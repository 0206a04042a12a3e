//! `countersign runs deliver`.

use clap::Args;
use serde_json::json;

use super::super::one::plain;
use super::super::{FACTORY, Who};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Deliver {
    /// The run: it has finished.
    run: String,
    /// The place of the result in `response.outputs` of the run, from 0.
    destination: u32,
    #[command(flatten)]
    who: Who,
}

impl Deliver {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let (run, destination) = (plain(&self.run)?, self.destination);
        let path = format!("{FACTORY}/executions/{run}/destinations/{destination}/retry");
        self.who.door(place).await?.post(&path, &json!({})).await?;
        console.line(format!("asked; `countersign show {run}` says what comes of it"));
        Ok(())
    }
}
