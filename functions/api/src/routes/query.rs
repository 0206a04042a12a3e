//! `/query`: a question and its answer in one request, without a dialogue (R-092, K-18, K-90).

use axum::extract::State;
use axum::response::Response;
use countersign_web::idempotency::Key;
use countersign_web::{Json, Problem, Query, Signed};
use tokio::time::Instant;

use super::Ctx;
use super::execution::ExecutionView;
use super::execution_start::{AskedPolicy, Door, answer};
use super::execution_wait::AnswerQuery;
use super::executions::{Start, StartedExecution};

/// Asks an agent, and waits up to 25 seconds for the answer: 200 with the run, whose `response` is the answer, or 202 with its id,
/// and it goes on. Nobody is asked to sign: what needs a signature is left out, and `response.blocked` says what. With
/// `"approval_policy": "require"` gates ask.
#[utoipa::path(
    post, path = "/api/query", tag = "questions", request_body = Start,
    params(("Idempotency-Key" = Option<String>, Header, description = "the same key asks the same question once"), AnswerQuery),
    responses((status = 200, body = ExecutionView, description = "the run, which is over"), (status = 202, body = StartedExecution), (status = 404, description = "NOT_FOUND"), (status = 409, description = "as of `POST /api/agent-factory/executions`"), (status = 422, description = "as of `POST /api/agent-factory/executions`; also without a `query`"), (status = 429, description = "QUOTA_EXCEEDED: `Retry-After` says when the day's quota begins anew"))
)]
pub(crate) async fn ask(
    State(ctx): Ctx,
    signed: Signed,
    key: Key,
    Query(query): Query<AnswerQuery>,
    Json(body): Json<Start>,
) -> Result<Response, Problem> {
    let until = Instant::now() + query.wanted()?;
    if body.query.trim().is_empty() {
        let problem = Problem::field("query", "is needed: what is asked");
        return Err(problem.with_hint(
            "a run without a question is started at `POST /api/agent-factory/executions`",
        ));
    }
    let door = Door { route: "POST /api/query", gates: AskedPolicy::Skip };
    answer(&ctx, &signed, key, (&door, Some(until)), &body).await
}
