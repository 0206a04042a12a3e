//! `/executions`: starting a run (K-90: 202, then poll) and the history (F-347).

use axum::extract::State;
use axum::response::Response;
use countersign_identity::UserId;
use countersign_run::{DryRun, Head, RunContext, RunId, RunStatus};
use countersign_web::idempotency::{Attempt, Key};
use countersign_web::{Cursor, FieldError, Json, Page, PageQuery, Problem, Query, Signed};
use futures::future::BoxFuture;
use futures::{StreamExt as _, TryStreamExt as _};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::execution::state;
use super::{Ctx, Reader, analyst};
use crate::idempotency::do_once;
use crate::{Context, run_context, skills, start_run};

/// Runs of a page that are looked at together.
const AT_ONCE: usize = 8;

/// A run to start.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Start {
    /// The agent: `prof_…`, or its handle with or without `@`.
    profile: String,
    /// The playbook it follows. When left out, the one of the agent's skills with the highest priority.
    #[serde(default)]
    playbook: Option<String>,
    /// The playbook's inputs, by name; where one is left out, the `parameters` of the agent's skill count.
    #[serde(default)]
    #[schema(value_type = Object)]
    inputs: Map<String, Value>,
    /// What is asked, in the caller's words; at most 16,000 characters.
    #[serde(default)]
    query: String,
    /// `interactive`: somebody waits for it; `background`: nobody does. The run takes the strictest of this, the agent's
    /// default and the playbook's. `scheduled` and `monitor` are for runs that a clock starts.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    run_context: Option<RunContext>,
}

/// A run in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExecutionLine {
    /// `run_…`.
    #[schema(value_type = String)]
    id: RunId,
    /// The agent; empty when it was removed, and for the test of a playbook without one.
    profile_id: String,
    /// Its name when the run started.
    profile_name: String,
    /// The playbook.
    playbook_id: Option<String>,
    /// Its name when the run started.
    playbook_name: Option<String>,
    /// What was asked.
    query: String,
    /// How it came about.
    #[schema(value_type = String)]
    run_context: RunContext,
    /// Who started it.
    #[schema(value_type = String)]
    invoked_by: UserId,
    /// The runs it repeats, the first one in front: what they sent is not sent again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    repeats: Vec<RunId>,
    /// The run that repeats this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    repeated_by: Option<RunId>,
    /// Set for a test, which has no effect: `reads` (what only reads has happened) or `samples` (what only computes).
    #[schema(value_type = Option<String>)]
    dry_run: Option<DryRun>,
    /// Where it stands.
    #[schema(value_type = String)]
    status: RunStatus,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    started_at: Timestamp,
    /// When it finished.
    #[schema(value_type = Option<String>, format = DateTime)]
    finished_at: Option<Timestamp>,
    /// What the caller should know of how the run was started; only in the answer to the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<FieldError>,
}

impl ExecutionLine {
    /// The same line with warnings.
    pub(crate) fn with_warnings(self, warnings: Vec<FieldError>) -> Self {
        Self { warnings, ..self }
    }

    /// The same line with the status its events give.
    pub(super) fn with_status(self, status: RunStatus) -> Self {
        Self { status, ..self }
    }
}

impl From<&Head> for ExecutionLine {
    fn from(head: &Head) -> Self {
        Self {
            id: head.run.clone(),
            profile_id: head.profile_id.clone(),
            profile_name: head.profile_name.clone(),
            playbook_id: head.playbook_id.clone(),
            playbook_name: head.playbook_name.clone(),
            query: head.query.clone(),
            run_context: head.context,
            invoked_by: head.invoked_by.clone(),
            repeats: head.repeats.clone(),
            repeated_by: head.repeated_by.clone(),
            dry_run: head.dry_run,
            status: head.status.unwrap_or(RunStatus::Running),
            started_at: head.started_at,
            finished_at: head.finished_at,
            warnings: Vec::new(),
        }
    }
}

/// Starts a run and answers at once: 202 with its id. Poll `/executions/{id}`.
#[utoipa::path(
    post, path = "/executions", tag = "executions", request_body = Start,
    params(("Idempotency-Key" = Option<String>, Header, description = "the same key starts the same run")),
    responses((status = 202, body = ExecutionLine), (status = 404, description = "NOT_FOUND"), (status = 409, description = "PROFILE_INACTIVE"), (status = 422, description = "INVALID_INPUT, or APPROVAL_UNREACHABLE: too few of the approvers could sign"), (status = 429, description = "QUOTA_EXCEEDED: `Retry-After` says when the day's quota begins anew"))
)]
pub(crate) async fn start(
    State(ctx): Ctx,
    signed: Signed,
    key: Key,
    Json(body): Json<Start>,
) -> Result<Response, Problem> {
    let owner = analyst(&signed)?;
    let attempt = Attempt::new(owner, "POST /executions", key, &body)?;
    do_once(&ctx, &attempt, async {
        let profile = start_run::profile(&ctx, owner, &body.profile).await?;
        start_run::active(&profile)?;
        let named = body.playbook.as_deref();
        let playbook = start_run::playbook(&ctx, owner, &profile, named).await?;
        let inputs = skills::checked_inputs(&profile, &playbook.playbook, &body.inputs);
        let context = run_context::by_hand(&profile, &playbook.playbook, body.run_context);
        let known = Problem::both(start_run::check_query(&body.query), inputs);
        let ((_, inputs), context) = Problem::both(known, context)?;
        let starting = start_run::Starting {
            run: RunId::from_bytes(attempt.id()),
            profile: &profile,
            playbook: &playbook,
            query: &body.query,
            inputs: &inputs,
            context,
            repeats: &[],
        };
        let raised = run_context::raised(body.run_context, context);
        start_run::start(&ctx, &signed, &starting, raised.into_iter().collect()).await
    })
    .await
}

/// The caller's runs, newest first.
#[utoipa::path(get, path = "/executions", tag = "executions", params(PageQuery), responses((status = 200, body = Page<ExecutionLine>)))]
pub(crate) async fn list(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<ExecutionLine>>, Problem> {
    let cursor = Cursor::new(ctx.cursors.get().await?, owner, "executions", &[]);
    let after = query.after(&cursor)?;
    let page = ctx.runs.list(owner, query.limit()?, after.as_deref()).await?;
    let looked: Vec<BoxFuture<'_, _>> =
        page.items.iter().map(|head| Box::pin(line(&ctx, head)) as BoxFuture<'_, _>).collect();
    let lines = futures::stream::iter(looked).buffered(AT_ONCE).try_collect().await?;
    Ok(Json(cursor.page(lines, page.next.as_deref())))
}

/// The line of a run; only one that goes on is looked at more closely.
async fn line(ctx: &Context, head: &Head) -> Result<ExecutionLine, Problem> {
    let line = ExecutionLine::from(head);
    match head.status {
        Some(_) => Ok(line),
        None => Ok(line.with_status(state(ctx, head).await?.status)),
    }
}
