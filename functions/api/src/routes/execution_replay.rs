//! `/executions/{id}/replay`: a run once more, with what was asked and read then, and without asking or reading anything.

use axum::response::Response;
use countersign_run::RunId;
use countersign_run_start as run_start;
use countersign_web::idempotency::{Attempt, Key};
use countersign_web::{Problem, Signed};

use super::execution::own;
use super::execution_repeat::is_own;
use super::executions::{StartedExecution, accepted};
use super::{Named, analyst, invoker};
use crate::idempotency::do_once;

/// Starts a test that replays a run which has finished: the agent and its playbook as they are now, with the question and the inputs
/// of the run. What its steps were answered by models, connectors and files stands in, gates go on as they were decided, and what
/// only computes is computed again. No provider is needed and nothing is sent. A step that is asked or given
/// something else than in the run has the code `PROMPT_CHANGED` or `INPUTS_CHANGED` and a warning.
#[utoipa::path(
    post, path = "/executions/{id}/replay", tag = "executions",
    params(("id" = String, Path, description = "`run_…`"), ("Idempotency-Key" = Option<String>, Header, description = "the same key starts the same test")),
    responses((status = 202, body = StartedExecution), (status = 404, description = "NOT_FOUND"), (status = 409, description = "RUN_NOT_FINISHED, RUN_IS_A_TEST or RUN_OF_A_MEMBER"), (status = 422, description = "INVALID_INPUT: the inputs or connectors do not fit the playbook as it is now"), (status = 429, description = "QUOTA_EXCEEDED"))
)]
pub(crate) async fn replay(
    Named(ctx, signed, id): Named<RunId, Signed>,
    key: Key,
) -> Result<Response, Problem> {
    let owner = analyst(&signed)?;
    let attempt = Attempt::new(owner, &format!("POST /executions/{id}/replay"), key, &id)?;
    let run = RunId::from_bytes(attempt.id());
    do_once(&ctx, &attempt, async {
        let head = own(&ctx, owner, &id).await?;
        is_own(&head)?;
        let starter = ctx.starter();
        accepted(&ctx, run_start::replay(starter, &invoker(&signed), &head, run.clone()).await?)
    })
    .await
}
