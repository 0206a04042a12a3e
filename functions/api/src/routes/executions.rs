//! `/executions`: starting a run (K-90: 202, then poll) and the history (F-347).

use axum::extract::State;
use axum::response::Response;
use countersign_identity::UserId;
use countersign_run::{
    ConversationId, DryRun, ExecutionMode, FromMonitor, GatePolicy, Head, InConversation,
    InvocationSource, OccurrenceId, RunContext, RunId, RunRecord, RunStatus, Strategy, TeamContext,
    UnderstoodInput,
};
use countersign_run_start::Started;
use countersign_store_kit::Page as Stored;
use countersign_web::idempotency::{Key, StoredAnswer};
use countersign_web::{FieldError, Json, Page, Problem, Query, Signed};
use futures::future::BoxFuture;
use futures::{StreamExt as _, TryStreamExt as _};
use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::time::Instant;
use utoipa::ToSchema;

use super::Ctx;
use super::answers::{FromMonitorAnswer, RunRecordAnswer, TeamContextAnswer, UnderstoodAnswer};
use super::execution::{ExecutionView, state};
use super::execution_start::{AskedPolicy, Door, answer};
use super::execution_wait::EndQuery;
use crate::Context;
use crate::lists::{Asked, PageOf};
use crate::moments::in_order;
use crate::queries::ExecutionQuery;

/// Runs of a page that are looked at together.
pub(super) const AT_ONCE: usize = 8;

/// A run to start.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Start {
    /// The agent: `prof_…`, or its handle with or without `@`.
    pub(super) profile: String,
    /// The playbook it follows. Left out, the one that the question means, else that of the agent's skills with the highest priority.
    #[serde(default)]
    pub(super) playbook: Option<String>,
    /// The playbook's inputs, by name. Those that say `extract_from: query` may be left out when the question says them; where
    /// one is left out otherwise, the `parameters` of the agent's skill count.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub(super) inputs: Map<String, Value>,
    /// What is asked, in the caller's words; at most 16,000 characters.
    #[serde(default)]
    pub(super) query: String,
    /// `interactive`: somebody waits for it; `background`: nobody does. The run takes the strictest of this, the agent's
    /// default and the playbook's. `scheduled` and `monitor` are for runs that a clock starts.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub(super) run_context: Option<RunContext>,
    /// `deterministic`: no step may call a model; `hybrid` or `llm_augmented`, which mean the same: steps may. Left out, as the playbook says, else the agent.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub(super) execution_mode: Option<ExecutionMode>,
    /// `require` (or left out): gates wait for people, and the run with them. `skip`: nobody is asked, and what needs a signature is
    /// left out; the answer says what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub(super) approval_policy: Option<AskedPolicy>,
    /// `mention`: somebody wrote the agent's handle in a message; `sidebar` (or left out): they chose the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub(super) invocation_source: Option<InvocationSource>,
    /// `new`: a conversation begins with the question; the id of one, `conv_…`: it goes on, and what was asked and answered in it is
    /// shown to a model that looks for the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub(super) conversation: Option<InConversation>,
}

