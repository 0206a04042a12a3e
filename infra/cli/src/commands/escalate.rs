//! `countersign escalate`: those whom a gate names for later are asked now.

use clap::Args;
use serde_json::{Value, json};

use super::one::plain;
use super::session::Session;
use super::{Caller, FACTORY, field_items};
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Escalate {
    /// The approval.
    approval: String,
    #[command(flatten)]
    pub(super) caller: Caller,
}

impl Escalate {
    pub(crate) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let path = format!("{FACTORY}/approvals/{}/escalate", plain(&self.approval)?);
        session.outcome(&session.door.post(&path, &json!({})).await?, told);
        Ok(())
    }
}

fn told(answer: &Value) -> String {
    let asked: Vec<&str> = field_items(answer, "asked").iter().filter_map(Value::as_str).collect();
    if asked.is_empty() {
        return "nobody: the gate names nobody in `escalation`, or all of them have decided"
            .to_owned();
    }
    format!("asked in addition: {}", asked.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_who_was_asked() {
        assert_eq!(told(&json!({ "asked": ["bo", "ada"] })), "asked in addition: bo, ada");
        assert!(told(&json!({ "asked": [] })).starts_with("nobody: "));
    }
}
