//! `/executions/{id}/outputs/{step}`.

use axum::extract::State;
use countersign_run::{RunId, StepStatus};
use countersign_web::{Json, Path};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::execution::own;
use super::{Ctx, JsonOf, Reader, found};

/// What a step left behind.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OutputView {
    /// The step.
    step: String,
    /// How it ended.
    #[schema(value_type = String)]
    status: StepStatus,
    /// Its output: whatever its action answers with.
    output: Value,
    /// How many records came out.
    count: Option<u64>,
    /// The stable code of its error or reason.
    code: Option<String>,
    /// The same for people.
    message: Option<String>,
}

/// The output of one step.
#[utoipa::path(
    get, path = "/executions/{id}/outputs/{step}", tag = "executions",
    params(("id" = String, Path, description = "`run_…`"), ("step" = String, Path, description = "the step's name")),
    responses((status = 200, body = OutputView), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    State(ctx): Ctx,
    Reader(ref user): Reader,
    Path((id, step)): Path<(RunId, String)>,
) -> JsonOf<OutputView> {
    own(&ctx, user, &id).await?;
    let outcome = found(ctx.runs.outcome(&id, &step).await?)?;
    Ok(Json(OutputView {
        step: outcome.step,
        status: outcome.status,
        output: outcome.output,
        count: outcome.count,
        code: outcome.code,
        message: outcome.message,
    }))
}
