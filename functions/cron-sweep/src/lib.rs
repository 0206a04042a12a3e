//! The sweeper: once a minute it looks for everything that was written and not told, or lost on the way.
//!
//! A sweep is a list of [`SweepTask`]s, each on its own: one that fails does not keep the others, and one that takes long leaves them
//! their time. Approvals come first, then
//! schedules that are overdue, monitors whose clock has not ticked, native schedules that are not as they are to be, runs without
//! an execution, and writes to the knowledge graph that were not finished.

mod knowledge;
mod monitors;
mod scheduler_sync;
mod schedules;
mod sweep_tasks;

use std::sync::Arc;
use std::time::Instant;

use countersign_failure::Failure;
use countersign_lambda_entry::{Fault, Invocation};
use countersign_schedule::{SWEEP_USED, TASK_ENDS, sweep_share};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tokio::time::timeout;

pub use knowledge::Knowledge;
pub use monitors::Monitors;
pub use scheduler_sync::SchedulerSync;
pub use schedules::Schedules;
pub use sweep_tasks::{Approvals, Runs};

/// Something the sweeper does. It is called every minute and must not mind being called twice, nor being broken off anywhere: what
/// it did not come to, the next call does, and not the same first part each time.
pub trait SweepTask: Send + Sync {
    /// Its name in the answer.
    fn name(&self) -> &'static str;

    /// Does it; the answer holds counts. It should end by `until`, and is broken off a little later.
    fn run(&self, now: Timestamp, until: Instant) -> BoxFuture<'_, Result<Value, Fault>>;
}

/// A sweep in which some task failed; the counts of the others are in the log.
#[derive(Debug, thiserror::Error, Failure)]
#[error("these tasks failed: {0}")]
#[failure(code = "SWEEP_UNFINISHED", retryable)]
struct Unfinished(String);

/// Runs every task. The event carries no data: the tables say what there is to do.
///
/// # Errors
/// A retryable [`Fault`] that names the tasks that failed, after all of them had their turn.
pub async fn handle(tasks: &[Arc<dyn SweepTask>], invocation: &Invocation) -> Result<Value, Fault> {
    let (mut done, mut failed) = (Map::new(), Vec::new());
    // What is left when the function is ended is not logged.
    let whole = invocation.remaining.mul_f64(SWEEP_USED);
    let end = Instant::now() + whole;
    for (n, task) in tasks.iter().enumerate() {
        let left = end.saturating_duration_since(Instant::now());
        let share = sweep_share(whole, left, tasks.len() - n);
        let until = Instant::now() + share.mul_f64(TASK_ENDS);
        match timeout(share, task.run(invocation.now, until)).await {
            Ok(Ok(counts)) => {
                report_left(task.name(), &counts);
                report_failed(task.name(), &counts);
                done.insert(task.name().to_owned(), counts);
            }
            Ok(Err(fault)) => {
                tracing::error!(task = task.name(), code = fault.code(), "a task failed");
                failed.push(task.name());
            }
            Err(_) => {
                tracing::warn!(
                    task = task.name(),
                    "SWEEP_LEFT: a task was broken off; it goes on in a minute"
                );
                done.insert(task.name().to_owned(), json!({ "broken_off": true }));
            }
        }
    }
    let done = Value::Object(done);
    tracing::info!(counts = done.to_string(), "swept");
    if failed.is_empty() { Ok(done) } else { Err(Unfinished(failed.join(", ")).into()) }
}

/// What there was no time for; an alarm counts these lines.
fn report_left(task: &'static str, counts: &Value) {
    let left = counts.get("left").and_then(Value::as_u64).unwrap_or_default();
    if left > 0 {
        tracing::warn!(task, left, "SWEEP_LEFT: there is more to do than a sweep has time for");
    }
}

/// What failed one by one, while the task went on with the others; an alarm counts these lines.
fn report_failed(task: &'static str, counts: &Value) {
    let failed = failed(counts);
    if failed > 0 {
        tracing::error!(task, failed, "SWEEP_FAILED: some of what a sweep looks after failed");
    }
}

/// How many failed, whichever part of the counts says so.
fn failed(counts: &Value) -> u64 {
    let all = counts.as_object().into_iter().flatten();
    all.map(|(name, count)| match name.as_str() {
        "failed" => count.as_u64().unwrap_or_default(),
        _ => failed(count),
    })
    .sum()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    struct Fixed(&'static str, bool);

    impl SweepTask for Fixed {
        fn name(&self) -> &'static str {
            self.0
        }

        fn run(&self, _: Timestamp, _: Instant) -> BoxFuture<'_, Result<Value, Fault>> {
            let fault = Fault { name: "Step.Retryable".to_owned(), message: "X: off".to_owned() };
            let result = if self.1 { Ok(json!({ "done": 1 })) } else { Err(fault) };
            Box::pin(std::future::ready(result))
        }
    }

    async fn check(tasks: &[(&'static str, bool)], expect: Result<Value, &str>) {
        let tasks: Vec<Arc<dyn SweepTask>> = tasks
            .iter()
            .map(|(name, works)| Arc::new(Fixed(name, *works)) as Arc<dyn SweepTask>)
            .collect();
        let invocation = Invocation {
            request_id: "r".to_owned(),
            now: Timestamp::UNIX_EPOCH,
            remaining: Duration::from_secs(60),
        };
        let got = handle(&tasks, &invocation).await.map_err(|fault| fault.message);
        assert_eq!(got, expect.map_err(str::to_owned));
    }

    #[tokio::test]
    async fn every_task_has_its_turn() {
        check(&[("a", true), ("b", true)], Ok(json!({ "a": { "done": 1 }, "b": { "done": 1 } })))
            .await;
        let failed = "SWEEP_UNFINISHED: these tasks failed: a, c";
        check(&[("a", false), ("b", true), ("c", false)], Err(failed)).await;
    }

    #[test]
    fn issue_14_what_failed_in_any_part_of_a_task_is_counted() {
        assert_eq!(failed(&json!({ "overdue": 3, "failed": 2 })), 2);
        assert_eq!(failed(&json!({ "due": { "failed": 1 }, "open": { "failed": 2 } })), 3);
        assert_eq!(failed(&json!({ "overdue": 3, "failed": 0 })), 0);
    }

    struct Endless;

    impl SweepTask for Endless {
        fn name(&self) -> &'static str {
            "endless"
        }

        fn run(&self, _: Timestamp, _: Instant) -> BoxFuture<'_, Result<Value, Fault>> {
            Box::pin(std::future::pending())
        }
    }

    #[tokio::test]
    async fn p_003_a_task_without_end_leaves_the_others_their_time() {
        let tasks: [Arc<dyn SweepTask>; 3] =
            [Arc::new(Endless), Arc::new(Endless), Arc::new(Fixed("last", true))];
        let invocation = Invocation {
            request_id: "r".to_owned(),
            now: Timestamp::UNIX_EPOCH,
            remaining: Duration::from_millis(400),
        };
        let done = handle(&tasks, &invocation).await.unwrap();
        let expect = json!({ "endless": { "broken_off": true }, "last": { "done": 1 } });
        assert_eq!(done, expect);
    }

    #[test]
    fn the_sample_event_is_json() {
        let sample = include_str!("../../../events/cron-sweep/tick.json");
        assert!(serde_json::from_str::<Value>(sample).unwrap().is_object());
    }
}
