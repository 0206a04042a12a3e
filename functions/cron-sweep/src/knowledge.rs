//! Names that were to be resolved in the background (F-250), and graph writes that failed or were never finished (F-274, F-314).
//!
//! Whatever is begun is put behind the others and counted first: work that ends the function, or is broken off with it, is not the
//! first again, and is given up when that happens again and again.

use std::time::{Duration, Instant};

use countersign_actions_knowledge::{PutOff, Settled, give_up, settle};
use countersign_failure::Failure as _;
use countersign_knowledge::graph::{Applied, Deferred, Planned};
use countersign_lambda_entry::Fault;
use countersign_schedule::in_turns_by;
use countersign_store_knowledge::{KnowledgeStore, Waiting};
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};

use crate::SweepTask;

/// No function runs longer, so a plan as old as this is nobody's any more.
const OLD: SignedDuration = SignedDuration::from_mins(15);

/// What fails for so long is given up.
const GIVEN_UP: SignedDuration = SignedDuration::from_hours(7 * 24);

/// What was begun so often, and each time ended its function or was ended with it, is given up.
const MAX_BEGUN: u32 = 5;

/// Why what contradicts the graph is given up.
const CONTRADICTED: &str = "its plans contradicted the graph for seven days";

/// How many plans one sweep applies.
const MAX_PLANS: usize = 10;

