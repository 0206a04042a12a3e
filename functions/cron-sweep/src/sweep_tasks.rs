//! What the sweeper does.

use std::time::Instant;

use countersign_gatekeeper::Gatekeeper;
use countersign_lambda_entry::Fault;
use countersign_recovery::{Recovered, Runner};
use countersign_run::RunId;
use countersign_store_runs::RunStore;
use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use crate::SweepTask;

/// How many unfinished runs one sweep looks at, about; the next one goes on behind them. Each takes two requests, and a
/// sweep has a minute.
const MAX_RUNS: usize = 500;

/// Requests that are overdue, untold or undelivered, and receipts that are not sealed.
pub struct Approvals(pub Gatekeeper);

impl SweepTask for Approvals {
    fn name(&self) -> &'static str {
        "approvals"
    }

    fn run(&self, now: Timestamp, _: Instant) -> BoxFuture<'_, Result<Value, Fault>> {
        Box::pin(async move { Ok(json!(self.0.sweep(now).await?)) })
    }
}

/// Runs that are not finished and have no execution.
pub struct Runs {
    /// The runs.
    pub store: RunStore,
    /// What starts them again.
    pub runner: Runner,
    /// What closes the gates of runs that are to end.
    pub gatekeeper: Gatekeeper,
}

#[derive(Default, Serialize)]
struct Counts {
    active: usize,
    started: usize,
    gates_closed: usize,
    failed: usize,
}

impl SweepTask for Runs {
    fn name(&self) -> &'static str {
        "runs"
    }

    fn run(&self, now: Timestamp, _: Instant) -> BoxFuture<'_, Result<Value, Fault>> {
        Box::pin(async move {
            let active = self.store.next_active(MAX_RUNS).await?;
            let mut counts = Counts { active: active.len(), ..Counts::default() };
            for mark in &active {
                // One bad run must not keep the others.
                if let Err(fault) = self.look_after(&mark.run, now, &mut counts).await {
                    counts.failed += 1;
                    tracing::error!(run = %mark.run, code = fault.code(), "a run could not be looked after");
                }
            }
            Ok(json!(counts))
        })
    }
}

impl Runs {
    async fn look_after(
        &self,
        run: &RunId,
        now: Timestamp,
        counts: &mut Counts,
    ) -> Result<(), Fault> {
        counts.gates_closed += self.close_gates(run, now).await?;
        if let Recovered::Started(_) = self.runner.check(run, now).await? {
            counts.started += 1;
        }
        Ok(())
    }

    /// A run that is to end waits for nobody: a step beside an open gate may have stopped it.
    async fn close_gates(&self, run: &RunId, now: Timestamp) -> Result<usize, Fault> {
        match self.store.head(run).await? {
            Some(head) if head.stop.is_some() => {
                Ok(self.gatekeeper.cancel_for_run(run, now).await?)
            }
            _ => Ok(0),
        }
    }
}
