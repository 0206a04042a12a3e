//! `countersign schedules`.

use clap::Args;

use super::{FACTORY, Who, items, pretty, row};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Schedules {
    /// Show this one with its next due times.
    schedule: Option<String>,
    /// Ask its question now.
    #[arg(long, requires = "schedule")]
    run_now: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

impl Schedules {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let door = self.who.door(place).await?;
        if let Some(id) = &self.schedule {
            let path = format!("{FACTORY}/schedules/{id}");
            let shown = if self.run_now {
                door.post(&format!("{path}/run-now"), &serde_json::json!({})).await?
            } else {
                door.get(&path).await?
            };
            console.line(pretty(&shown));
            return Ok(());
        }
        let page = door.get(&format!("{FACTORY}/schedules")).await?;
        if self.json {
            console.line(pretty(&page));
            return Ok(());
        }
        let columns = ["id", "is_enabled", "cron_expression", "timezone", "name"];
        let rows: Vec<Vec<String>> = items(&page).iter().map(|one| row(one, &columns)).collect();
        console.table(&["SCHEDULE", "ENABLED", "WHEN", "ZONE", "NAME"], &rows);
        Ok(())
    }
}