/// How many calls that were put off one sweep resolves, and how long each of them may take.
const AT_ONCE: usize = 3;
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
            self.apply(now, until, &mut counts).await?;
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

    /// Resolves what took too long while somebody waited (F-250).
    async fn resolve(
        &self,
        now: Timestamp,
        until: Instant,
        counts: &mut Counts,
    ) -> Result<(), Fault> {
        for one in in_turns(self.store.deferred_calls(now).await?, now, AT_ONCE) {
            if left(until).is_zero() {
                counts.left += 1;
            } else if self.store.begin(&one, now).await?
                && let Some(deferred) = self.store.deferred(&one, now).await?
            {
                let within = self.within.min(left(until));
                self.resolve_one(&one, &deferred, (now, within), counts).await?;
            }
        }
        Ok(())
    }

    async fn resolve_one(
        &self,
        one: &Waiting,
        deferred: &Deferred,
        (now, within): (Timestamp, Duration),
        counts: &mut Counts,
    ) -> Result<(), Fault> {
        let Waiting { scope, call: key, begun } = one;
        let of = PutOff { graph: &self.store, scope, key, deferred, now };
        if *begun >= MAX_BEGUN {
            return self.give_up_names(one, of, &in_vain("resolving it"), counts).await;
        }
        match settle(of, within).await {
            Ok(settled) => {
                counts.resolved += usize::from(settled == Settled::Stored);
                tracing::info!(call = key, ?settled, "names that were put off");
                if !matches!(settled, Settled::Waiting | Settled::Again) {
                    return Ok(());
                }
            }
            Err(error) => {
                counts.failed += 1;
                tracing::error!(call = key, code = error.code(), "names could not be resolved");
            }
        }
        if deferred.at < before(now, GIVEN_UP) {
            let why = "it could not be resolved in the background for seven days";
            return self.give_up_names(one, of, why, counts).await;
        }
        Ok(self.store.put_off(one, now).await?)
    }

    async fn give_up_names(
        &self,
        one: &Waiting,
        of: PutOff<'_>,
        why: &str,
        counts: &mut Counts,
    ) -> Result<(), Fault> {
        match give_up(of, why, WITHIN).await {
            Ok(_) => {
                counts.given_up += 1;
                let names = of.deferred.entities.len();
                tracing::error!(
                    call = one.call,
                    names,
                    why,
                    "GRAPH_GIVEN_UP: names were not resolved"
                );
                Ok(())
            }
            Err(error) => {
                tracing::error!(
                    call = one.call,
                    code = error.code(),
                    "names could not be given up"
                );
                Ok(self.store.put_off(one, of.now).await?)
            }
        }
    }

    /// Applies plans that nobody is at work on, or goes on with them.
    async fn apply(
        &self,
        now: Timestamp,
        until: Instant,
        counts: &mut Counts,
    ) -> Result<(), Fault> {
        let open = self.store.open_plans(before(now, OLD), now).await?;
        for one in in_turns(open, now, MAX_PLANS) {
            if left(until).is_zero() {
                counts.left += 1;
            } else if self.store.begin(&one, now).await?
                && let Some(planned) = self.store.planned(&one, now).await?
            {
                self.apply_one(&one, &planned, (now, until), counts).await?;
            }
        }
        Ok(())
    }

    async fn apply_one(
        &self,
        one: &Waiting,
        planned: &Planned,
        (now, until): (Timestamp, Instant),
        counts: &mut Counts,
    ) -> Result<(), Fault> {
        if one.begun >= MAX_BEGUN {
            return self.give_up_plan(one, planned, &in_vain("writing it"), counts).await;
        }
        let goes_on = || !left(until).is_zero();
        match self.store.resume(one, planned, &goes_on, now).await {
            Ok(Applied::Whole) => counts.applied += 1,
            Ok(Applied::Contradicted) => {
                tracing::info!(call = one.call, "a plan contradicts the graph");
                self.contradicted(one, planned, now, counts).await?;
            }
            Ok(Applied::Partly) => {
                // The next sweep goes on with it, behind those that have waited longer.
                counts.left += 1;
                self.store.put_off(one, before(now, OLD)).await?;
            }
            // One bad plan must not keep the others.
            Err(error) => {
                counts.failed += 1;
                let code = error.code();
                tracing::error!(call = one.call, code, "a graph write failed again");
                if planned.at < before(now, GIVEN_UP) {
                    let why = "it could not be written for seven days";
                    return self.give_up_plan(one, planned, why, counts).await;
                }
                self.store.put_off(one, now).await?;
            }
        }
        Ok(())
    }

    /// Gives up a call whose plans have contradicted the graph for so long: another one would too. Until then it is planned again,
    /// or, where that cannot be done, tried again: people may take apart what it contradicts.
    async fn contradicted(
        &self,
        one: &Waiting,
        planned: &Planned,
        now: Timestamp,
        counts: &mut Counts,
    ) -> Result<(), Fault> {
        let from = planned.from.as_deref();
        let is_over = from.map_or(planned.at, |from| from.at) < before(now, GIVEN_UP);
        match from {
            Some(deferred) if is_over => {
                let (scope, key) = (&one.scope, one.call.as_str());
                let of = PutOff { graph: &self.store, scope, key, deferred, now };
                self.give_up_names(one, of, CONTRADICTED, counts).await
            }
            Some(_) => Ok(()),
            None if is_over => self.give_up_plan(one, planned, CONTRADICTED, counts).await,
            None => Ok(self.store.put_off(one, now).await?),
        }
    }

    async fn give_up_plan(
        &self,
        one: &Waiting,
        planned: &Planned,
        why: &str,
        counts: &mut Counts,
    ) -> Result<(), Fault> {
        self.store.give_up(one, planned, why).await?;
        counts.given_up += 1;
        tracing::error!(call = one.call, why, "GRAPH_GIVEN_UP: what a run found was not written");
        Ok(())
    }
}

/// The first of them, where each owner has a turn.
fn in_turns(waiting: Vec<Waiting>, now: Timestamp, most: usize) -> impl Iterator<Item = Waiting> {
    in_turns_by(waiting, |one| one.scope.owner.clone(), now).into_iter().take(most)
}

fn in_vain(what: &str) -> String {
    format!("{what} was begun {MAX_BEGUN} times in the background and never came to an end")
}

fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now())
}

fn before(now: Timestamp, long: SignedDuration) -> Timestamp {
    now.checked_sub(long).unwrap_or(Timestamp::MIN)
}
