//! What the launcher says of the state it keeps (`infra/local/durable.py`).

use std::time::Duration;

use reqwest::Client;
use serde::Deserialize;

use super::Stack;
use crate::door::plain;
use crate::error::CliError;

/// Whatever took the port may never answer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);
const SAVES_WITHIN: Duration = Duration::from_secs(120);

/// What the emulator's process says of itself.
#[derive(Debug, Clone, Deserialize)]
pub struct EmulatorStatus {
    /// The process that answers.
    pub pid: u32,
    /// Whether the process before it was killed.
    pub unclean: bool,
    /// What was found in the write log at the start.
    pub recovered: Recovered,
    /// Why writes are refused, when they are.
    pub refusing: Option<String>,
}

/// Writes that were replayed.
#[derive(Debug, Clone, Deserialize)]
pub struct Recovered {
    /// How many to tables.
    pub writes: u64,
    /// To which tables.
    pub tables: Vec<String>,
    /// Messages that came to queues or left them. An emulator that an older command started does not say.
    #[serde(default)]
    pub queued: u64,
}

#[derive(Debug, Deserialize)]
struct Saved {
    failed: Vec<String>,
}

impl EmulatorStatus {
    /// Asks the process behind a stack's port; nothing while it does not answer, or when something else does.
    pub async fn of(stack: &Stack) -> Option<Self> {
        let url = format!("{}/_countersign/stack", stack.endpoint());
        let answer = client(ANSWERS_WITHIN).ok()?.get(url).send().await.ok()?;
        answer.error_for_status().ok()?.json().await.ok()
    }

    /// The sentence for people, when the last stop was not a clean one.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let Recovered { writes, tables, queued } = &self.recovered;
        let parts: Vec<String> = [
            (*writes > 0).then(|| {
                format!(
                    "{} to {}",
                    counted(*writes, "write"),
                    counted(tables.len() as u64, "table")
                )
            }),
            (*queued > 0).then(|| format!("{} of queues", counted(*queued, "change"))),
        ]
        .into_iter()
        .flatten()
        .collect();
        let recovered = match (parts.is_empty(), writes + queued) {
            (true, _) => "nothing had been written since its state was last saved".to_owned(),
            (_, 1) => format!("{} was recovered from its log", parts.join("")),
            _ => format!("{} were recovered from its log", parts.join(" and ")),
        };
        (self.unclean || !parts.is_empty())
            .then(|| format!("the local stack did not stop cleanly the last time; {recovered}"))
    }
}

/// Has everything saved that only a clean stop would save: what was deployed, and the tables.
///
/// # Errors
/// [`CliError::NotKept`] with the first reason.
pub(super) async fn save(stack: &Stack) -> Result<(), CliError> {
    let url = format!("{}/_countersign/save", stack.endpoint());
    let failed = |error: reqwest::Error| CliError::Door { url: url.clone(), reason: plain(&error) };
    let answer = client(SAVES_WITHIN).map_err(failed)?.post(&url).send().await.map_err(failed)?;
    let saved: Saved = answer.json().await.map_err(failed)?;
    saved.failed.into_iter().next().map_or(Ok(()), |reason| Err(CliError::NotKept(reason)))
}

/// `1 table`, `3 tables`.
fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn client(patience: Duration) -> reqwest::Result<Client> {
    Client::builder().no_proxy().timeout(patience).build()
}

#[cfg(test)]
mod tests {
    use super::{EmulatorStatus, Recovered};

    #[track_caller]
    fn check(unclean: bool, (writes, tables, queued): (u64, &[&str], u64), expect: Option<&str>) {
        let tables = tables.iter().map(|&name| name.to_owned()).collect();
        let recovered = Recovered { writes, tables, queued };
        let kept = EmulatorStatus { pid: 1, unclean, recovered, refusing: None };
        let expect = expect
            .map(|rest| format!("the local stack did not stop cleanly the last time; {rest}"));
        assert_eq!(kept.sentence(), expect);
    }

    #[test]
    fn a_start_says_what_was_recovered() {
        let nothing = Some("nothing had been written since its state was last saved");
        let of_both =
            Some("7 writes to 2 tables and 3 changes of queues were recovered from its log");
        check(false, (0, &[], 0), None);
        check(true, (0, &[], 0), nothing);
        check(true, (1, &["a"], 0), Some("1 write to 1 table was recovered from its log"));
        check(true, (7, &["a"], 0), Some("7 writes to 1 table were recovered from its log"));
        check(false, (7, &["a", "b"], 3), of_both);
        check(true, (0, &[], 1), Some("1 change of queues was recovered from its log"));
    }
}
