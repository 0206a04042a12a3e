//! `countersign runs repeat`.

use std::time::Duration;

use clap::Args;

use super::super::Who;
use super::super::run::settled;
use super::started;
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Repeat {
    /// The run: it has finished.
    run: String,
    /// Wait until the new run ends or stops at an approval.
    #[arg(long)]
    wait: bool,
    /// How long to wait, in seconds.
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    patience: u64,
    #[command(flatten)]
    who: Who,
}

impl Repeat {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let door = self.who.door(place).await?;
        let (_, id) = started(&door, &self.run, "repeat").await?;
        console.line(&id);
        if self.wait {
            console.line(settled(&door, &id, Duration::from_secs(self.patience)).await?);
        }
        Ok(())
    }
}
