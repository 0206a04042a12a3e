//! `countersign model-list`: the models that agents may choose, with prices and budgets, through the administrators' door.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use countersign_model_list as list;

use super::{Caller, one};
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

const PATH: &str = "/api/admin/model-list";

#[derive(Debug, Args)]
pub(crate) struct ModelList {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    caller: Caller,
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
        let session = self.caller.administrator(place, console).await?;
        let door = &session.door;
        let answer = match &self.command {
            Command::Show => door.get(PATH).await?,
            Command::Set { file } => {
                // What is wrong with it is said where it stands in the file, before anything is sent.
                let mut list = one::read::<list::ModelList>(file)?;
                list["version"] = door.get(PATH).await?["version"].clone();
                door.put(PATH, &list).await?
            }
        };
        session.say(&answer);
        Ok(())
    }
}
