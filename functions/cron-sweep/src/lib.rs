//! The sweeper: once a minute it looks for everything that was written and not told, or lost on the way.
//!
//! A sweep is a list of [`Chore`]s, each on its own: one that fails does not keep the others. Approvals come first, then
//! schedules that are overdue, monitors whose clock has not ticked, native schedules that are not as they are to be, runs without
//! an execution, and writes to the knowledge graph that were not finished.

mod chores;
mod knowledge;
mod monitors;
mod natives;
mod schedules;

use std::sync::Arc;

use countersign_failure::Failure;
use countersign_lambda_entry::{Fault, Invocation};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::{Map, Value};

pub use chores::{Approvals, Runs};
pub use knowledge::Knowledge;
pub use monitors::Monitors;
pub use natives::Natives;
pub use schedules::Schedules;

/// Something the sweeper does. It is called every minute and must not mind being called twice.
pub trait Chore: Send + Sync {
    /// Its name in the answer.
    fn name(&self) -> &'static str;

    /// Does it; the answer holds counts.
    fn run(&self, now: Timestamp) -> BoxFuture<'_, Result<Value, Fault>>;
}

/// A sweep in which some chore failed; the counts of the others are in the log.
#[derive(Debug, thiserror::Error, Failure)]
#[error("these chores failed: {0}")]
#[failure(code = "SWEEP_UNFINISHED", retryable)]
struct Unfinished(String);

/// Does every chore. The event says nothing: what there is to do stands in the tables.
///
/// # Errors
/// A retryable [`Fault`] that names the chores that failed, after all of them had their turn.
pub async fn handle(chores: &[Arc<dyn Chore>], invocation: &Invocation) -> Result<Value, Fault> {
    let (mut done, mut failed) = (Map::new(), Vec::new());
    for chore in chores {
        match chore.run(invocation.now).await {
            Ok(counts) => drop(done.insert(chore.name().to_owned(), counts)),
            Err(fault) => {
                tracing::error!(chore = chore.name(), error = fault.message, "a chore failed");
                failed.push(chore.name());
            }
        }
    }
    let done = Value::Object(done);
    tracing::info!(counts = done.to_string(), "swept");
    if failed.is_empty() { Ok(done) } else { Err(Unfinished(failed.join(", ")).into()) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    struct Fixed(&'static str, bool);

    impl Chore for Fixed {
        fn name(&self) -> &'static str {
            self.0
        }

        fn run(&self, _now: Timestamp) -> BoxFuture<'_, Result<Value, Fault>> {
            let fault = Fault { name: "Step.Retryable".to_owned(), message: "X: off".to_owned() };
            let result = if self.1 { Ok(json!({ "done": 1 })) } else { Err(fault) };
            Box::pin(std::future::ready(result))
        }
    }

    async fn check(chores: &[(&'static str, bool)], expect: Result<Value, &str>) {
        let chores: Vec<Arc<dyn Chore>> = chores
            .iter()
            .map(|(name, works)| Arc::new(Fixed(name, *works)) as Arc<dyn Chore>)
            .collect();
        let invocation = Invocation {
            request_id: "r".to_owned(),
            now: Timestamp::UNIX_EPOCH,
            remaining: Duration::from_secs(60),
        };
        let got = handle(&chores, &invocation).await.map_err(|fault| fault.message);
        assert_eq!(got, expect.map_err(str::to_owned));
    }

    #[tokio::test]
    async fn every_chore_has_its_turn() {
        check(&[("a", true), ("b", true)], Ok(json!({ "a": { "done": 1 }, "b": { "done": 1 } })))
            .await;
        let failed = "SWEEP_UNFINISHED: these chores failed: a, c";
        check(&[("a", false), ("b", true), ("c", false)], Err(failed)).await;
    }

    #[test]
    fn the_sample_event_is_json() {
        let sample = include_str!("../../../events/cron-sweep/tick.json");
        assert!(serde_json::from_str::<Value>(sample).unwrap().is_object());
    }
}
