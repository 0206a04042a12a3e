//! `countersign approvals`.

use clap::Args;

use super::{FACTORY, Who, items, pretty, row};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Approvals {
    /// Show this one with its preview and digest.
    approval: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

impl Approvals {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let door = self.who.door(place).await?;
        if let Some(id) = &self.approval {
            console.line(pretty(&door.get(&format!("{FACTORY}/approvals/{id}")).await?));
            return Ok(());
        }
        let page = door.get(&format!("{FACTORY}/approvals")).await?;
        if self.json {
            console.line(pretty(&page));
            return Ok(());
        }
        let rows: Vec<Vec<String>> = items(&page)
            .iter()
            .map(|request| row(request, &["id", "kind", "status", "run_id", "deadline", "prompt"]))
            .collect();
        console.table(&["APPROVAL", "KIND", "STATUS", "RUN", "DEADLINE", "ASKS"], &rows);
        Ok(())
    }
}
