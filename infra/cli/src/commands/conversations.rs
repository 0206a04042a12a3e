//! `countersign conversations`: what was asked and answered.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::listed::{List, narrowed, pages};
use super::one::One;
use super::session::Session;
use super::{Caller, FACTORY, items, text, visible};
use crate::error::CliError;

const KIND: &str = "conversations";

/// So many questions of a conversation are shown, each with its answer.
const MOST: u32 = 50;

#[derive(Debug, Args)]
pub(crate) struct Conversations {
    #[command(subcommand)]
    what: Option<What>,
    /// Only those with this agent, `prof_…`.
    #[arg(long, value_name = "PROF_ID")]
    profile: Option<String>,
    #[command(flatten)]
    pub(super) caller: Caller,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Show what was asked and answered, the oldest first.
    Show(One),
    /// Give it another title.
    Rename {
        #[command(flatten)]
        one: One,
        /// What it is called from now on.
        title: String,
    },
    /// Remove it: what was asked in it is shown to no model any more. Its runs stay.
    Remove(One),
}

impl Conversations {
    pub(crate) async fn run(&self, session: &Session<'_>) -> Result<(), CliError> {
        let door = &session.door;
        let said = match &self.what {
            None => {
                let filters = [("profile_id", self.profile.clone())];
                let path = narrowed(&format!("{FACTORY}/{KIND}"), &filters)?;
                return ALL.show(session, &path).await;
            }
            Some(What::Show(one)) => {
                let found = pages(door, &one.path(KIND, "/messages")?, Some(MOST)).await?;
                session.tell(&found, lines);
                return Ok(());
            }
            Some(What::Rename { one, title }) => {
                door.patch(&one.path(KIND, "")?, &json!({ "title": title })).await?
            }
            Some(What::Remove(one)) => one.remove(door, KIND).await?,
        };
        session.say(&said);
        Ok(())
    }
}

const ALL: List = List {
    fields: &["id", "title", "profile_id", "created_at"],
    titles: &["CONVERSATION", "TITLE", "AGENT", "BEGAN AT"],
};

/// Questions and answers as they were said, the oldest first.
fn lines(page: &Value) -> Vec<String> {
    let more = page["next"].is_string().then(|| {
        "(earlier ones are left out: `GET /api/agent-factory/conversations/{id}/messages` has them)".to_owned()
    });
    more.into_iter().chain(items(page).iter().rev().flat_map(said)).collect()
}

fn said(message: &Value) -> Vec<String> {
    let (run, status) = (&message["metadata"]["execution_id"], &message["metadata"]["status"]);
    let plain = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let content = text(message, "content");
    if message["role"] == "user" {
        return vec![written(&content.unwrap_or_default(), "> "), String::new()];
    }
    let mut said = match content {
        Some(answer) => vec![written(&answer, "")],
        None => vec![format!("({}: {})", plain(run), plain(status))],
    };
    if message["metadata"]["is_cut"] == true {
        said.push(format!("(only the beginning; `countersign show {}` has all of it)", plain(run)));
    }
    said.push(String::new());
    said
}

/// A text of several lines, each behind this.
fn written(text: &str, before: &str) -> String {
    let lines = text.lines().map(|line| format!("{before}{}", visible(line)));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_106_a_conversation_is_shown_as_it_was_said() {
        let message = |role: &str, content: Value, is_cut: bool| {
            json!({
                "role": role, "content": content,
                "metadata": { "execution_id": "run_1", "status": "error", "is_cut": is_cut },
            })
        };
        let page = json!({ "next": "more", "items": [
            message("assistant", Value::Null, false),
            message("user", json!("And\nwho?"), false),
            message("assistant", json!("Two \u{1b}[2J."), true),
            message("user", json!("How many?"), false),
        ] });
        let expect = "(earlier ones are left out: `GET /api/agent-factory/conversations/{id}/messages` has them)\n> How many?\n\nTwo \\u{1b}[2J.\n\
                      (only the beginning; `countersign show run_1` has all of it)\n\n> And\n> who?\n\n(run_1: error)\n";
        assert_eq!(lines(&page).join("\n"), expect);
    }
}
