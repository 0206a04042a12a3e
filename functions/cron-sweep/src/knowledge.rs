//! Names that were to be resolved in the background (F-250), and graph writes that failed or were never finished (F-274, F-314).

use std::time::{Duration, Instant};

use countersign_actions_knowledge::{Settled, settle};
use countersign_failure::Failure as _;
use countersign_lambda_entry::Fault;
use countersign_store_knowledge::{KnowledgeStore, OpenPlan};
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};

use crate::Chore;

/// No function runs longer, so a plan as old as this is nobody's any more.
const OLD: SignedDuration = SignedDuration::from_mins(15);

/// A plan that fails for so long is given up.
const GIVEN_UP: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How many plans one sweep applies.
const MAX_PLANS: i32 = 10;

/// Plans for the graph that were stored and not applied.
pub struct Knowledge(pub KnowledgeStore);

/// How many calls that were put off one sweep looks at and resolves, and how long each of them may take.
const MAX_DEFERRED: i32 = 10;
const AT_ONCE: usize = 3;
const WITHIN: Duration = Duration::from_secs(12);

#[derive(Default, Serialize)]
struct Counts {
    resolved: usize,
    applied: usize,
    failed: usize,
    given_up: usize,
}

impl Chore for Knowledge {
    fn name(&self) -> &'static str {
        "knowledge"
    }

    fn run(&self, now: Timestamp, _: Instant) -> BoxFuture<'_, Result<Value, Fault>> {
        Box::pin(async move {
            let mut counts = Counts::default();
            self.resolve(now, &mut counts).await?;
            let plans = self.0.open_plans(before(now, OLD), MAX_PLANS).await?;
            for open in turned(plans, now) {
                // One bad plan must not keep the others.
                if let Err(error) = self.0.resume(&open).await {
                    counts.failed += 1;
                    tracing::error!(
                        call = open.call,
                        code = error.code(),
                        "a graph write failed again"
                    );
                    self.look_after(&open, now, &mut counts).await?;
                } else {
                    counts.applied += 1;
                }
            }
            Ok(json!(counts))
        })
    }
}

impl Knowledge {
    /// Resolves what took too long while somebody waited (F-250).
    async fn resolve(&self, now: Timestamp, counts: &mut Counts) -> Result<(), Fault> {
        for call in turned(self.0.deferred(MAX_DEFERRED).await?, now).into_iter().take(AT_ONCE) {
            match settle(&self.0, &call.scope, &call.call, &call.deferred, WITHIN).await {
                Ok(settled) => {
                    counts.resolved += usize::from(settled == Settled::Stored);
                    tracing::info!(call = call.call, ?settled, "names that were put off");
                }
                Err(error) => {
                    counts.failed += 1;
                    tracing::error!(
                        call = call.call,
                        code = error.code(),
                        "names could not be resolved"
                    );
                }
            }
        }
        Ok(())
    }

    async fn look_after(
        &self,
        open: &OpenPlan,
        now: Timestamp,
        counts: &mut Counts,
    ) -> Result<(), Fault> {
        if open.planned.at < before(now, GIVEN_UP) {
            self.0.give_up(open).await?;
            counts.given_up += 1;
        }
        Ok(())
    }
}

fn before(now: Timestamp, long: SignedDuration) -> Timestamp {
    now.checked_sub(long).unwrap_or(Timestamp::MIN)
}

/// One that takes longer than a sweep has must not always be the first.
fn turned<T>(mut all: Vec<T>, now: Timestamp) -> Vec<T> {
    let minute = usize::try_from(now.as_second() / 60).unwrap_or_default();
    let first = minute.checked_rem(all.len()).unwrap_or_default();
    all.rotate_left(first);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f_250_every_call_has_its_turn() {
        let first = |minute: i64| {
            let now = Timestamp::from_second(minute * 60).unwrap_or_default();
            turned(vec!['a', 'b', 'c'], now).first().copied()
        };
        assert_eq!([0, 1, 2, 3].map(first), [Some('a'), Some('b'), Some('c'), Some('a')]);
        assert!(turned(Vec::<char>::new(), Timestamp::UNIX_EPOCH).is_empty());
    }
}
