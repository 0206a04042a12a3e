//! Starts the next attempt of a run whose execution failed, was aborted or timed out.

use countersign_lambda_entry::{Fault, Invocation, decode};
use countersign_recovery::{Recovered, Runner};
use countersign_run::parse_execution_name;
use serde::Deserialize;
use serde_json::{Value, json};

/// `Step Functions Execution Status Change`, as EventBridge sends it; what else it says is not used.
#[derive(Debug, Deserialize)]
pub struct StatusChange {
    /// The execution.
    pub detail: Detail,
}

/// The execution that changed.
#[derive(Debug, Deserialize)]
pub struct Detail {
    /// `{run}-{attempt}`.
    pub name: String,
    /// `FAILED | ABORTED | TIMED_OUT` by the rule's pattern.
    pub status: String,
}

/// Handles one status change. Executions that are none of ours are left alone.
///
/// # Errors
/// A retryable [`Fault`] when a service does not answer; the sweeper also finds the run within a minute.
pub async fn handle(
    runner: &Runner,
    event: Value,
    invocation: &Invocation,
) -> Result<Value, Fault> {
    let change: StatusChange = decode(event)?;
    let Some((run, attempt)) = parse_execution_name(&change.detail.name) else {
        return Ok(json!({ "recovered": "not_ours" }));
    };
    let reason = format!("the execution ended as {}", change.detail.status.to_lowercase());
    let done = match runner.after(&run, attempt, &reason, invocation.now).await? {
        Recovered::Fine => "fine",
        Recovered::Started(_) => "started",
        Recovered::Elsewhere => "elsewhere",
        Recovered::Resting => "resting",
    };
    Ok(json!({ "recovered": done }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_event_is_one_of_ours() {
        let sample = include_str!("../../../events/run-recover/aborted.json");
        let change: StatusChange = serde_json::from_str(sample).unwrap();
        assert_eq!(change.detail.status, "ABORTED");
        assert_eq!(parse_execution_name(&change.detail.name).unwrap().1, 1);
    }
}
