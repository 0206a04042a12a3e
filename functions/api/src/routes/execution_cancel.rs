//! `/executions/{id}/cancel`.

use countersign_failure::Failure as _;
use countersign_identity::UserId;
use countersign_run::{Head, RunId, Stop, StopReason};
use countersign_web::{Json, Problem};
use serde::Serialize;
use utoipa::ToSchema;

use super::execution::own;
use super::{Analyst, JsonOf, Named, now};
use crate::Context;

/// What is said of every run that is cancelled: whether a step is at work is known to its function alone.
const NOTE: &str =
    "nothing new begins; the run is `cancelled` when the steps that it is doing have finished";

/// What cancelling did.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Cancelled {
    /// The run.
    #[schema(value_type = String)]
    id: RunId,
    /// Open approvals that were closed.
    approvals_closed: usize,
    /// What is still to come: the run is over once the steps that it is doing have finished. That may be at once, or take minutes where a
    /// model writes an answer.
    #[schema(value_type = String)]
    note: &'static str,
}

/// Ends a run early. Steps at work finish, nothing new begins, open approvals close. Cancelling twice is cancelling once. A model that writes
/// its answer is broken off where the answer is shown while it is written; otherwise the run ends when it has finished, and is `running` until then.
/// A run that could not be ended, and rests until that is tried again, is tried again now, a minute after the last attempt at the earliest.
#[utoipa::path(
    post, path = "/executions/{id}/cancel", tag = "executions", params(("id" = String, Path, description = "`run_…`")),
    responses((status = 200, body = Cancelled), (status = 404, description = "NOT_FOUND"), (status = 409, description = "RUN_FINISHED"))
)]
pub(crate) async fn cancel(
    Named(ctx, Analyst(ref owner), id): Named<RunId, Analyst>,
) -> JsonOf<Cancelled> {
    let head = own(&ctx, owner, &id).await?;
    cancelled(&ctx, &head, owner, "cancelled by its owner").await
}

/// Ends a run early, because `by` asks for it; `message` says who that is to the run.
pub(super) async fn cancelled(
    ctx: &Context,
    head: &Head,
    by: &UserId,
    message: &str,
) -> JsonOf<Cancelled> {
    if head.finished_at.is_some() {
        return Err(Problem::conflict("RUN_FINISHED", "the run has finished already"));
    }
    let stop = Stop {
        reason: StopReason::Cancelled,
        step: None,
        by: Some(by.clone()),
        code: None,
        message: message.to_owned(),
        at: now(),
    };
    // Whether this or an earlier stop stands, the gates have to close.
    ctx.runs.stop(&head.run, &stop, head.attempt).await?;
    let approvals_closed = ctx.gatekeeper.cancel_for_run(&head.run, now()).await?;
    // One that could not be ended may rest for hours. If it cannot be woken, it is cancelled all the same, and ends after its rest.
    if let Err(error) = ctx.runner.wake(&head.run, now()).await {
        tracing::warn!(run = %head.run, code = error.code(), "a cancelled run is not woken");
    }
    Ok(Json(Cancelled { id: head.run.clone(), approvals_closed, note: NOTE }))
}
