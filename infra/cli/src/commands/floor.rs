//! `countersign floor`: the least the deployment asks of every approval, through the administrators' door.

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::{Who, pretty};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

const PATH: &str = "/api/admin/approval-floor";

#[derive(Debug, Args)]
pub(crate) struct Floor {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    who: Who,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the floor, who set it, and those before it.
    Show,
    /// Replace the floor: what is left out asks for nothing more than each gate does.
    Set(Set),
}

#[derive(Debug, Default, Args)]
struct Set {
    /// At least so many signatures.
    #[arg(long, value_name = "COUNT")]
    min_quorum: Option<u32>,
    /// At most so many denials close a request.
    #[arg(long, value_name = "COUNT")]
    max_denials: Option<u32>,
    /// `link`, `link_code` or `signed_in`.
    #[arg(long)]
    assurance: Option<String>,
    /// The same for what cannot be taken back.
    #[arg(long, value_name = "ASSURANCE")]
    irreversible_assurance: Option<String>,
    /// Only these doors: `mail`, `console`, `rest`, `webhook`. May be repeated.
    #[arg(long = "door", value_name = "DOOR")]
    doors: Vec<String>,
    /// Whoever started a run, owns its agent or edited its playbook never decides.
    #[arg(long)]
    requester_never_decides: bool,
}

impl Floor {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let door = self.who.administrator(place).await?;
        let answer = match &self.command {
            Command::Show => door.get(PATH).await?,
            Command::Set(set) => {
                let seen = door.get(PATH).await?;
                door.put(PATH, &set.body(&seen["version"])).await?
            }
        };
        console.line(pretty(&answer));
        Ok(())
    }
}

impl Set {
    fn body(&self, version: &Value) -> Value {
        let mut body = Map::from_iter([("version".to_owned(), version.clone())]);
        let mut say = |name: &str, value: Option<Value>| {
            body.extend(value.map(|value| (name.to_owned(), value)));
        };
        say("min_quorum", self.min_quorum.map(Value::from));
        say("max_denials", self.max_denials.map(Value::from));
        say("assurance", self.assurance.clone().map(Value::from));
        say("irreversible_assurance", self.irreversible_assurance.clone().map(Value::from));
        say("doors", (!self.doors.is_empty()).then(|| json!(self.doors)));
        say("requester_never_decides", self.requester_never_decides.then_some(Value::Bool(true)));
        Value::Object(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_given_is_asked_for() {
        assert_eq!(Set::default().body(&json!(0)), json!({ "version": 0 }));
        let set = Set {
            min_quorum: Some(2),
            doors: vec!["rest".to_owned()],
            requester_never_decides: true,
            ..Set::default()
        };
        let expect = json!({ "version": 4, "min_quorum": 2, "doors": ["rest"], "requester_never_decides": true });
        assert_eq!(set.body(&json!(4)), expect);
    }
}
