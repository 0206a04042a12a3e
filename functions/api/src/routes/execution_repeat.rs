//! `/executions/{id}/repeat`.

use axum::response::Response;
use countersign_run::{Head, RunId};
use countersign_run_start as run_start;
use countersign_web::idempotency::{Attempt, Key};
use countersign_web::{Problem, Signed};

use super::execution::own;
use super::executions::{StartedExecution, accepted};
use super::{Named, analyst, invoker};
use crate::Context;
use crate::idempotency::do_once;

/// Starts a run that does the rest of one that has finished: with the same agent, playbook and inputs, and without the calls
/// that were made. What is sent carries the keys of the first run. Calls of unknown outcome are left out too, and said.
#[utoipa::path(
    post, path = "/executions/{id}/repeat", tag = "executions",
    params(("id" = String, Path, description = "`run_…`"), ("Idempotency-Key" = Option<String>, Header, description = "the same key starts the same run")),
    responses((status = 202, body = StartedExecution), (status = 404, description = "NOT_FOUND"), (status = 409, description = "RUN_NOT_FINISHED, RUN_REPEATED, RUN_REPEATED_TOO_OFTEN, RUN_TRIED_AGAIN, RUN_OF_A_MEMBER, RUN_IS_A_TEST or PROFILE_INACTIVE"), (status = 422, description = "INVALID_INPUT: the playbook no longer fits what was sent; or APPROVAL_UNREACHABLE"), (status = 429, description = "QUOTA_EXCEEDED"))
)]
pub(crate) async fn repeat(named: Named<RunId, Signed>, key: Key) -> Result<Response, Problem> {
    once_more(named, key, Again::Repeat).await
}

/// How a run that has finished is run once more.
#[derive(Clone, Copy)]
pub(super) enum Again {
    /// The rest of it.
    Repeat,
    /// All of it, as a test.
    Replay,
}

/// Runs one of the caller's runs once more, once for each key.
pub(super) async fn once_more(
    Named(ctx, signed, id): Named<RunId, Signed>,
    key: Key,
    how: Again,
) -> Result<Response, Problem> {
    let owner = analyst(&signed)?;
    let word = match how {
        Again::Repeat => "repeat",
        Again::Replay => "replay",
    };
    let attempt = Attempt::new(owner, &format!("POST /executions/{id}/{word}"), key, &id)?;
    let run = RunId::from_bytes(attempt.id());
    do_once(&ctx, &attempt, async {
        let (starter, invoker) = (ctx.starter(), invoker(&signed));
        let head = own(&ctx, owner, &id).await?;
        if let Again::Repeat = how {
            is_left_to_people(&ctx, &head).await?;
        }
        is_own(&head)?;
        let started = match how {
            Again::Repeat => {
                let by = run_start::By::Person;
                run_start::repeat(starter, &invoker, &head, run.clone(), by).await?
            }
            Again::Replay => run_start::replay(starter, &invoker, &head, run.clone()).await?,
        };
        accepted(&ctx, started)
    })
    .await
}

/// What a member has asked for is neither asked again nor replayed in its owner's name.
fn is_own(head: &Head) -> Result<(), Problem> {
    if head.member().is_none() {
        return Ok(());
    }
    let problem = Problem::conflict("RUN_OF_A_MEMBER", "a member of a team has started this run");
    Err(problem.with_hint("they start it again themselves"))
}

/// What a monitor tries again by itself nobody else does beside it.
async fn is_left_to_people(ctx: &Context, head: &Head) -> Result<(), Problem> {
    let Some(from) = &head.from_monitor else { return Ok(()) };
    let open = ctx.monitors.standing(&from.monitor).await?.state.open;
    if open.is_none_or(|open| open.batch != from.batch) {
        return Ok(());
    }
    let message = "its monitor starts another run for what this one did not do";
    let problem = Problem::conflict("RUN_TRIED_AGAIN", message);
    Err(problem
        .with_hint("a batch that failed three times is parked; then its last run can be repeated"))
}
