//! `countersign runs calls`.

use clap::Args;
use serde_json::Value;

use super::super::one::plain;
use super::super::{FACTORY, Who, row, visible};
use super::all_pages;
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Calls {
    /// The run.
    run: String,
    /// The step.
    step: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

impl Calls {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let (run, step) = (plain(&self.run)?, named(&self.step)?);
        let path = format!("{FACTORY}/executions/{run}/calls/{step}?limit=100");
        let session = self.who.session(place, self.json, console).await?;
        let mut calls = all_pages(&session.door, &path).await?;
        if !self.json {
            calls.iter_mut().for_each(without_number);
        }
        let columns = ["n", "key", "status", "sent_at", "idempotency_key", "receipt", "message"];
        let titles = ["N", "ITEM", "STATUS", "SENT", "KEY", "RECEIPT", "MESSAGE"];
        session.table(&Value::Array(calls), &titles, |call| row(call, &columns));
        Ok(())
    }
}

/// An item that has no name of its own is known by its number, which is there already; as a key it counts from 0.
fn without_number(call: &mut Value) {
    let n = call["n"].as_u64().and_then(|n| n.checked_sub(1));
    let key = call["key"].as_str().and_then(|key| key.parse::<u64>().ok());
    if n.is_some() && key == n {
        call["key"] = Value::Null;
    }
}

/// The name of a step as a part of a path; what is not one names no other path.
fn named(step: &str) -> Result<&str, CliError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !step.is_empty() && step.bytes().all(is_plain) {
        return Ok(step);
    }
    Err(CliError::Argument(format!("`{}` is not the name of a step", visible(step))))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{named, without_number};

    #[test]
    fn an_item_without_a_name_has_one_number() {
        for (key, expect) in [("2", Value::Null), ("INV-3", json!("INV-3")), ("3", json!("3"))] {
            let mut call = json!({ "n": 3, "key": key });
            without_number(&mut call);
            assert_eq!(call, json!({ "n": 3, "key": expect }));
        }
    }

    #[test]
    fn a_step_is_named_and_no_other_path() {
        assert_eq!(named("pay-all_1").unwrap(), "pay-all_1");
        for other in ["", "a/b", "a?b", "..", "a%2fb"] {
            assert!(named(other).is_err(), "{other}");
        }
    }
}
