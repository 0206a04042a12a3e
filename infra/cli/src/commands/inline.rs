//! Gates of a run that somebody waits for at a terminal: shown and decided where they wait (F-186).

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::decide::{confirms, mark, recorded};
use super::run::LONGEST_WAIT;
use super::{FACTORY, approval_text, field_items, following, text};
use crate::console::Console;
use crate::door::Door;
use crate::error::CliError;

/// So long is waited before a run that has no version, or did not answer, is looked at again.
const PAUSE: Duration = Duration::from_secs(2);

/// A person at a terminal, and which requests of a run they were asked about.
pub(super) struct Inline<'c> {
    door: &'c Door,
    console: &'c Console,
    run: &'c str,
    patience: Duration,
    asked: BTreeSet<String>,
}

impl<'c> Inline<'c> {
    /// For the run at this path; nobody is waited for any longer than `patience`.
    pub(super) const fn new(
        (door, console): (&'c Door, &'c Console),
        run: &'c str,
        patience: Duration,
    ) -> Self {
        Self { door, console, run, patience, asked: BTreeSet::new() }
    }

    /// Asks about every request of the run that waits for this person, each once; whether there was one. Without a terminal nobody is
    /// asked.
    pub(super) async fn ask(&mut self) -> Result<bool, CliError> {
        if !self.console.can_ask() {
            return Ok(false);
        }
        let Some(me) = signer(&self.door.get(&format!("{FACTORY}/me")).await?) else {
            return Ok(false);
        };
        let run = self.door.get(self.run).await?;
        let mut was_asked = false;
        for id in waiting_for(&run, &me) {
            if self.asked.insert(id.clone()) {
                was_asked = true;
                if let Err(error) = self.one(&id).await {
                    self.console.error(&error);
                }
            }
        }
        Ok(was_asked)
    }

    /// Waits until the run goes on, or waits for something else.
    pub(super) async fn resumed(&self) {
        let goes_on = self.until(|run| {
            let waits = text(run, "state").as_deref() == Some("awaiting_approval");
            !waits || following::open(run).next().is_some()
        });
        let _late = timeout(self.patience, goes_on).await;
    }

    /// Shows a request and sends the decision that is typed, if one is.
    async fn one(&self, id: &str) -> Result<(), CliError> {
        let path = format!("{FACTORY}/approvals/{id}");
        let request = self.door.get(&path).await?;
        // What became of a call needs evidence; the command that is named afterwards takes it.
        if !field_items(&request, "outcome").is_empty() {
            return Ok(());
        }
        let Some(digest) = text(&request, "digest") else { return Ok(()) };
        self.console.line("");
        approval_text::shown(&request, self.console)
            .iter()
            .for_each(|line| self.console.line(line));
        let mark = mark(&digest);
        self.console.line(format!(
            "type `approve {mark}` or `deny {mark}`; anything else leaves it waiting:"
        ));
        let Some(typed) = self.typed(id).await? else { return Ok(()) };
        let Some(word) = decision(&typed, mark) else {
            self.console.note("nothing was decided");
            return Ok(());
        };
        let decided = json!({ "digest": digest });
        let receipt = self.door.post(&format!("{path}/{word}"), &decided).await?;
        self.console.note(recorded(&receipt));
        Ok(())
    }

    /// The line that is typed; none when the request is closed before, or nobody answers for too long.
    async fn typed(&self, id: &str) -> Result<Option<String>, CliError> {
        let closed = self.until(|run| {
            !following::open(run).any(|open| text(open, "approval").as_deref() == Some(id))
        });
        tokio::select! {
            line = self.console.read_line() => Ok(Some(line?.unwrap_or_default())),
            () = closed => {
                self.console.note("it does not wait any more");
                Ok(None)
            }
            () = sleep(self.patience) => {
                self.console.note("nothing was decided");
                Ok(None)
            }
        }
    }

    /// Looks at the run whenever something has happened in it, until `holds` does.
    async fn until(&self, holds: impl Fn(&Value) -> bool) {
        let mut path = self.run.to_owned();
        loop {
            let version = match self.door.get(&path).await {
                Ok(run) if holds(&run) => return,
                Ok(run) => text(&run, "version"),
                Err(_) => None,
            };
            match version {
                Some(version) => {
                    path = format!("{}?after={version}&wait={LONGEST_WAIT}", self.run);
                }
                None => sleep(PAUSE).await,
            }
        }
    }
}

/// The API's word for the decision that was typed.
fn decision(typed: &str, mark: &str) -> Option<&'static str> {
    let words = [("approve", "approve"), ("deny", "reject")];
    words.into_iter().find(|(said, _)| confirms(typed, said, mark)).map(|(_, word)| word)
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
