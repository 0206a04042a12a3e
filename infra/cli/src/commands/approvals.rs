//! `countersign approvals`.

use clap::Args;

use super::listed::List;
use super::{Caller, FACTORY, approval_text, pretty};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

const REQUESTS: List = List {
    fields: &["approval", "kind", "status", "run", "deadline", "title"],
    titles: &["APPROVAL", "KIND", "STATUS", "RUN", "DEADLINE", "ABOUT"],
};

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
    #[command(flatten)]
    caller: Caller,
}

impl Approvals {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let door = self.caller.who.door(place).await?;
        if let Some(id) = &self.approval {
            let request = door.get(&format!("{FACTORY}/approvals/{id}")).await?;
            if self.caller.json {
                console.line(pretty(&request));
            } else {
                approval_text::lines(&request).iter().for_each(|line| console.line(line));
            }
            return Ok(());
        }
        let role = if self.mine { "owner" } else { "approver" };
        let status = if self.closed { "closed" } else { "pending" };
        let path = format!("{FACTORY}/approvals?role={role}&status={status}");
        REQUESTS.show(&door, &path, self.caller.json, console).await
    }
}
