//! `countersign runs`.

use clap::Args;

use super::{FACTORY, Who, items, pretty, row};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Runs {
    /// Only runs of this status.
    #[arg(long)]
    status: Option<String>,
    /// At most so many.
    #[arg(long, default_value_t = 20)]
    limit: u32,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

impl Runs {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let filter =
            self.status.as_ref().map(|status| format!("&status={status}")).unwrap_or_default();
        let page = self
            .who
            .door(place)
            .await?
            .get(&format!("{FACTORY}/executions?limit={}{filter}", self.limit))
            .await?;
        if self.json {
            console.line(pretty(&page));
            return Ok(());
        }
        let rows: Vec<Vec<String>> = items(&page)
            .iter()
            .map(|run| row(run, &["id", "status", "profile_id", "started_at"]))
            .collect();
        console.table(&["RUN", "STATUS", "PROFILE", "STARTED"], &rows);
        Ok(())
    }
}
