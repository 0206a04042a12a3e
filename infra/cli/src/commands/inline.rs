//! Gates of a run that somebody waits for at a terminal: shown and decided where they wait (F-186).

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::decide::recorded;
use super::run::LONGEST_WAIT;
use super::{FACTORY, approval_text, field_items, following, text};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;

/// So many characters of the digest go with a decision: what is typed before the request is shown decides nothing.
const MARK: usize = 4;

/// A person at a terminal, and which requests of a run they were asked about.
pub(super) struct Inline<'c> {
    door: &'c Door,
    console: &'c Console,
    asked: BTreeSet<String>,
}

impl<'c> Inline<'c> {
    pub(super) const fn new(door: &'c Door, console: &'c Console) -> Self {
        Self { door, console, asked: BTreeSet::new() }
    }

    /// Asks about every request of the run that waits for this person, each once; whether one was decided. Without a terminal
    /// nobody is asked.
    pub(super) async fn decide(&mut self, run_path: &str) -> Result<bool, CliError> {
        if !self.console.can_ask() {
            return Ok(false);
        }
        let Some(me) = signer(&self.door.get(&format!("{FACTORY}/me")).await?) else {
            return Ok(false);
        };
        let run = self.door.get(run_path).await?;
        let mut decided = false;
        for id in waiting_for(&run, &me) {
            if self.asked.insert(id.clone()) {
                decided |= self.one(&format!("{FACTORY}/approvals/{id}")).await?;
            }
        }
        Ok(decided)
    }

    /// Waits until the run goes on after a decision, or waits for something else.
    pub(super) async fn resumed(&self, run_path: &str, patience: Duration) -> Result<(), CliError> {
        let deadline = Instant::now() + patience;
        let mut path = run_path.to_owned();
        while Instant::now() < deadline {
            let run = self.door.get(&path).await?;
            let waits = text(&run, "state").as_deref() == Some("awaiting_approval");
            if !waits || following::open(&run).next().is_some() {
                break;
            }
            let Some(version) = text(&run, "version") else { break };
            path = format!("{run_path}?after={version}&wait={LONGEST_WAIT}");
        }
        Ok(())
    }

    /// Shows a request and sends the decision that is typed, if one is; whether it was taken.
    async fn one(&self, path: &str) -> Result<bool, CliError> {
        let request = self.door.get(path).await?;
        // What became of a call needs evidence; the command that is named afterwards takes it.
        if !field_items(&request, "outcome").is_empty() {
            return Ok(false);
        }
        let Some(digest) = text(&request, "digest") else { return Ok(false) };
        self.console.line("");
        approval_text::lines(&request).iter().for_each(|line| self.console.line(line));
        let mark: String = digest.chars().take(MARK).collect();
        self.console.note(format!(
            "type `approve {mark}` or `deny {mark}`; anything else leaves it waiting:"
        ));
        let typed = self.console.read_line().await?.unwrap_or_default();
        let Some(word) = decision(&typed, &mark) else { return Ok(false) };
        let answer = self.door.post(&format!("{path}/{word}"), &json!({ "digest": digest })).await;
        match &answer {
            Ok(receipt) => self.console.note(recorded(receipt)),
            Err(error) => self.console.error(error),
        }
        Ok(answer.is_ok())
    }
}

/// The API's word for the decision that was typed.
fn decision(typed: &str, mark: &str) -> Option<&'static str> {
    let (word, digest) = typed.trim().split_once(' ')?;
    match (word, digest.trim() == mark) {
        ("approve", true) => Some("approve"),
        ("deny", true) => Some("reject"),
        _ => None,
    }
}

/// The name of a person who may sign at all.
fn signer(me: &Value) -> Option<String> {
    let may_sign = field_items(me, "capabilities").iter().any(|one| one == "decide");
    text(me, "username").filter(|_| may_sign)
}

/// The open requests of a run that wait for this person.
fn waiting_for(run: &Value, person: &str) -> Vec<String> {
    let waits =
        |request: &&Value| field_items(request, "waits_for").iter().any(|one| one == person);
    following::open(run).filter(waits).filter_map(|request| text(request, "approval")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{decision, signer, waiting_for};

    #[test]
    fn f_186_k_05_only_the_word_with_the_digest_that_was_shown_decides() {
        assert_eq!(decision("approve ab12\n", "ab12"), Some("approve"));
        assert_eq!(decision(" deny  ab12", "ab12"), Some("reject"));
        for typed in [
            "",
            "approve",
            "approve ab13",
            "yes",
            "ab12",
            "approve ab12 now",
            "APPROVE ab12",
            "reject ab12",
        ] {
            assert_eq!(decision(typed, "ab12"), None, "{typed}");
        }
    }

    #[test]
    fn f_186_only_a_signer_whom_a_request_waits_for_is_asked() {
        let request = |id: &str, status: &str, waits: &[&str]| json!({ "approval": id, "status": status, "waits_for": waits });
        let run = json!({ "approvals": [
            request("appr_1", "approved", &["ana"]),
            request("appr_2", "pending", &["bob"]),
            request("appr_3", "pending", &["bob", "ana"]),
        ] });
        assert_eq!(waiting_for(&run, "ana"), ["appr_3"]);
        assert_eq!(
            signer(&json!({ "username": "ana", "capabilities": ["decide"] })).as_deref(),
            Some("ana")
        );
        assert_eq!(signer(&json!({ "username": "ana", "capabilities": [] })), None);
        assert_eq!(signer(&json!({ "username": null, "capabilities": ["decide"] })), None);
    }
}
