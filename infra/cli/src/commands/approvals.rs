//! `countersign approvals`.

use clap::Args;

use super::listed::List;
use super::one::plain;
use super::session::Session;
use super::{Caller, FACTORY, approval_text};
use crate::error::CliError;

const REQUESTS: List = List {
    fields: &["approval", "kind", "status", "run", "deadline", "title"],
    titles: &["APPROVAL", "KIND", "STATUS", "RUN", "DEADLINE", "ABOUT"],
};

const ROUNDS: List = List {
    fields: &[
        "round",
        "approval",
        "status",
        "closed.at",
        "closed.by.username",
        "closed.revision.instructions",
    ],
    titles: &["ROUND", "APPROVAL", "STATUS", "CLOSED", "BY", "CHANGES"],
};

#[derive(Debug, Args)]
pub(crate) struct Approvals {
    /// Show this one with everything it sends and its digest.
    approval: Option<String>,
    /// What my runs wait for, instead of what I may decide.
    #[arg(long, conflicts_with = "approval")]
    mine: bool,
    /// What has been closed, instead of what waits.
    #[arg(long, conflicts_with = "approval")]
    closed: bool,
    /// Show what was asked at the same step before this one, and which changes were asked for then.
    #[arg(long, requires = "approval")]
    rounds: bool,
    #[command(flatten)]
    pub(super) caller: Caller,
}

impl Approvals {
    pub(crate) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        if let Some(id) = &self.approval {
            let path = format!("{FACTORY}/approvals/{}", plain(id)?);
            if self.rounds {
                return ROUNDS.show(session, &format!("{path}/rounds")).await;
            }
            let request = session.door.get(&path).await?;
            session.tell(&request, |request| approval_text::shown(request, session.console));
            return Ok(());
        }
        let role = if self.mine { "owner" } else { "approver" };
        let status = if self.closed { "closed" } else { "pending" };
        let path = format!("{FACTORY}/approvals?role={role}&status={status}");
        REQUESTS.show(session, &path).await
    }
}
