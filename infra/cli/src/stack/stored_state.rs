//! What the launcher says of the state it keeps (`infra/local/durable.py`).

use std::time::Duration;

use reqwest::Client;
use serde::Deserialize;

use super::Stack;
use crate::error::CliError;

/// Whatever took the port may never answer.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);
const SAVES_WITHIN: Duration = Duration::from_secs(120);

/// What the emulator's process says of itself.
#[derive(Debug, Clone, Deserialize)]
pub struct Kept {
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
    /// How many.
    pub writes: u64,
    /// To which tables.
    pub tables: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Saved {
    failed: Vec<String>,
}

impl Kept {
    /// Asks the process behind a stack's port; nothing while it does not answer, or when something else does.
    pub async fn of(stack: &Stack) -> Option<Self> {
        let url = format!("{}/_countersign/stack", stack.endpoint());
        let answer = client(ANSWERS_WITHIN).ok()?.get(url).send().await.ok()?;
        answer.error_for_status().ok()?.json().await.ok()
    }

    /// The sentence for people, when the last stop was not a clean one.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let Recovered { writes, tables } = &self.recovered;
        let recovered = match (writes, tables.len()) {
            (0, _) => "nothing had been written since its state was last saved".to_owned(),
            (1, _) => "1 write was recovered from its log".to_owned(),
            (writes, 1) => format!("{writes} writes to 1 table were recovered from its log"),
            (writes, tables) => {
                format!("{writes} writes to {tables} tables were recovered from its log")
            }
        };
        (self.unclean || *writes > 0)
            .then(|| format!("the local stack did not stop cleanly the last time; {recovered}"))
    }
}

/// Has everything saved that only a clean stop would save: what was deployed, and the tables.
///
/// # Errors
/// [`CliError::NotKept`] with the first reason.
pub(super) async fn save(stack: &Stack) -> Result<(), CliError> {
    let url = format!("{}/_countersign/save", stack.endpoint());
    let failed =
        |error: reqwest::Error| CliError::Door { url: url.clone(), reason: error.to_string() };
    let answer = client(SAVES_WITHIN).map_err(failed)?.post(&url).send().await.map_err(failed)?;
    let saved: Saved = answer.json().await.map_err(failed)?;
    saved.failed.into_iter().next().map_or(Ok(()), |reason| Err(CliError::NotKept(reason)))
}

fn client(patience: Duration) -> reqwest::Result<Client> {
    Client::builder().no_proxy().timeout(patience).build()
}

#[cfg(test)]
mod tests {
    use super::{Kept, Recovered};

    #[track_caller]
    fn check(unclean: bool, writes: u64, tables: &[&str], expect: Option<&str>) {
        let tables = tables.iter().map(|&name| name.to_owned()).collect();
        let kept =
            Kept { pid: 1, unclean, recovered: Recovered { writes, tables }, refusing: None };
        let expect = expect
            .map(|rest| format!("the local stack did not stop cleanly the last time; {rest}"));
        assert_eq!(kept.sentence(), expect);
    }

    #[test]
    fn a_start_says_what_was_recovered() {
        check(false, 0, &[], None);
        check(true, 0, &[], Some("nothing had been written since its state was last saved"));
        check(true, 1, &["a"], Some("1 write was recovered from its log"));
        check(true, 7, &["a"], Some("7 writes to 1 table were recovered from its log"));
        check(false, 7, &["a", "b"], Some("7 writes to 2 tables were recovered from its log"));
    }
}
