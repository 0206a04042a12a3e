//! `countersign bench`: figures, each with its unit, the same figure of a peer, and the goal.

mod agents;
mod build;
mod cold_start;
mod connectors;
mod day;
mod effects;
mod kills;
mod langgraph;
mod monitors;
mod own_stack;
mod requests;
mod run;
mod server;
mod tested;

use clap::{Args, Subcommand};
use serde::Serialize;

use super::pretty;
use crate::console::Console;
use crate::error::CliError;
use crate::stack::Place;

#[derive(Debug, Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    command: Command,
    /// Print JSON: rows of figure, value, unit, peer, goal, holds.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// A graph of ten steps of models with twenty calls of tools, beside LangGraph; how soon an answer is seen.
    Agents(agents::Agents),
    /// Process start to the first request for an event, and peak memory, per function and for two Python processes.
    ColdStart(cold_start::ColdStart),
    /// Building the functions from nothing, and after touching the lowest store.
    Build(build::Build),
    /// State transitions, requests and invocations of a run of ten steps; its processor time and memory beside LangGraph.
    Run(run::Run),
    /// Files mapped to records, in speed and peak memory, beside Python with lxml, orjson and csv, and beside polars.
    Connectors(connectors::Connectors),
    /// A simulated day of schedules and monitors: lost, doubled and late ticks, each due time once, each item once.
    Day(day::Simulation),
    /// Requests as they are shown to those who sign, beside what a server receives of them, byte for byte.
    Effects(effects::Effects),
    /// The local stack killed within 50 ms of acknowledged writes; everything acknowledged must be there afterwards.
    Kills(kills::Kills),
    /// Requests, invocations, transitions and processor time of looks that find nothing; their cost beside whole runs.
    Monitors(monitors::Monitors),
    /// Requests drawn from the OpenAPI document of the running local stack, right ones and wrong ones; no answer may be undocumented.
    Requests(requests::Requests),
    /// What the write log of the local stack costs a run, in pairs of runs with it and without.
    WriteLog(run::WriteLog),
    #[command(hide = true)]
    MapFile(connectors::MapFile),
}

/// What a benchmark measured, or why it could not.
type Figures = Result<Vec<Figure>, CliError>;

/// One row of a benchmark.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Figure {
    figure: String,
    value: f64,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    peer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    holds: Option<bool>,
    /// Whether the goal is the least, not the most.
    #[serde(skip)]
    least: bool,
}

impl Figure {
    /// A figure that should be at most `goal`.
    fn at_most(figure: impl Into<String>, value: f64, unit: &'static str, goal: f64) -> Self {
        Self { goal: Some(goal), holds: Some(value <= goal), ..Self::plain(figure, value, unit) }
    }

    /// A figure that should be at least `goal`.
    fn at_least(figure: impl Into<String>, value: f64, unit: &'static str, goal: f64) -> Self {
        Self { holds: Some(value >= goal), least: true, ..Self::at_most(figure, value, unit, goal) }
    }

    /// A figure without a goal.
    fn plain(figure: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self {
            figure: figure.into(),
            value: (value * 100.0).round() / 100.0,
            unit,
            peer: None,
            goal: None,
            holds: None,
            least: false,
        }
    }
}

impl Bench {
    pub(crate) async fn run(&self, place: &Place, console: &Console) -> Result<(), CliError> {
        let figures = match &self.command {
            Command::Agents(command) => command.figures(place, console).await?,
            Command::ColdStart(command) => command.figures(place, console).await?,
            Command::Build(command) => command.figures(place, console).await?,
            Command::Run(command) => command.figures(place, console).await?,
            Command::Connectors(command) => command.figures(place, console).await?,
            Command::Day(command) => command.figures(console).await?,
            Command::Effects(command) => command.figures(place, console).await?,
            Command::Kills(command) => command.figures(place, console).await?,
            Command::Monitors(command) => command.figures(place, console).await?,
            Command::Requests(command) => command.figures(place, console).await?,
            Command::WriteLog(command) => command.figures(place, console).await?,
            Command::MapFile(command) => return command.run(console),
        };
        if self.json {
            console.line(pretty(&serde_json::to_value(&figures).unwrap_or_default()));
        } else {
            let or_dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
            let row = |row: &Figure| {
                let holds = row.holds.map(|holds| if holds { "yes" } else { "no" }.to_owned());
                let goal =
                    row.goal.map(|goal| format!("{} {goal}", if row.least { "≥" } else { "≤" }));
                vec![
                    row.figure.clone(),
                    row.value.to_string(),
                    row.unit.to_owned(),
                    or_dash(row.peer.clone()),
                    or_dash(goal),
                    or_dash(holds),
                ]
            };
            console.table(
                &["FIGURE", "VALUE", "UNIT", "PEER", "GOAL", "HOLDS"],
                &figures.iter().map(row).collect::<Vec<_>>(),
            );
        }
        let missed = figures.iter().filter(|figure| figure.holds == Some(false)).count();
        if missed == 0 {
            Ok(())
        } else {
            Err(CliError::Found(format!("{missed} figures miss their goal")))
        }
    }
}
