//! `countersign floor`: the least the deployment asks of every approval, through the administrators' door.

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Map, Value, json};

use super::Caller;
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

const PATH: &str = "/api/admin/approval-floor";

#[derive(Debug, Args)]
pub(crate) struct Floor {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    caller: Caller,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the floor, who set it, and those before it.
    Show,
    /// Change what is named and leave the rest as it is; `--clear` takes something back.
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
    /// Ask for this no more than each gate does. May be repeated; `all` clears the whole floor.
    #[arg(long, value_enum, value_name = "FIELD")]
    clear: Vec<Field>,
}

/// What a floor asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Field {
    MinQuorum,
    MaxDenials,
    Assurance,
    IrreversibleAssurance,
    Doors,
    RequesterNeverDecides,
    All,
}

impl Field {
    /// Its name at the door; none of everything.
    fn name(self) -> Option<String> {
        let written = self.to_possible_value().filter(|_| self != Self::All)?;
        Some(written.get_name().replace('-', "_"))
    }
}

impl Floor {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let session = self.caller.administrator(place, console).await?;
        let door = &session.door;
        let answer = match &self.command {
            Command::Show => door.get(PATH).await?,
            Command::Set(set) => {
                set.says_something()?;
                let seen = door.get(PATH).await?;
                door.put(PATH, &set.body(&seen)?).await?
            }
        };
        session.say(&answer);
        Ok(())
    }
}

impl Set {
    fn says_something(&self) -> Result<(), CliError> {
        if self.named().is_empty() && self.clear.is_empty() {
            let says = "name what the floor is to ask for, such as `--min-quorum 2`, or `--clear all` to ask for nothing";
            return Err(CliError::Argument(says.to_owned()));
        }
        Ok(())
    }

    /// The floor that was seen, with what is named in place of what was there.
    fn body(&self, seen: &Value) -> Result<Value, CliError> {
        let mut body = self.kept(&seen["policy"])?;
        let named = self.named();
        for field in self.clear.iter().filter_map(|field| field.name()) {
            if named.contains_key(&field) {
                return Err(CliError::Argument(format!("`{field}` is both named and cleared")));
            }
            body.shift_remove(&field);
        }
        let asked = |of: &Map<String, Value>, name: &str| of.get(name).map(rank);
        // The door takes the new one for both then.
        if asked(&body, "irreversible_assurance") < asked(&named, "assurance") {
            body.shift_remove("irreversible_assurance");
        }
        body.extend(named);
        body.insert("version".to_owned(), seen["version"].clone());
        Ok(Value::Object(body))
    }

    /// What stays as it is.
    fn kept(&self, policy: &Value) -> Result<Map<String, Value>, CliError> {
        if self.clear.contains(&Field::All) {
            return Ok(Map::new());
        }
        let Some(policy) = policy.as_object() else {
            let says = "the floor that is set cannot be read, so that nothing of it can be kept; say everything it is to ask for, with `--clear all`";
            return Err(CliError::Found(says.to_owned()));
        };
        let said = policy.iter().filter(|(_, value)| !value.is_null());
        Ok(said.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    fn named(&self) -> Map<String, Value> {
        let doors = (!self.doors.is_empty()).then(|| json!(self.doors));
        let never = self.requester_never_decides.then_some(Value::Bool(true));
        let all = [
            (Field::MinQuorum, self.min_quorum.map(Value::from)),
            (Field::MaxDenials, self.max_denials.map(Value::from)),
            (Field::Assurance, self.assurance.clone().map(Value::from)),
            (Field::IrreversibleAssurance, self.irreversible_assurance.clone().map(Value::from)),
            (Field::Doors, doors),
            (Field::RequesterNeverDecides, never),
        ];
        let said = |(field, value): (Field, Option<Value>)| Some((field.name()?, value?));
        all.into_iter().filter_map(said).collect()
    }
}

/// How sure an assurance is; one that is not known is left to the door.
fn rank(assurance: &Value) -> Option<usize> {
    ["link", "link_code", "signed_in"].iter().position(|one| assurance == one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(set: &Set, policy: &Value, expect: &Value) {
        let body = set.body(&json!({ "policy": policy, "version": 4 })).unwrap();
        let mut expect = expect.clone();
        expect["version"] = json!(4);
        assert_eq!(body, expect);
    }

    #[test]
    fn only_what_is_named_is_changed() {
        let quorum = json!({ "min_quorum": 2, "max_denials": null, "doors": ["rest"] });
        let set = Set { assurance: Some("link_code".to_owned()), ..Set::default() };
        let expect = json!({ "min_quorum": 2, "doors": ["rest"], "assurance": "link_code" });
        check(&set, &quorum, &expect);
        let set = Set { requester_never_decides: true, min_quorum: Some(1), ..Set::default() };
        let expect = json!({ "min_quorum": 1, "doors": ["rest"], "requester_never_decides": true });
        check(&set, &quorum, &expect);
    }

    #[test]
    fn what_is_asked_of_the_irreversible_is_never_less() {
        let policy = json!({ "assurance": "link", "irreversible_assurance": "link_code" });
        let set = |word: &str| Set { assurance: Some(word.to_owned()), ..Set::default() };
        check(&set("signed_in"), &policy, &json!({ "assurance": "signed_in" }));
        let both = json!({ "assurance": "link_code", "irreversible_assurance": "link_code" });
        check(&set("link_code"), &policy, &both);
    }

    #[test]
    fn what_is_taken_back_is_named() {
        let policy = json!({ "min_quorum": 2, "assurance": "link" });
        let clear = |clear: Field| Set { clear: vec![clear], ..Set::default() };
        check(&clear(Field::MinQuorum), &policy, &json!({ "assurance": "link" }));
        let anew = Set { max_denials: Some(1), ..clear(Field::All) };
        check(&anew, &policy, &json!({ "max_denials": 1 }));
        check(&anew, &json!("{\"min_qorum\":2}"), &json!({ "max_denials": 1 }));
        assert!(Set::default().says_something().is_err());
        assert!(clear(Field::All).says_something().is_ok());
        let both = Set { min_quorum: Some(1), ..clear(Field::MinQuorum) };
        assert!(both.body(&json!({ "policy": policy, "version": 1 })).is_err());
        let unread = Set { min_quorum: Some(1), ..Set::default() };
        assert!(unread.body(&json!({ "policy": "{", "version": 1 })).is_err());
    }
}
