//! `countersign occurrences`.

use clap::Args;

use super::{FACTORY, Who, items, pretty, row};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Occurrences {
    /// Only those of this schedule or trigger.
    source: Option<String>,
    /// At most so many, 1 to 100.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

impl Occurrences {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let door = self.who.door(place).await?;
        let path = match &self.source {
            Some(id) if id.starts_with("trig_") => format!("{FACTORY}/triggers/{id}/occurrences"),
            Some(id) => format!("{FACTORY}/schedules/{id}/occurrences"),
            None => format!("{FACTORY}/occurrences"),
        };
        let page = door.get(&format!("{path}?limit={}", self.limit)).await?;
        if self.json {
            console.line(pretty(&page));
            return Ok(());
        }
        let columns = ["due_at", "state", "status", "name", "source_id"];
        let with_run = |one: &serde_json::Value| {
            let mut row = row(one, &columns);
            let runs = one["runs"].as_array().and_then(|runs| runs.last()).cloned();
            let told = runs.or_else(|| one["reason"].get("code").cloned()).unwrap_or_default();
            row.push(told.as_str().unwrap_or_default().to_owned());
            row
        };
        let rows: Vec<Vec<String>> = items(&page).iter().map(with_run).collect();
        console.table(&["DUE", "STATE", "STATUS", "NAME", "SOURCE", "RUN OR REASON"], &rows);
        Ok(())
    }
}
