//! `/executions/{id}/destinations/{n}/retry` (F-314).

use countersign_plan::confirms;
use countersign_run::{Head, OutputOrigin, RoutedOutput, RunId};
use countersign_web::{Json, Problem};
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::execution::own;
use super::{Analyst, Named, found, now};
use crate::Context;

/// A destination that is tried again.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AskedAgain {
    /// The run.
    #[schema(value_type = String)]
    id: RunId,
    /// The place in `response.outputs`.
    destination: usize,
    /// `asked`: what comes of it is in `response.outputs` of the run within seconds.
    status: &'static str,
}

/// Writes one result of a finished run again that could not be written: the stored result, to the same destination, once. A
/// destination of the agent is read as it is now, so that a mended one is used. The run itself stays as it is.
#[utoipa::path(
    post, path = "/executions/{id}/destinations/{n}/retry", tag = "executions",
    params(("id" = String, Path, description = "`run_…`"), ("n" = usize, Path, description = "the place in `response.outputs`, from 0")),
    responses((status = 202, body = AskedAgain), (status = 404, description = "NOT_FOUND"), (status = 409, description = "RUN_NOT_FINISHED, RUN_IS_A_TEST, OUTPUT_DELIVERED, OUTPUT_NEEDS_SIGNATURE or OUTPUT_NOT_RETRYABLE"))
)]
pub(crate) async fn retry(
    Named(ctx, Analyst(ref owner), (id, n)): Named<(RunId, usize), Analyst>,
) -> Result<(StatusCode, Json<AskedAgain>), Problem> {
    let head = own(&ctx, owner, &id).await?;
    if head.finished_at.is_none() {
        return Err(Problem::conflict("RUN_NOT_FINISHED", "the run has not finished yet"));
    }
    if head.dry_run.is_some() {
        return Err(Problem::conflict("RUN_IS_A_TEST", "a test writes nothing"));
    }
    let response = found(ctx.runs.response(&id).await?)?;
    let row = found(response.outputs.get(n))?;
    retryable(&ctx, &head, row).await?;
    let now = now();
    ctx.runs.ask_delivery(&id, n, now).await?;
    ctx.runner.deliver(&head, n, now).await.map_err(|error| Problem::of(&error))?;
    Ok((StatusCode::ACCEPTED, Json(AskedAgain { id, destination: n, status: "asked" })))
}

/// Whether this row can be written again without asking anybody.
async fn retryable(ctx: &Context, head: &Head, row: &RoutedOutput) -> Result<(), Problem> {
    if !row.is_failed() {
        return Err(Problem::conflict("OUTPUT_DELIVERED", "this result was written, or skipped"));
    }
    let repeat = "repeat the run: it asks again before it writes";
    let n = match row.origin {
        Some(OutputOrigin::Step(n)) => n,
        Some(_) => return Ok(()),
        None => {
            let problem = Problem::conflict(
                "OUTPUT_NOT_RETRYABLE",
                "this destination cannot be tried again by itself",
            );
            return Err(problem.with_hint(repeat));
        }
    };
    let plan = ctx.runs.plan(&head.run).await?.map(|(plan, _)| plan);
    let step = row.step.as_deref().and_then(|step| plan.as_ref()?.step(step));
    if step.is_some_and(|step| !confirms(step, n)) {
        return Ok(());
    }
    let problem = "people sign before this destination is written";
    Err(Problem::conflict("OUTPUT_NEEDS_SIGNATURE", problem).with_hint(repeat))
}
