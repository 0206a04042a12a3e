//! `countersign triggers`: what else starts agents, and the keys of webhooks.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use countersign_trigger::TriggerSpec;
use serde_json::{Value, json};

use super::listed::List;
use super::one::{One, all, plain, read};
use super::session::Session;
use super::{Caller, FACTORY};
use crate::door::Door;
use crate::error::CliError;

const KIND: &str = "triggers";

#[derive(Debug, Args)]
pub(crate) struct Triggers {
    #[command(subcommand)]
    what: Option<What>,
    /// Only those that fire, or only those that are paused: true or false.
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
    /// Make a trigger of a file, YAML or JSON.
    Create {
        /// The file.
        file: PathBuf,
    },
    /// Show one: what it waits for, and when it fired last.
    Show(One),
    /// Stop it: nothing fires it any more.
    Pause(One),
    /// Let it fire again.
    Resume(One),
    /// List what has fired it, and what became of that.
    Occurrences(One),
    /// List the keys with which senders of its webhook sign.
    Keys(One),
    /// Make a key for a sender of its webhook; its secret is shown once.
    NewKey(One),
    /// Take a key back.
    RemoveKey {
        #[command(flatten)]
        one: One,
        /// The key, `hkey_…`.
        key: String,
    },
    /// Remove it.
    Remove(One),
}

impl Triggers {
    pub(crate) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let door = &session.door;
        let said = match &self.what {
            None => {
                let path = all(KIND, ("is_active", self.active), self.profile.as_ref())?;
                return TRIGGERS.show(session, &path).await;
            }
            Some(What::Occurrences(one)) => {
                return FIRED.show(session, &one.path(KIND, "/occurrences")?).await;
            }
            Some(What::Keys(one)) => {
                return KEYS.show(session, &one.path(KIND, "/keys")?).await;
            }
            Some(What::Create { file }) => {
                door.post(&format!("{FACTORY}/{KIND}"), &read::<TriggerSpec>(file)?).await?
            }
            Some(What::Show(one)) => door.get(&one.path(KIND, "")?).await?,
            Some(What::Pause(one)) => switched(door, one, false).await?,
            Some(What::Resume(one)) => switched(door, one, true).await?,
            Some(What::NewKey(one)) => one.post(door, KIND, "/keys").await?,
            Some(What::RemoveKey { one, key }) => {
                door.delete(&one.path(KIND, &format!("/keys/{}", plain(key)?))?).await?;
                json!({ "removed": key })
            }
            Some(What::Remove(one)) => one.remove(door, KIND).await?,
        };
        session.say(&said);
        Ok(())
    }
}

async fn switched(door: &Door, one: &One, is_active: bool) -> Result<Value, CliError> {
    door.patch(&one.path(KIND, "")?, &json!({ "is_active": is_active })).await
}

const TRIGGERS: List = List {
    fields: &["id", "name", "is_active", "on", "playbook_id", "profile_id"],
    titles: &["TRIGGER", "NAME", "FIRES", "ON", "PLAYBOOK", "AGENT"],
};

const FIRED: List = List {
    fields: &["due_at", "state", "status", "id", "runs", "reason"],
    titles: &["FIRED AT", "STATE", "STATUS", "OCCURRENCE", "RUNS", "REASON"],
};

const KEYS: List = List { fields: &["id", "created_at"], titles: &["KEY", "MADE AT"] };