/// Whether the caller says that the agent's handle was written; where a run came from otherwise follows from how it came about.
pub(super) fn by_mention(said: Option<InvocationSource>) -> Result<bool, Problem> {
    match said {
        None | Some(InvocationSource::Sidebar) => Ok(false),
        Some(InvocationSource::Mention) => Ok(true),
        Some(InvocationSource::Scheduled | InvocationSource::Background) => {
            let problem = Problem::field("invocation_source", "must be `mention` or `sidebar`");
            Err(problem.with_hint("the others follow from how a run comes about"))
        }
    }
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
    /// Why this playbook, when the question chose it.
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen_because: Option<String>,
    /// The inputs that were read from the question: `input`, `value`, and the `words` that say it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<UnderstoodAnswer>)]
    understood: Vec<UnderstoodInput>,
    /// What was asked.
    query: String,
    /// How it came about.
    #[schema(value_type = String)]
    run_context: RunContext,
    /// What asked for it, when that was no person: `{source}-{time}`, as in `/occurrences`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    occurrence: Option<OccurrenceId>,
    /// Of a run of a monitor: the `monitor`, and the `batch` of what it found that the run processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<FromMonitorAnswer>)]
    from_monitor: Option<FromMonitor>,
    /// How its answer is found: `pipeline` (a deterministic playbook), `playbook`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    strategy: Option<Strategy>,
    /// How much a model takes part: as the request said, else the playbook, else the agent.
    #[schema(value_type = String)]
    execution_mode: ExecutionMode,
    /// What its gates do: `require`, they ask; `auto_approve` in runs of clocks; `skip`, they ask nobody, and what stands behind them
    /// is left out.
    #[schema(value_type = String)]
    approval_policy: GatePolicy,
    /// Who started it.
    #[schema(value_type = String)]
    invoked_by: UserId,
    /// When that was a member of a team that the agent is shared with: `team_id`, and what the team granted the agent then,
    /// `team_file_access` and `team_post_access`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<TeamContextAnswer>)]
    team_context: Option<TeamContext>,
    /// The agent's handle when the run started.
    #[serde(skip_serializing_if = "String::is_empty")]
    agent_handle: String,
    /// Where it was asked for: `mention`, `sidebar`, `scheduled` (by a schedule, monitor or trigger), `background`.
    #[schema(value_type = String)]
    invocation_source: InvocationSource,
    /// The runs it repeats, the first one in front: what they sent is not sent again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    repeats: Vec<RunId>,
    /// The run that repeats this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    repeated_by: Option<RunId>,
    /// Of a test that replays a run: that run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    replays: Option<RunId>,
    /// The conversation in which it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    conversation_id: Option<ConversationId>,
    /// Set for a test, which has no effect: `reads` (what only reads has happened) or `samples` (what only computes).
    #[schema(value_type = Option<String>)]
    dry_run: Option<DryRun>,
    /// Where it stands.
    #[schema(value_type = String)]
    status: RunStatus,
    /// Where its events are read as they happen, as a stream; not in lists, and only where the deployment has streams.
    #[serde(skip_serializing_if = "Option::is_none")]
    events_url: Option<String>,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    started_at: Timestamp,
    /// When it finished.
    #[schema(value_type = Option<String>, format = DateTime)]
    finished_at: Option<Timestamp>,
    /// From the request to the end, with all waiting for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    /// What it did, once it is over: `connectors_called` (`step`, `connector`, `endpoint`, `status`, `latency_ms`,
    /// `results_count`, `code`; the first 50, and how many are left out), `entities` (`resolved`, `discovered`, `merged`,
    /// `ambiguous`), `output_destinations` (`destination`, `status`, `count`), `error_details` (`step`, `code`, `message`; the
    /// first 50) and `errors_left_out`, how many more there are; `not_written` (`what`: `journal`, `notice` or `mail`, and the
    /// `code` of why), where the end of the run could not be told to everybody.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RunRecordAnswer>)]
    record: Option<RunRecord>,
}

/// A run that was started.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StartedExecution {
    #[serde(flatten)]
    line: ExecutionLine,
    /// What the caller should know of how the run was started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<FieldError>,
}

impl ExecutionLine {
    /// The same line with the address of its events.
    pub(crate) fn with_events(self, ctx: &Context) -> Self {
        Self { events_url: ctx.events_url(&self.id), ..self }
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
            chosen_because: head.chosen_because.clone(),
            understood: head.understood.clone(),
            query: head.query.clone(),
            run_context: head.context,
            occurrence: head.occurrence.clone(),
            from_monitor: head.from_monitor.clone(),
            strategy: head.strategy,
            execution_mode: head.execution_mode,
            approval_policy: head.approval_policy,
            invoked_by: head.invoked_by.clone(),
            team_context: head.team_context.clone(),
            agent_handle: head.agent_handle.clone(),
            invocation_source: head.invocation_source(),
            repeats: head.repeats.clone(),
            repeated_by: head.repeated_by.clone(),
            replays: head.replays.as_ref().map(|of| of.run.clone()),
            conversation_id: head.asked_in.as_ref().map(|asked| asked.conversation.clone()),
            dry_run: head.dry_run,
            status: head.status.unwrap_or(RunStatus::Running),
            events_url: None,
            started_at: head.started_at,
            finished_at: head.finished_at,
            duration_ms: head.duration_ms(),
            record: head.record.clone(),
        }
    }
}

