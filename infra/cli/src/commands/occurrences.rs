//! `countersign occurrences`: what ran, or did not, without a person who asked.

use clap::Args;
use serde_json::Value;

use super::listed::{narrowed, pages};
use super::session::Session;
use super::{Caller, FACTORY, row};
use crate::error::CliError;

const TITLES: [&str; 7] = ["DUE", "STATE", "STATUS", "BY", "NAME", "SOURCE", "RUN OR REASON"];

#[derive(Debug, Args)]
pub(crate) struct Occurrences {
    /// Only those of the schedule, monitor or trigger with this id.
    source_id: Option<String>,
    /// Only those of one kind of source: schedule, monitor, trigger.
    #[arg(long)]
    source: Option<String>,
    /// Only those in one state: due, queued, started, skipped, missed, finished.
    #[arg(long, value_name = "STATE")]
    in_state: Option<String>,
    /// Only those of this agent, `prof_…`.
    #[arg(long, value_name = "PROF_ID")]
    profile: Option<String>,
    /// Only those that were due at this time or later, such as 2026-11-24T06:00:00Z.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only those that were due before this time.
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// At most so many, 1 to 1000.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    #[command(flatten)]
    pub(super) caller: Caller,
}

impl Occurrences {
    pub(crate) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let page = pages(&session.door, &self.address()?, Some(self.limit)).await?;
        session.table(&page, &TITLES, line);
        Ok(())
    }

    fn address(&self) -> Result<String, CliError> {
        let filters = [
            ("source_id", self.source_id.clone()),
            ("source", self.source.clone()),
            ("state", self.in_state.clone()),
            ("profile", self.profile.clone()),
            ("since", self.since.clone()),
            ("until", self.until.clone()),
        ];
        narrowed(&format!("{FACTORY}/occurrences"), &filters)
    }
}

/// The reason where there is one, else the last run.
fn line(one: &Value) -> Vec<String> {
    let mut row = row(one, &["due_at", "state", "status", "source", "name", "source_id"]);
    let run = || one["runs"].as_array().and_then(|runs| runs.last()).cloned();
    let reason = one["reason"].get("code").cloned();
    let said = reason.or_else(run).unwrap_or_default();
    row.push(said.as_str().unwrap_or_default().to_owned());
    row
}
