//! `countersign todos`: what there is to do.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::listed::{narrowed, pages};
use super::one::One;
use super::session::Session;
use super::{Caller, FACTORY, row};
use crate::error::CliError;

const KIND: &str = "todos";
const TITLES: [&str; 7] = ["TO-DO", "STATE", "PRIORITY", "DEADLINE", "TITLE", "TAGS", "LIST"];

#[derive(Debug, Args)]
pub(crate) struct Todos {
    #[command(subcommand)]
    what: Option<What>,
    /// Only those in one state: TODO, NEXT, WAITING, DONE, all.
    #[arg(long, value_name = "STATE")]
    in_state: Option<String>,
    /// Only those with this tag.
    #[arg(long)]
    tag: Option<String>,
    /// Only those with a deadline before this day, such as 2026-12-01.
    #[arg(long, value_name = "DAY")]
    deadline_before: Option<String>,
    /// Only those of this list, such as todos.org.
    #[arg(long, value_name = "LIST")]
    file: Option<String>,
    /// Only those with all of these words.
    #[arg(long, value_name = "WORDS")]
    search: Option<String>,
    /// At most so many, 1 to 100.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
    #[command(flatten)]
    pub(super) caller: Caller,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Show one.
    Show(One),
    /// Tick one off.
    Done(One),
}

impl Todos {
    pub(crate) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let door = &session.door;
        match &self.what {
            None => {
                let page = pages(door, &self.address()?, Some(self.limit)).await?;
                let fields = ["id", "state", "priority", "deadline", "title", "tags", "file"];
                session.table(&page, &TITLES, |todo| row(todo, &fields));
            }
            Some(What::Show(one)) => {
                session.say(&door.get(&one.path(KIND, "")?).await?);
            }
            Some(What::Done(one)) => {
                let done = door.patch(&one.path(KIND, "")?, &json!({ "state": "DONE" })).await?;
                session.outcome(&done, |done: &Value| row(done, &["state", "title"]).join(" "));
            }
        }
        Ok(())
    }

    fn address(&self) -> Result<String, CliError> {
        let filters = [
            ("state", self.in_state.clone()),
            ("tag", self.tag.clone()),
            ("deadline_before", self.deadline_before.clone()),
            ("file", self.file.clone()),
            ("q", self.search.clone()),
        ];
        narrowed(&format!("{FACTORY}/{KIND}"), &filters)
    }
}
