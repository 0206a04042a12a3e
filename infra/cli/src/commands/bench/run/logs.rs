//! What functions say of each invocation in their logs: how often they read and wrote.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;

use super::PATIENCE;
use crate::error::CliError;
use crate::stack::{Aws, Stack};
use crate::waiting::answered;

/// One invocation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::commands::bench) struct Served {
    /// The function, with the stack's name in front.
    pub(in crate::commands::bench) function: String,
    /// DynamoDB requests that read.
    pub(in crate::commands::bench) reads: u64,
    /// DynamoDB requests that wrote.
    pub(in crate::commands::bench) writes: u64,
}

/// The logs of a stack.
pub(in crate::commands::bench) struct Logs<'l> {
    pub(in crate::commands::bench) aws: &'l Aws,
    pub(in crate::commands::bench) stack: &'l Stack,
    pub(in crate::commands::bench) folder: &'l std::path::Path,
    /// What was said before is not read: the emulator keeps it with its state and returns 10,000 lines at most.
    pub(in crate::commands::bench) from: Timestamp,
}

impl Logs<'_> {
    /// Every invocation so far.
    pub(in crate::commands::bench) async fn all(&self) -> Result<Vec<Served>, CliError> {
        Ok(self.messages("served").await?.iter().filter_map(|line| served_line(line)).collect())
    }

    /// Every line with this word, in their order.
    pub(in crate::commands::bench) async fn messages(
        &self,
        word: &str,
    ) -> Result<Vec<String>, CliError> {
        let group = self.stack.output("FunctionLogGroup").unwrap_or_default();
        let from = self.from.as_millisecond().to_string();
        let of_group = ["logs", "filter-log-events", "--log-group-name", group];
        let ask = [&of_group[..], &["--filter-pattern", word, "--start-time", &from]].concat();
        let said = self.aws.json(&ask, self.folder).await?;
        let events = said["events"].as_array().into_iter().flatten();
        Ok(events.filter_map(|event| event["message"].as_str().map(str::to_owned)).collect())
    }

    /// The invocations of these functions since `before`, once there are `expect` of them.
    pub(in crate::commands::bench) async fn since(
        &self,
        before: &[Served],
        functions: &[&str],
        expect: usize,
    ) -> Result<Vec<Served>, CliError> {
        let late = "the functions' logs do not tell of the run";
        answered(PATIENCE, Duration::from_millis(500), late, async || {
            let new = difference(before, &self.all().await?, functions);
            Ok((new.len() >= expect).then_some(new))
        })
        .await
    }
}

/// One line `served`.
fn served_line(message: &str) -> Option<Served> {
    let part = |name: &str| field(message, name);
    let (reads, writes) = (part("reads")?.parse().ok()?, part("writes")?.parse().ok()?);
    Some(Served { function: part("function")?, reads, writes })
}

/// A field of a line, which is JSON (AWS) or text (the local stack).
pub(in crate::commands::bench) fn field(message: &str, name: &str) -> Option<String> {
    if let Ok(line) = serde_json::from_str::<Value>(message) {
        let fields = line.get("fields").unwrap_or(&line);
        let value = &fields[name];
        return value.as_str().map(str::to_owned).or_else(|| Some(value.as_u64()?.to_string()));
    }
    let (_, rest) = message.split_once(&format!(" {name}="))?;
    rest.split_whitespace().next().map(|value| value.trim_matches('"').to_owned())
}

/// What is new of these functions. Lines have no name of their own, so that equal ones are counted.
fn difference(before: &[Served], after: &[Served], functions: &[&str]) -> Vec<Served> {
    let mut old: BTreeMap<&Served, usize> = BTreeMap::new();
    for line in before {
        *old.entry(line).or_default() += 1;
    }
    let mut new = Vec::new();
    for line in after.iter().filter(|line| functions.iter().any(|own| line.function.ends_with(own)))
    {
        match old.get_mut(line).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => new.push(line.clone()),
        }
    }
    new
}

#[cfg(test)]
mod tests {
    use super::{Served, difference, served_line};

    fn line(function: &str) -> Served {
        Served { function: function.to_owned(), reads: 2, writes: 1 }
    }

    #[test]
    fn only_what_is_new_counts() {
        let before = [line("x-tool-data")];
        let after = [line("x-tool-data"), line("x-tool-data"), line("x-run-begin"), line("x-api")];
        let new = difference(&before, &after, &["run-begin", "tool-data"]);
        assert_eq!(new, [line("x-tool-data"), line("x-run-begin")]);
    }

    #[test]
    fn a_line_is_read_in_both_forms() {
        let text = r#" INFO invoke{requestId="1"}: served function="s-tool-data" request_id="1" reads=2 writes=1"#;
        let json =
            r#"{"fields":{"message":"served","function":"s-tool-data","reads":2,"writes":1}}"#;
        for message in [text, json] {
            assert_eq!(served_line(message), Some(line("s-tool-data")));
        }
        assert_eq!(served_line("START RequestId: 1"), None);
    }
}
