//! `countersign schedules`: what agents are asked by the clock.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use countersign_schedule::ScheduleSpec;
use serde_json::{Value, json};

use super::listed::List;
use super::one::{One, all, read};
use super::session::Session;
use super::{Caller, FACTORY};
use crate::door::Door;
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Schedules {
    #[command(subcommand)]
    what: Option<What>,
    /// Only those that the clock starts, or only the others: true or false.
    #[arg(long, value_name = "BOOL")]
    enabled: Option<bool>,
    /// Only those of this agent, `prof_…`.
    #[arg(long, value_name = "PROF_ID")]
    profile: Option<String>,
    #[command(flatten)]
    pub(super) caller: Caller,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Make a schedule of a file, YAML or JSON, such as one of library/schedules.
    Create {
        /// The file.
        file: PathBuf,
        /// The agent, instead of the one that the file names.
        #[arg(long, value_name = "PROF_ID")]
        profile: Option<String>,
    },
    /// Show one with its next due times.
    Show(One),
    /// Ask its question now.
    RunNow(One),
    /// Let the clock start it.
    Enable(One),
    /// Let the clock leave it alone.
    Disable(One),
    /// Remove it; its runs stay, and `countersign occurrences` lists what it was due.
    Remove(One),
}

impl Schedules {
    pub(crate) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let Some(what) = &self.what else {
            let path = all("schedules", ("is_enabled", self.enabled), self.profile.as_ref())?;
            return SCHEDULES.show(session, &path).await;
        };
        session.say(&what.done(&session.door).await?);
        Ok(())
    }
}

impl What {
    async fn done(&self, door: &Door) -> Result<Value, CliError> {
        let path = |one: &One, below: &str| one.path("schedules", below);
        match self {
            Self::Create { file, profile } => {
                let mut written = read::<ScheduleSpec>(file)?;
                if let Some(profile) = profile {
                    written["profile_id"] = json!(profile);
                }
                door.post(&format!("{FACTORY}/schedules"), &written).await
            }
            Self::Show(one) => door.get(&path(one, "")?).await,
            Self::RunNow(one) => one.post(door, "schedules", "/run-now").await,
            Self::Enable(one) => door.patch(&path(one, "")?, &json!({ "is_enabled": true })).await,
            Self::Disable(one) => {
                door.patch(&path(one, "")?, &json!({ "is_enabled": false })).await
            }
            Self::Remove(one) => one.remove(door, "schedules").await,
        }
    }
}

const SCHEDULES: List = List {
    fields: &[
        "id",
        "is_enabled",
        "cron_expression",
        "timezone",
        "next_run_at",
        "last_run_at",
        "last_run_status",
        "name",
    ],
    titles: &["SCHEDULE", "ENABLED", "WHEN", "ZONE", "NEXT", "LAST", "ENDED AS", "NAME"],
};
