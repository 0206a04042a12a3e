//! `countersign show`.

use clap::Args;
use serde_json::Value;

use super::{FACTORY, Who, items, pretty, row};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The run.
    run: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

impl Show {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let door = self.who.door(place).await?;
        let run = door.get(&format!("{FACTORY}/executions/{}", self.run)).await?;
        if self.json {
            console.line(pretty(&run));
            return Ok(());
        }
        for (name, value) in run
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(_, value)| !value.is_array() && !value.is_object() && !is_blank(value))
        {
            console.line(format!(
                "{name:<16} {}",
                value.as_str().map_or_else(|| value.to_string(), str::to_owned)
            ));
        }
        if let Some(why) = run.pointer("/stop/message").filter(|why| !is_blank(why)) {
            console.line(format!("{:<16} {}", "stopped", why.as_str().unwrap_or_default()));
        }
        if let Some(steps) = run.get("steps") {
            let rows: Vec<Vec<String>> = items(steps)
                .iter()
                .map(|step| {
                    row(step, &["name", "status", "count", "took_ms", "approval_id", "message"])
                })
                .collect();
            console.line("");
            console.table(&["STEP", "STATUS", "RECORDS", "MS", "APPROVAL", "MESSAGE"], &rows);
        }
        let events = door.get(&format!("{FACTORY}/executions/{}/events", self.run)).await?;
        let rows: Vec<Vec<String>> = items(&events)
            .iter()
            .map(|event| row(event, &["at", "kind", "step", "attempt"]))
            .collect();
        console.line("");
        console.table(&["AT", "EVENT", "STEP", "ATTEMPT"], &rows);
        Ok(())
    }
}

fn is_blank(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}
