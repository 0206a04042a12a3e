//! `countersign revise`: has what is asked for rewritten, with instructions, before anybody signs.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::decide::seen;
use super::one::plain;
use super::session::Session;
use super::{Caller, FACTORY, text};
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Revise {
    /// The approval.
    approval: String,
    /// What is to be changed: the model that wrote it is told so.
    #[arg(long)]
    instructions: String,
    /// Whether that is done in addition to what was asked, or instead of it.
    #[arg(long, value_enum)]
    mode: Mode,
    /// The digest you have seen. Without it what waits is shown first, and you are asked.
    #[arg(long)]
    digest: Option<String>,
    #[command(flatten)]
    pub(super) caller: Caller,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Mode {
    /// Both are done.
    Enhance,
    /// The instructions replace what was asked.
    Override,
}

impl Revise {
    pub(crate) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let path = format!("{FACTORY}/approvals/{}", plain(&self.approval)?);
        let digest = seen(self.digest.as_deref(), session, &path, "revise").await?;
        let mode = match self.mode {
            Mode::Enhance => "enhance",
            Mode::Override => "override",
        };
        let body = json!({ "digest": digest, "mode": mode, "instructions": self.instructions });
        let answer = session.door.post(&format!("{path}/revise"), &body).await?;
        session.outcome(&answer, told);
        Ok(())
    }
}

fn told(answer: &Value) -> String {
    let receipt = text(answer, "receipt").unwrap_or_default();
    format!(
        "changes are asked for; receipt {receipt}\nthe approvers are asked again when it is rewritten: `countersign approvals` shows that"
    )
}
