//! `/monitors/{id}/batches/{number}/retry`: what is parked and never had a run is processed after all (F-218).

use axum::response::Response;
use countersign_monitor::{Batch, MonitorId, MonitorSpec, NotReopened};
use countersign_run::RunId;
use countersign_store_catalog::{Batched, Clock, Stored};
use countersign_web::Problem;
use countersign_web::idempotency::{Attempt, Key, StoredAnswer};
use http::StatusCode;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Analyst, Named, found, monitor_switch, monitors, now};
use crate::idempotency::do_once;
use crate::{Context, quotas};

/// A batch that is to be processed after all.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Retried {
    /// The monitor.
    #[schema(value_type = String)]
    id: MonitorId,
    /// The number of the batch: the open one of the monitor now.
    batch: u64,
    /// Its run, which starts within about a minute.
    #[schema(value_type = String)]
    execution_id: RunId,
    /// Always `asked`: what it comes to is at `/monitors/{id}/state`.
    status: &'static str,
}

/// Has a batch processed that is parked and never had a run, with what was found then: the source may not have it any more. It
/// becomes the open batch of its monitor, its tries count anew, and its gates ask. The watermarks stay where they are. Counts in the
/// quota of runs as `run-now` does. Mend first what its run was refused for. Of a batch that had a run, that run can be repeated.
#[utoipa::path(
    post, path = "/monitors/{id}/batches/{number}/retry", tag = "monitors",
    params(("id" = String, Path, description = "`mon_…`"), ("number" = u64, Path, description = "its number"), ("Idempotency-Key" = Option<String>, Header, description = "the same key asks once")),
    responses((status = 202, body = Retried), (status = 404, description = "NOT_FOUND"), (status = 409, description = "BATCH_NOT_PARKED, BATCH_HAD_RUN (repeat the run that it names), BATCH_OPEN (another one is), BATCH_WITHOUT_CONTENT, MONITOR_PAUSED or VERSION_CONFLICT"), (status = 422, description = "APPROVAL_UNREACHABLE, INVALID_INPUT: its run could not start"), (status = 429, description = "QUOTA_EXCEEDED"))
)]
pub(crate) async fn retry(
    Named(ctx, Analyst(ref owner), (id, number)): Named<(MonitorId, u64), Analyst>,
    key: Key,
) -> Result<Response, Problem> {
    let operation = format!("POST /monitors/{id}/batches/{number}/retry");
    let attempt = Attempt::new(owner, &operation, key, &number)?;
    do_once(&ctx, &attempt, async {
        let monitor = monitors::own(&ctx, owner, &id).await?;
        let batched = found(ctx.monitors.batch(&id, number).await?)?;
        let now = now();
        // Whoever asks again, once its run goes on, has what they want.
        if !is_begun(&ctx, &batched.batch).await? {
            could_open(&ctx, &batched.batch, now).await?;
            monitor_switch::may_ask(&ctx, owner, &monitor).await?;
            // It was counted when it was opened again.
            if !batched.batch.is_reopened() {
                quotas::look(&ctx, owner, &attempt, now).await?;
            }
            open(&ctx, &monitor, &batched, now).await?;
        }
        let Batch { run: execution_id, number: batch, .. } = batched.batch;
        let retried = Retried { id: id.clone(), batch, execution_id, status: "asked" };
        StoredAnswer::new(StatusCode::ACCEPTED, None, &retried)
    })
    .await
}

/// Whether it was opened again before, and its run has begun. One that is parked and has a run all the same, because two ticks came
/// at once, is left to whoever repeats that run.
async fn is_begun(ctx: &Context, batch: &Batch) -> Result<bool, Problem> {
    let may_have_run = batch.is_reopened() || batch.state.is_parked();
    if !may_have_run || ctx.runs.head(&batch.run).await?.is_none() {
        return Ok(false);
    }
    if batch.is_reopened() {
        return Ok(true);
    }
    Err(NotReopened::HadRun { number: batch.number, run: batch.run.clone() }.into())
}

/// What is refused counts in no quota.
async fn could_open(ctx: &Context, batch: &Batch, now: Timestamp) -> Result<(), Problem> {
    let state = ctx.monitors.standing(&batch.monitor_id).await?.state;
    batch.reopened(&state, now)?;
    Ok(())
}

/// Opens it, then ticks its monitor; where that fails the sweeper does, within a minute.
async fn open(
    ctx: &Context,
    monitor: &Stored<MonitorSpec>,
    batched: &Batched,
    now: Timestamp,
) -> Result<(), Problem> {
    let owner = found(monitor.user_id.clone())?;
    let clock = Clock { owner, monitor: monitor.id.clone(), overdue_at: now };
    ctx.monitors.reopen(batched, &clock, now).await??;
    if let Err(problem) = monitors::tick_now(ctx, monitor).await {
        tracing::warn!(monitor = %monitor.id, code = problem.code, "the monitor was not ticked; the sweeper does");
    }
    Ok(())
}
