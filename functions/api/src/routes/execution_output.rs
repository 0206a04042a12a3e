//! `/executions/{id}/outputs/{step}`.

use countersign_run::{RunId, StepStatus};
use countersign_web::{Json, Problem};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::execution::own;
use super::{JsonOf, Named, Reader};
use crate::Context;

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
    responses((status = 200, body = OutputView), (status = 404, description = "NOT_FOUND: also of a step without output"))
)]
pub(crate) async fn detail(
    Named(ctx, Reader(ref user), (id, step)): Named<(RunId, String)>,
) -> JsonOf<OutputView> {
    own(&ctx, user, &id).await?;
    let Some(outcome) = ctx.runs.outcome(&id, &step).await? else {
        return Err(without_output(&ctx, &id, &step).await?);
    };
    Ok(Json(OutputView {
        step: outcome.step,
        status: outcome.status,
        output: outcome.output,
        count: outcome.count,
        code: outcome.code,
        message: outcome.message,
    }))
}

/// Why there is no output: the step has none, or there is no such step.
async fn without_output(ctx: &Context, run: &RunId, step: &str) -> Result<Problem, Problem> {
    let mut problem = Problem::not_found();
    let plan = ctx.runs.plan(run).await?;
    if plan.is_some_and(|(plan, _)| plan.step(step).is_some()) {
        problem.detail =
            format!("the step `{step}` has no output: it has not ended, or was not carried out");
        return Ok(
            problem.with_hint(format!("`GET /api/agent-factory/executions/{run}` says which"))
        );
    }
    Ok(problem)
}
