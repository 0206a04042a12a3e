//! `countersign model-list`: the models that agents may choose, with prices and budgets, through the administrators' door.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use countersign_document::{Limits, Tree};
use serde_json::Value;

use super::{Who, operator, pretty};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;
use crate::stack::Place;

const PATH: &str = "/api/admin/model-list";

#[derive(Debug, Args)]
pub(crate) struct ModelList {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    who: Who,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the list, who wrote it, and those before it.
    Show,
    /// Replace the list.
    Set {
        /// The list, as YAML or JSON.
        file: PathBuf,
    },
}

impl ModelList {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let door = self.door(place).await?;
        let answer = match &self.command {
            Command::Show => door.get(PATH).await?,
            Command::Set { file } => {
                let text = std::fs::read_to_string(file)
                    .map_err(|error| CliError::Argument(format!("{}: {error}", file.display())))?;
                let seen = door.get(PATH).await?;
                door.put(PATH, &body(&text, &seen["version"])?).await?
            }
        };
        console.line(pretty(&answer));
        Ok(())
    }

    /// The administrator who is named, or the operator of the local stack.
    async fn door(&self, place: &Place) -> Result<Door, CliError> {
        if self.who.is_named() { self.who.door(place).await } else { operator(&place.running()?) }
    }
}

fn body(text: &str, version: &Value) -> Result<Value, CliError> {
    let no_list = || CliError::Argument("the file is not a list of models".to_owned());
    let tree = Tree::parse(text, "list of models", Limits::DEFAULT).map_err(|_| no_list())?;
    let mut body = tree.value;
    let fields = body.as_object_mut().ok_or_else(no_list)?;
    fields.insert("version".to_owned(), version.clone());
    Ok(body)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_sent_with_the_version_that_was_read() {
        let sent = body("currency: USD\nmodels: [{model: openai/a}]\n", &json!(3)).unwrap();
        let expect =
            json!({ "currency": "USD", "models": [{ "model": "openai/a" }], "version": 3 });
        assert_eq!(sent, expect);
        assert!(body("[]", &json!(0)).is_err() && body("a: [", &json!(0)).is_err());
    }
}
