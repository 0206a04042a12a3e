//! `countersign runs`.

mod calls;
mod deliver;
mod model_calls;
mod repeat;
mod replay;

use clap::{Args, Subcommand};
use countersign_run::STATUSES_OF_RUNS;
use serde_json::{Value, json};

use super::listed::pages;
use super::one::plain;
use super::{FACTORY, Who, items, pretty, row, text};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;
use crate::stack::Place;

const TITLES: [&str; 6] = ["RUN", "STATUS", "AGENT", "STARTED", "FINISHED", ""];

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Runs {
    #[command(subcommand)]
    what: Option<What>,
    /// At most so many, 1 to 1000.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// Only those that stand so.
    #[arg(long, value_parser = STATUSES_OF_RUNS)]
    status: Option<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Start a run that does what a finished one left: nothing that was sent is sent again.
    Repeat(repeat::Repeat),
    /// Carry a finished run out once more with what its models and sources answered then: nothing is asked, and nothing sent. Fails when
    /// a step would be asked or given something else, or is gone.
    Replay(replay::Replay),
    /// Write a result of a finished run that could not be written: to one destination, once.
    Deliver(deliver::Deliver),
    /// List the calls of a step that makes one for each item of a list.
    Calls(calls::Calls),
    /// List the turns of a run with models of a provider: tokens, cost, requests, time; with `--json` the hashes too.
    ModelCalls(model_calls::ModelCalls),
}

impl Runs {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        match &self.what {
            Some(What::Repeat(command)) => command.run(place, console).await,
            Some(What::Replay(command)) => command.run(place, console).await,
            Some(What::Deliver(command)) => command.run(place, console).await,
            Some(What::Calls(command)) => command.run(place, console).await,
            Some(What::ModelCalls(command)) => command.run(place, console).await,
            None => self.list(place, console).await,
        }
    }

    fn address(&self) -> String {
        let status = self.status.as_ref().map(|status| format!("?status={status}"));
        format!("{FACTORY}/executions{}", status.unwrap_or_default())
    }

    async fn list(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let session = self.who.session(place, self.json, console).await?;
        let page = pages(&session.door, &self.address(), Some(self.limit)).await?;
        session.table(&page, &TITLES, |run| {
            let mut told = row(run, &["id", "status", "profile_name", "started_at", "finished_at"]);
            told.push(text(run, "dry_run").map_or(String::new(), |_| "test".to_owned()));
            told
        });
        Ok(())
    }
}

/// Starts a run that follows from a finished one, `how` the address says: what was answered, and the id of the new one.
async fn started(door: &Door, run: &str, how: &str) -> Result<(Value, String), CliError> {
    let path = format!("{FACTORY}/executions/{}/{how}", plain(run)?);
    let started = door.post(&path, &json!({})).await?;
    let message = || format!("the {how} was accepted without an id: {}", pretty(&started));
    let id = text(&started, "id").ok_or_else(|| CliError::Found(message()))?;
    Ok((started, id))
}

/// The items of every page; the address has its `limit`.
async fn all_pages(door: &Door, path: &str) -> Result<Vec<Value>, CliError> {
    let mut page = door.get(path).await?;
    let mut all = items(&page).to_vec();
    while let Some(next) = text(&page, "next") {
        page = door.get(&format!("{path}&cursor={next}")).await?;
        all.extend_from_slice(items(&page));
    }
    Ok(all)
}
