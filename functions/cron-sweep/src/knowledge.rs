//! Names that were to be resolved in the background (F-250), and graph writes that failed or were never finished (F-274, F-314).

use std::time::{Duration, Instant};

use countersign_actions_knowledge::{Settled, give_up, settle};
use countersign_failure::Failure as _;
use countersign_lambda_entry::Fault;
use countersign_store_knowledge::{DeferredCall, KnowledgeStore, OpenPlan};
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};

use crate::SweepTask;

/// No function runs longer, so a plan as old as this is nobody's any more.
const OLD: SignedDuration = SignedDuration::from_mins(15);

/// A plan that fails for so long is given up.
const GIVEN_UP: SignedDuration = SignedDuration::from_hours(7 * 24);

/// How many plans one sweep applies.
const MAX_PLANS: i32 = 10;

/// How many calls that were put off one sweep resolves, and how long each of them may take.
const AT_ONCE: i32 = 3;
const WITHIN: Duration = Duration::from_secs(12);

/// Names that wait to be resolved, and plans for the graph that were stored and not applied.
pub struct Knowledge {
    /// The graph.
    pub store: KnowledgeStore,
    /// How long the names of one call may take.
    pub within: Duration,
}

#[derive(Default, Serialize)]
struct Counts {
    resolved: usize,
    applied: usize,
    failed: usize,
    given_up: usize,
    left: usize,
}

impl SweepTask for Knowledge {
    fn name(&self) -> &'static str {
        "knowledge"
    }

    fn run(&self, now: Timestamp, until: Instant) -> BoxFuture<'_, Result<Value, Fault>> {
        Box::pin(async move {
            let mut counts = Counts::default();
            self.resolve(now, until, &mut counts).await?;
            for open in self.store.open_plans(before(now, OLD), MAX_PLANS, now).await? {
                // One bad plan must not keep the others.
                if let Err(error) = self.store.resume(&open).await {
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
    /// With the time that names have in a deployment.
    #[must_use]
    pub fn new(store: KnowledgeStore) -> Self {
        Self { store, within: WITHIN }
    }

    /// Resolves what took too long while somebody waited (F-250). What does not come to its end goes behind the others.
    async fn resolve(
        &self,
        now: Timestamp,
        until: Instant,
        counts: &mut Counts,
    ) -> Result<(), Fault> {
        for call in self.store.deferred(AT_ONCE, now).await? {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                counts.left += 1;
                continue;
            }
            let within = self.within.min(left);
            match settle(&self.store, &call.scope, &call.call, &call.deferred, within).await {
                Ok(settled) => {
                    counts.resolved += usize::from(settled == Settled::Stored);
                    tracing::info!(call = call.call, ?settled, "names that were put off");
                    if settled != Settled::Waiting {
                        continue;
                    }
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
            self.wait_on(&call, now, counts).await?;
        }
        Ok(())
    }

    /// What could not be resolved waits behind the others, and for a week at most.
    async fn wait_on(
        &self,
        call: &DeferredCall,
        now: Timestamp,
        counts: &mut Counts,
    ) -> Result<(), Fault> {
        let DeferredCall { scope, call: key, deferred } = call;
        if deferred.at < before(now, GIVEN_UP) {
            match give_up(&self.store, scope, key, deferred).await {
                Ok(_) => {
                    counts.given_up += 1;
                    let names = deferred.entities.len();
                    tracing::error!(call = key, names, "GRAPH_GIVEN_UP: names were not resolved");
                    return Ok(());
                }
                Err(error) => {
                    tracing::error!(call = key, code = error.code(), "names could not be given up");
                }
            }
        }
        Ok(self.store.put_off(scope, key, now).await?)
    }

    async fn look_after(
        &self,
        open: &OpenPlan,
        now: Timestamp,
        counts: &mut Counts,
    ) -> Result<(), Fault> {
        if open.planned.at < before(now, GIVEN_UP) {
            self.store.give_up(open).await?;
            counts.given_up += 1;
            tracing::error!(call = open.call, "GRAPH_GIVEN_UP: a graph write failed for a week");
            return Ok(());
        }
        Ok(self.store.put_off(&open.scope, &open.call, now).await?)
    }
}

fn before(now: Timestamp, long: SignedDuration) -> Timestamp {
    now.checked_sub(long).unwrap_or(Timestamp::MIN)
}
