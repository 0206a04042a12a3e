//! The sweeper: once a minute it looks for everything that was written and not told, or lost on the way.
//!
//! A sweep is a list of [`Chore`]s, each on its own: one that fails does not keep the others, and one that takes long leaves them
//! their time. Approvals come first, then
//! schedules that are overdue, monitors whose clock has not ticked, native schedules that are not as they are to be, runs without
//! an execution, and writes to the knowledge graph that were not finished.

mod chores;
mod knowledge;
mod monitors;
mod natives;
mod schedules;

use std::sync::Arc;
use std::time::{Duration, Instant};

use countersign_failure::Failure;
use countersign_lambda_entry::{Fault, Invocation};
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use tokio::time::timeout;

pub use chores::{Approvals, Runs};
pub use knowledge::Knowledge;
pub use monitors::Monitors;
pub use natives::Natives;
pub use schedules::Schedules;

/// Something the sweeper does. It is called every minute and must not mind being called twice, nor being broken off anywhere: what
/// it did not come to, the next call does, and not the same first part each time.
pub trait Chore: Send + Sync {
    /// Its name in the answer.
    fn name(&self) -> &'static str;

    /// Does it; the answer holds counts. It should end by `until`, and is broken off a little later.
    fn run(&self, now: Timestamp, until: Instant) -> BoxFuture<'_, Result<Value, Fault>>;
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
    // What is left when the function is ended is not logged.
    let whole = invocation.remaining.mul_f64(0.9);
    let end = Instant::now() + whole;
    for (n, chore) in chores.iter().enumerate() {
        let left = end.saturating_duration_since(Instant::now());
        let share = share(whole, left, chores.len() - n);
        let until = Instant::now() + share.mul_f64(0.8);
        match timeout(share, chore.run(invocation.now, until)).await {
            Ok(Ok(counts)) => {
                report_left(chore.name(), &counts);
                done.insert(chore.name().to_owned(), counts);
            }
            Ok(Err(fault)) => {
                tracing::error!(chore = chore.name(), code = fault.code(), "a chore failed");
                failed.push(chore.name());
            }
            Err(_) => {
                tracing::warn!(
                    chore = chore.name(),
                    "SWEEP_LEFT: a chore was broken off; it goes on in a minute"
                );
                done.insert(chore.name().to_owned(), json!({ "broken_off": true }));
            }
        }
    }
    let done = Value::Object(done);
    tracing::info!(counts = done.to_string(), "swept");
    if failed.is_empty() { Ok(done) } else { Err(Unfinished(failed.join(", ")).into()) }
}

/// What there was no time for; an alarm counts these lines.
fn report_left(chore: &'static str, counts: &Value) {
    let left = counts.get("left").and_then(Value::as_u64).unwrap_or_default();
    if left > 0 {
        tracing::warn!(chore, left, "SWEEP_LEFT: there is more to do than a sweep has time for");
    }
}

/// How long a chore may take: half of what is left, and never what is kept for those that follow, a tenth of the whole time each.
/// The last one has all that is left.
fn share(whole: Duration, left: Duration, chores: usize) -> Duration {
    let chores = u32::try_from(chores).unwrap_or(u32::MAX).max(1);
    let kept = (whole / 10).min(left / chores);
    if chores == 1 { left } else { (left / 2).min(left.saturating_sub(kept * (chores - 1))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(&'static str, bool);

    impl Chore for Fixed {
        fn name(&self) -> &'static str {
            self.0
        }

        fn run(&self, _: Timestamp, _: Instant) -> BoxFuture<'_, Result<Value, Fault>> {
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

    struct Endless;

    impl Chore for Endless {
        fn name(&self) -> &'static str {
            "endless"
        }

        fn run(&self, _: Timestamp, _: Instant) -> BoxFuture<'_, Result<Value, Fault>> {
            Box::pin(std::future::pending())
        }
    }

    #[tokio::test]
    async fn p_003_a_chore_without_end_leaves_the_others_their_time() {
        let chores: [Arc<dyn Chore>; 3] =
            [Arc::new(Endless), Arc::new(Endless), Arc::new(Fixed("last", true))];
        let invocation = Invocation {
            request_id: "r".to_owned(),
            now: Timestamp::UNIX_EPOCH,
            remaining: Duration::from_millis(400),
        };
        let done = handle(&chores, &invocation).await.unwrap();
        let expect = json!({ "endless": { "broken_off": true }, "last": { "done": 1 } });
        assert_eq!(done, expect);
    }

    #[test]
    fn p_003_chores_that_take_all_their_time_leave_each_other_a_tenth() {
        let whole = Duration::from_secs(54);
        let mut left = whole;
        for chores in (1..=6).rev() {
            let share = share(whole, left, chores);
            assert!(share >= whole / 10, "{chores} are left, and {share:?} of {left:?}");
            left = left.checked_sub(share).unwrap();
        }
        assert_eq!(left, Duration::ZERO);
        assert_eq!(share(whole, whole, 6), whole / 2, "one whose others need no time has more");
    }

    #[test]
    fn the_sample_event_is_json() {
        let sample = include_str!("../../../events/cron-sweep/tick.json");
        assert!(serde_json::from_str::<Value>(sample).unwrap().is_object());
    }
}
