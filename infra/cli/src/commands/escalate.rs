//! `countersign escalate`: those whom a gate names for later are asked now.

use clap::Args;
use serde_json::{Value, json};

use super::listed::outcome;
use super::{Caller, FACTORY, items};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Escalate {
    /// The approval.
    approval: String,
    #[command(flatten)]
    caller: Caller,
}

impl Escalate {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let door = self.caller.who.door(place).await?;
        let path = format!("{FACTORY}/approvals/{}/escalate", self.approval);
        outcome(&door.post(&path, &json!({})).await?, self.caller.json, console, told);
        Ok(())
    }
}

fn told(answer: &Value) -> String {
    let asked: Vec<&str> =
        answer.get("asked").map_or(&[][..], items).iter().filter_map(Value::as_str).collect();
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
