//! `/executions/{id}/replay`: a run once more, with what was asked and read then, and without asking or reading anything.

use axum::response::Response;
use countersign_run::RunId;
use countersign_web::idempotency::Key;
use countersign_web::{Problem, Signed};

use super::Named;
use super::execution_repeat::{Again, once_more};
use super::executions::StartedExecution;

/// Starts a test that replays a run which has finished: the agent and its playbook as they are now, with the question and the inputs
/// of the run. What its steps were answered by models, connectors and files stands in, gates go on as they were decided, and what
/// only computes is computed again. No provider is needed and nothing is sent. A step that is asked or given
/// something else than in the run has the code `PROMPT_CHANGED` or `INPUTS_CHANGED` and a warning.
#[utoipa::path(
    post, path = "/executions/{id}/replay", tag = "executions",
    params(("id" = String, Path, description = "`run_…`"), ("Idempotency-Key" = Option<String>, Header, description = "the same key starts the same test")),
    responses((status = 202, body = StartedExecution), (status = 404, description = "NOT_FOUND"), (status = 409, description = "RUN_NOT_FINISHED, RUN_IS_A_TEST or RUN_OF_A_MEMBER"), (status = 422, description = "INVALID_INPUT: the inputs or connectors do not fit the playbook as it is now"), (status = 429, description = "QUOTA_EXCEEDED"))
)]
pub(crate) async fn replay(named: Named<RunId, Signed>, key: Key) -> Result<Response, Problem> {
    once_more(named, key, Again::Replay).await
}
