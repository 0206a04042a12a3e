//! Starting a run, and waiting for its end: what `POST /executions` and `POST /api/query` share.

use axum::http::response::Parts;
use axum::response::{IntoResponse as _, Response};
use countersign_run::{Head, RunId};
use countersign_run_start::{self as run_start, Invoker, Occasion, Question};
use countersign_web::idempotency::{Attempt, Key, REPLAYED};
use countersign_web::{Json, Problem, Signed};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::execution::{state, view};
use super::execution_wait::over;
use super::executions::{Start, accepted, by_mention};
use super::{analyst, invoker, today};
use crate::Context;
use crate::idempotency::do_once;

/// What a request may say of gates: they open by themselves only in runs that a clock starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AskedPolicy {
    /// They ask.
    Require,
    /// They ask nobody.
    Skip,
}

/// Where a run is asked for.
pub(super) struct Door {
    /// Method and path: a key of idempotency belongs to one.
    pub(super) route: &'static str,
    /// What the gates of its runs do, unless the request says otherwise.
    pub(super) gates: AskedPolicy,
}

/// Starts a run, and waits for its end.
pub(super) async fn answer(
    ctx: &Context,
    signed: &Signed,
    key: Key,
    (door, until): (&Door, Option<Instant>),
    body: &Start,
) -> Result<Response, Problem> {
    let owner = analyst(signed)?;
    let attempt = Attempt::new(owner, door.route, key, body)?;
    let run = RunId::from_bytes(attempt.id());
    let answer = do_once(ctx, &attempt, async {
        let starter = ctx.starter();
        let profile = run_start::profile(starter, owner, &body.profile).await?;
        let question = Question {
            run: run.clone(),
            profile: &profile,
            playbook: body.playbook.as_deref(),
            query: &body.query,
            inputs: &body.inputs,
            mode: body.execution_mode,
            today: today(),
            occasion: Occasion::ByHand {
                context: body.run_context,
                skips_gates: body.approval_policy.unwrap_or(door.gates) == AskedPolicy::Skip,
            },
            occurrence: None,
            source_limit: None,
            conversation: body.conversation.as_ref(),
        };
        let by_mention = by_mention(body.invocation_source)?;
        let invoker = Invoker { by_mention, ..invoker(signed) };
        accepted(ctx, run_start::ask(starter, &invoker, &question).await?)
    })
    .await?;
    let Some(until) = until else { return Ok(answer) };
    let looked = over(ctx, (owner, &run), until).await?;
    if looked.head.finished_at.is_none() {
        return at_this_moment(ctx, &looked.head, answer).await;
    }
    let (parts, line) = read(answer).await;
    let warnings = Vec::deserialize(&line["warnings"]).unwrap_or_default();
    let view = view(ctx, looked).await?.started_with(warnings);
    let mut whole = Json(view).into_response();
    if let Some(is_repeated) = parts.headers.get(REPLAYED) {
        whole.headers_mut().insert(REPLAYED, is_repeated.clone());
    }
    Ok(whole)
}

/// The answer to the start with the status that the run has by now: it may wait for people.
async fn at_this_moment(ctx: &Context, head: &Head, answer: Response) -> Result<Response, Problem> {
    let (parts, mut line) = read(answer).await;
    line["status"] = json!(state(ctx, head).await?.status);
    Ok(Response::from_parts(parts, line.to_string().into()))
}

/// The answer to the start: it was made here, and is in memory.
async fn read(answer: Response) -> (Parts, Value) {
    let (parts, body) = answer.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    (parts, serde_json::from_slice(&body).unwrap_or_default())
}