/// Starts a run and answers at once: 202 with its id. With `wait`, 200 with the run when it is over by then.
#[utoipa::path(
    post, path = "/executions", tag = "executions", request_body = Start,
    params(("Idempotency-Key" = Option<String>, Header, description = "the same key starts the same run"), EndQuery),
    responses((status = 200, body = ExecutionView, description = "with `wait`: the run, which is over"), (status = 202, body = StartedExecution), (status = 404, description = "NOT_FOUND"), (status = 409, description = "PROFILE_INACTIVE; PLAYBOOK_AMBIGUOUS: the question could mean several playbooks; or TEAM_ACCESS_MISSING: a step needs a grant of a team"), (status = 422, description = "INVALID_INPUT; PLAYBOOK_NOT_CHOSEN: `errors` says what the agent can do; or APPROVAL_UNREACHABLE: too few of the approvers could sign"), (status = 429, description = "QUOTA_EXCEEDED: `Retry-After` says when the day's quota begins anew"))
)]
pub(crate) async fn start(
    State(ctx): Ctx,
    signed: Signed,
    key: Key,
    Query(query): Query<EndQuery>,
    Json(body): Json<Start>,
) -> Result<Response, Problem> {
    let until = query.wanted()?.map(|wait| Instant::now() + wait);
    let door = Door { route: "POST /executions", gates: AskedPolicy::Require };
    answer(&ctx, &signed, key, (&door, until), &body).await
}

/// 202 with the line of a run that was started.
pub(crate) fn accepted(ctx: &Context, started: Started) -> Result<StoredAnswer, Problem> {
    let place = format!("/api/agent-factory/executions/{}", started.head.run);
    let line = ExecutionLine::from(&started.head).with_events(ctx);
    let started = StartedExecution { line, warnings: started.warnings };
    StoredAnswer::new(StatusCode::ACCEPTED, Some(place), &started)
}

/// The caller's runs, newest first.
#[utoipa::path(get, path = "/executions", tag = "executions", params(ExecutionQuery), responses((status = 200, body = Page<ExecutionLine>), (status = 422, description = "INVALID_INPUT: a limit out of bounds, a status that there is not, a range that ends before it begins")))]
pub(crate) async fn list(asked: Asked<ExecutionQuery>) -> PageOf<ExecutionLine> {
    let (ctx, owner, query) = (&asked.ctx, &asked.owner, &asked.query);
    in_order(query.from, query.to)?;
    of_runs(query.status)?;
    let narrowed = query.narrowed();
    let filters = [("narrowed", Some(narrowed.as_str()))];
    let between = (query.from, query.to);
    let read = |window| -> BoxFuture<'_, Result<_, Problem>> {
        Box::pin(async move {
            let page = ctx.runs.list(owner, between, window).await?;
            Ok(Stored { items: lines(ctx, query, &page.items).await?, next: page.next })
        })
    };
    asked.sifted("executions", &filters, read, |_| true).await
}

/// Refuses what is said of looks and due times that start no run: a list of runs has none of them.
fn of_runs(status: Option<RunStatus>) -> Result<(), Problem> {
    let place = match status {
        Some(RunStatus::Suppressed | RunStatus::OutsideActiveHours) => {
            "a look of a monitor that starts no run is at `/monitors/{id}`, as `last_outcome`"
        }
        Some(RunStatus::Skipped) => {
            "a due time that starts no run is at `/occurrences`, with `state=skipped`"
        }
        _ => return Ok(()),
    };
    let error = FieldError::new("status", "no run has this status");
    Err(Problem::invalid(vec![error.with_hint(place)]))
}

/// The lines of those that are asked for.
async fn lines(
    ctx: &Context,
    query: &ExecutionQuery,
    heads: &[Head],
) -> Result<Vec<ExecutionLine>, Problem> {
    let heads = heads.iter().filter(|head| query.may_take(head));
    let looked: Vec<BoxFuture<'_, _>> =
        heads.map(|head| Box::pin(line(ctx, head)) as BoxFuture<'_, _>).collect();
    let lines = futures::stream::iter(looked).buffered(AT_ONCE);
    let mut lines: Vec<ExecutionLine> = lines.try_collect().await?;
    lines.retain(|line| query.status.is_none_or(|status| line.status == status));
    Ok(lines)
}

/// The line of a run; only one that goes on is looked at more closely.
async fn line(ctx: &Context, head: &Head) -> Result<ExecutionLine, Problem> {
    let line = ExecutionLine::from(head);
    match head.status {
        Some(_) => Ok(line),
        None => Ok(line.with_status(state(ctx, head).await?.status)),
    }
}
