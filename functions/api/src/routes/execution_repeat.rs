//! `/executions/{id}/repeat`.

use axum::extract::State;
use axum::response::Response;
use countersign_run::RunId;
use countersign_run_start::{self as run_start, choosing, repeating, run_mode};
use countersign_web::idempotency::{Attempt, Key};
use countersign_web::{Path, Problem, Signed};
use serde_json::{Map, Value};

use super::execution::own;
use super::executions::{ExecutionLine, accepted};
use super::{Ctx, analyst, invoker};
use crate::idempotency::do_once;

/// Starts a run that does the rest of one that has finished: with the same agent, playbook and inputs, and without the calls
/// that were made. What is sent carries the keys of the first run. Calls of unknown outcome are left out too, and said.
#[utoipa::path(
    post, path = "/executions/{id}/repeat", tag = "executions",
    params(("id" = String, Path, description = "`run_…`"), ("Idempotency-Key" = Option<String>, Header, description = "the same key starts the same run")),
    responses((status = 202, body = ExecutionLine), (status = 404, description = "NOT_FOUND"), (status = 409, description = "RUN_NOT_FINISHED, RUN_REPEATED, RUN_REPEATED_TOO_OFTEN, RUN_IS_A_TEST or PROFILE_INACTIVE"), (status = 422, description = "INVALID_INPUT: the playbook no longer fits what was sent; or APPROVAL_UNREACHABLE"), (status = 429, description = "QUOTA_EXCEEDED"))
)]
pub(crate) async fn repeat(
    State(ctx): Ctx,
    signed: Signed,
    Path(id): Path<RunId>,
    key: Key,
) -> Result<Response, Problem> {
    let owner = analyst(&signed)?;
    let attempt = Attempt::new(owner, &format!("POST /executions/{id}/repeat"), key, &id)?;
    let run = RunId::from_bytes(attempt.id());
    do_once(&ctx, &attempt, async {
        let starter = ctx.starter();
        let head = own(&ctx, owner, &id).await?;
        let repeats = repeating::chain(&head, &run)?;
        if head.profile_id.is_empty() {
            let problem = Problem::no_such("profile", &head.profile_name);
            return Err(problem.with_hint("the agent of this run was removed"));
        }
        let profile = run_start::profile(starter, owner, &head.profile_id).await?;
        run_start::active(&profile)?;
        let named = head.playbook_id.as_deref();
        let playbook = choosing::playbook(starter, owner, &profile, named, "").await?.playbook;
        let inputs = given(ctx.runs.inputs(&id).await?);
        run_start::check_inputs(&playbook.playbook, &inputs)?;
        // No laxer than a new run, and than the one that is repeated.
        let context = run_start::by_hand(&profile, &playbook.playbook, None)?.max(head.context);
        let starting = run_start::Starting {
            run: run.clone(),
            profile: &profile,
            playbook: &playbook,
            query: &head.query,
            inputs: &inputs,
            context,
            mode: run_mode::of(Some(&profile), &playbook.playbook, Some(head.execution_mode))?,
            chosen_because: head.chosen_because.clone(),
            understood: head.understood.clone(),
            repeats: &repeats,
            found: None,
        };
        accepted(run_start::start(starter, &invoker(&signed), &starting, Vec::new()).await?)
    })
    .await
}

fn given(inputs: Value) -> Map<String, Value> {
    match inputs {
        Value::Object(inputs) => inputs,
        _ => Map::new(),
    }
}
