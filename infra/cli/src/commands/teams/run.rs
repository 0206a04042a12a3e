//! `countersign teams run`: an agent that somebody else shares, for a member.

use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::Team;
use crate::commands::listed::List;
use crate::commands::one::plain;
use crate::commands::run::{inputs, settled_at};
use crate::commands::session::Session;
use crate::commands::{response_text, text};
use crate::console::Console;
use crate::error::CliError;

const RUNS: List = List {
    fields: &["id", "agent_name", "status", "started_at", "query"],
    titles: &["RUN", "AGENT", "STATUS", "STARTED", "QUESTION"],
};

#[derive(Debug, Args)]
pub(super) struct Run {
    #[command(flatten)]
    team: Team,
    /// The agent, `prof_…`.
    agent: String,
    /// One of its skills; left out, the one that the question means.
    playbook: Option<String>,
    /// An input, `name=value`: a list or an object in JSON, any other value as it is written. May be repeated.
    #[arg(long = "input", value_name = "NAME=VALUE")]
    inputs: Vec<String>,
    /// What is asked for, in words.
    #[arg(long)]
    query: Option<String>,
    /// Wait until the run ends or waits for people.
    #[arg(long)]
    wait: bool,
    /// How long to wait, in seconds.
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    patience: u64,
}

#[derive(Debug, Args)]
pub(super) struct Runs {
    #[command(flatten)]
    team: Team,
    /// The agent, `prof_…`.
    agent: String,
    /// One of the runs, `run_…`, with its steps and its answer.
    run: Option<String>,
}

impl Run {
    pub(super) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let Session { door, as_json, console } = session;
        let mut body = json!({ "inputs": inputs(&self.inputs)? });
        for (key, said) in [("playbook", &self.playbook), ("query", &self.query)] {
            if let Some(said) = said {
                body[key] = json!(said);
            }
        }
        let all = runs(&self.team, &self.agent)?;
        let started = door.post(&all, &body).await?;
        let Some(id) = text(&started, "id") else {
            return Err(CliError::Found("the run was accepted without an id".to_owned()));
        };
        if !self.wait {
            session.outcome(&started, |_| id);
            return Ok(());
        }
        let at = format!("{all}/{id}");
        if !as_json {
            console.line(&id);
        }
        let status = settled_at(door, &at, Duration::from_secs(self.patience), |_| ()).await?;
        told(session, &door.get(&at).await?, &status);
        Ok(())
    }
}

impl Runs {
    pub(super) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let all = runs(&self.team, &self.agent)?;
        let Some(run) = &self.run else { return RUNS.show(session, &all).await };
        let run = session.door.get(&format!("{all}/{}", plain(run)?)).await?;
        told(session, &run, &text(&run, "status").unwrap_or_default());
        Ok(())
    }
}

/// A run: its status, what did not go well, and its answer; or the whole of it as JSON.
fn told(Session { as_json, console, .. }: &Session<'_>, run: &Value, status: &str) {
    if *as_json {
        return console.line(crate::commands::pretty(run));
    }
    console.line(status);
    answered(run, console);
}

/// The steps that did not do what they should, and the answer.
fn answered(run: &Value, console: &Console) {
    let steps = run["steps"].as_array().into_iter().flatten();
    for step in steps.filter(|step| step["code"].is_string()) {
        let said = ["name", "status", "code"].map(|field| text(step, field).unwrap_or_default());
        console.note(crate::commands::visible(&said.join(" ")));
    }
    response_text::lines(run).iter().for_each(|line| console.line(line));
}

fn runs(team: &Team, agent: &str) -> Result<String, CliError> {
    team.path(&format!("/agents/{}/executions", plain(agent)?))
}
