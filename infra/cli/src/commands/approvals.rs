//! `countersign approvals`.

use clap::Args;

use super::{FACTORY, Who, approval_text, items, pretty, row};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Approvals {
    /// Show this one with everything it sends and its digest.
    approval: Option<String>,
    /// What my runs wait for, instead of what I may decide.
    #[arg(long)]
    mine: bool,
    /// What has been closed, instead of what waits.
    #[arg(long)]
    closed: bool,
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
            let request = door.get(&format!("{FACTORY}/approvals/{id}")).await?;
            if self.json {
                console.line(pretty(&request));
            } else {
                approval_text::lines(&request).iter().for_each(|line| console.line(line));
            }
            return Ok(());
        }
        let role = if self.mine { "owner" } else { "approver" };
        let status = if self.closed { "closed" } else { "pending" };
        let page = door.get(&format!("{FACTORY}/approvals?role={role}&status={status}")).await?;
        if self.json {
            console.line(pretty(&page));
            return Ok(());
        }
        let rows: Vec<Vec<String>> = items(&page)
            .iter()
            .map(|request| {
                row(request, &["approval", "kind", "status", "run", "deadline", "title"])
            })
            .collect();
        console.table(&["APPROVAL", "KIND", "STATUS", "RUN", "DEADLINE", "ABOUT"], &rows);
        Ok(())
    }
}
