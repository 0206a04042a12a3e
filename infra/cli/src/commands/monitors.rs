//! `countersign monitors`: what agents look at by themselves, and what they found.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use countersign_monitor::MonitorSpec;
use serde_json::{Value, json};

use super::listed::{List, narrowed};
use super::one::{One, all, read};
use super::session::Session;
use super::{Caller, FACTORY, visible};
use crate::door::Door;
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct Monitors {
    #[command(subcommand)]
    what: Option<What>,
    /// Only those that look, or only those that are paused: true or false.
    #[arg(long, value_name = "BOOL")]
    active: Option<bool>,
    /// Only those of this agent, `prof_…`.
    #[arg(long, value_name = "PROF_ID")]
    profile: Option<String>,
    #[command(flatten)]
    pub(super) caller: Caller,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Make a monitor of a file, YAML or JSON.
    Create {
        /// The file.
        file: PathBuf,
    },
    /// Show one: what it looks at, and where it stands.
    Show(One),
    /// Stop its clock.
    Pause(One),
    /// Start its clock again.
    Resume(One),
    /// Let it look now.
    RunNow(One),
    /// Say how far its detection steps have come.
    Watermarks {
        #[command(flatten)]
        one: One,
        /// Only this detection step.
        #[arg(long)]
        step: Option<String>,
    },
    /// Set watermarks back: everything that is there is new at the next look.
    Reset {
        #[command(flatten)]
        one: One,
        /// Only this detection step; may be given several times.
        #[arg(long, value_name = "STEP")]
        step: Vec<String>,
    },
    /// List what it found new, and what became of it.
    Batches {
        #[command(flatten)]
        one: One,
        /// Only those in this state: open, committed or parked.
        #[arg(long, value_name = "STATE")]
        in_state: Option<String>,
    },
    /// Have a parked batch processed that never had a run, with what was found then.
    Retry {
        #[command(flatten)]
        one: One,
        /// Its number.
        batch: u64,
    },
    /// List the items whose runs failed three times.
    Parked {
        #[command(flatten)]
        one: One,
        /// Only those that this detection step found.
        #[arg(long)]
        step: Option<String>,
        /// Only those of the batch with this number.
        #[arg(long, value_name = "NUMBER")]
        batch: Option<u64>,
    },
    /// Remove it, with its watermarks and batches.
    Remove(One),
}

/// What the paths of monitors have in common.
const KIND: &str = "monitors";

/// Its path.
fn path(one: &One, below: &str) -> Result<String, CliError> {
    one.path(KIND, below)
}

impl Monitors {
    pub(crate) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        match &self.what {
            None => {
                let path = all(KIND, ("is_active", self.active), self.profile.as_ref())?;
                MONITORS.show(session, &path).await
            }
            Some(What::Watermarks { one, step }) => {
                let path = narrowed(&path(one, "/watermarks")?, &[("step_name", step.clone())])?;
                WATERMARKS.show(session, &path).await
            }
            Some(What::Batches { one, in_state }) => {
                let path = match in_state.as_deref() {
                    None => path(one, "/batches")?,
                    Some(state @ ("open" | "committed" | "parked")) => {
                        path(one, &format!("/batches?state={state}"))?
                    }
                    Some(other) => {
                        let message =
                            format!("`{}` is not open, committed or parked", visible(other));
                        return Err(CliError::Argument(message));
                    }
                };
                BATCHES.show(session, &path).await
            }
            Some(What::Parked { one, step, batch }) => {
                let batch = batch.map(|batch| batch.to_string());
                let filters = [("step", step.clone()), ("batch", batch)];
                let path = narrowed(&path(one, "/parked")?, &filters)?;
                PARKED.show(session, &path).await
            }
            Some(what) => {
                let said = what.done(&session.door).await?;
                session.say(&said);
                Ok(())
            }
        }
    }
}

impl What {
    /// Does what changes or shows one monitor; what the API says of it.
    async fn done(&self, door: &Door) -> Result<Value, CliError> {
        match self {
            Self::Create { file } => {
                door.post(&format!("{FACTORY}/monitors"), &read::<MonitorSpec>(file)?).await
            }
            Self::Show(one) => {
                let mut monitor = door.get(&path(one, "")?).await?;
                let state = door.get(&path(one, "/state")?).await?;
                if let (Some(all), Some(more)) = (monitor.as_object_mut(), state.as_object()) {
                    all.extend(more.clone());
                }
                Ok(monitor)
            }
            Self::Pause(one) => one.post(door, KIND, "/pause").await,
            Self::Resume(one) => one.post(door, KIND, "/resume").await,
            Self::RunNow(one) => one.post(door, KIND, "/run-now").await,
            Self::Retry { one, batch } => {
                one.post(door, KIND, &format!("/batches/{batch}/retry")).await
            }
            Self::Reset { one, step } => {
                door.post(&path(one, "/reset-watermarks")?, &json!({ "steps": step })).await
            }
            Self::Remove(one) => one.remove(door, KIND).await,
            // These are lists.
            Self::Watermarks { .. } | Self::Batches { .. } | Self::Parked { .. } => Ok(Value::Null),
        }
    }
}

const MONITORS: List = List {
    fields: &[
        "id",
        "name",
        "is_active",
        "interval",
        "last_tick_at",
        "last_outcome",
        "failing_since",
        "playbook_id",
        "profile_id",
    ],
    titles: &[
        "MONITOR",
        "NAME",
        "LOOKS",
        "EVERY",
        "LOOKED AT",
        "CAME TO",
        "FAILS SINCE",
        "PLAYBOOK",
        "AGENT",
    ],
};

const WATERMARKS: List = List {
    fields: &[
        "step_name",
        "watermark_type",
        "watermark_value",
        "items_found_last",
        "last_checked_at",
    ],
    titles: &["STEP", "TYPE", "WATERMARK", "FOUND LAST", "LOOKED AT"],
};

const BATCHES: List = List {
    fields: &["number", "state", "count", "attempt", "run_status", "execution_id", "created_at"],
    titles: &["BATCH", "STATE", "ITEMS", "TRY", "ENDED AS", "RUN", "FOUND AT"],
};

const PARKED: List = List {
    fields: &["batch", "step", "key", "refused_for", "repeated.status"],
    titles: &["BATCH", "STEP", "ITEM", "REFUSED FOR", "REPEATED"],
};
