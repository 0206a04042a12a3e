//! `/teams/{id}/agents/{profile_id}/executions`: members run an agent that is shared with them (F-231, F-235).

use axum::response::Response;
use countersign_identity::UserId;
use countersign_profile::ProfileId;
use countersign_run::{
    ExecutionMode, Head, InvocationSource, RunContext, RunId, RunStatus, UnderstoodInput,
};
use countersign_run_start::{self as run_start, Invoker, Occasion, Question, Started};
use countersign_store_kit::Page as Stored;
use countersign_team::TeamId;
use countersign_web::idempotency::{Attempt, Key, StoredAnswer};
use countersign_web::{FieldError, Json, Page, PageQuery, Path, Problem, Signed};
use futures::{StreamExt as _, TryStreamExt as _};
use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::answers::UnderstoodAnswer;
use super::execution::state;
use super::executions::by_mention;
use super::team_agent::shared;
use super::{Named, analyst, invoker, today};
use crate::idempotency::do_once;
use crate::lists::{Asked, PageOf, Paging};

/// Runs of a page that are looked at together.
const AT_ONCE: usize = 8;

/// What a member asks a shared agent.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SharedStart {
    /// One of the agent's skills; left out, the one that the question means.
    #[serde(default)]
    playbook: Option<String>,
    /// As of `POST /executions`, and without ids of stored files and documents.
    #[serde(default)]
    #[schema(value_type = Object)]
    inputs: Map<String, Value>,
    /// As of `POST /executions`.
    #[serde(default)]
    query: String,
    /// As of `POST /executions`.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    run_context: Option<RunContext>,
    /// As of `POST /executions`.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    execution_mode: Option<ExecutionMode>,
    /// As of `POST /executions`.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    invocation_source: Option<InvocationSource>,
}

/// A run of a shared agent, as the member sees it who started it: what was asked, where it stands, what it gave back. Who signs, what
/// was sent and where results went is its owner's.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SharedRun {
    /// `run_…`.
    #[schema(value_type = String)]
    id: RunId,
    /// As whose member.
    #[schema(value_type = Option<String>)]
    team_id: Option<TeamId>,
    agent_profile_id: String,
    /// Its name when the run started.
    agent_name: String,
    /// Its handle when the run started.
    agent_handle: String,
    #[schema(value_type = String)]
    invocation_source: InvocationSource,
    playbook_id: Option<String>,
    playbook_name: Option<String>,
    /// The inputs that were read from the question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<UnderstoodAnswer>)]
    understood: Vec<UnderstoodInput>,
    query: String,
    #[schema(value_type = String)]
    run_context: RunContext,
    #[schema(value_type = String)]
    invoked_by: UserId,
    /// Where it stands.
    #[schema(value_type = String)]
    status: RunStatus,
    #[schema(value_type = String, format = DateTime)]
    started_at: Timestamp,
    #[schema(value_type = Option<String>, format = DateTime)]
    finished_at: Option<Timestamp>,
    /// What the caller should know of how it was started; only in the answer to the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<FieldError>,
}

impl SharedRun {
    /// A run as its member sees it, with the status that its events give.
    pub(super) fn of(head: &Head, status: RunStatus) -> Self {
        Self {
            id: head.run.clone(),
            team_id: head.team_context.as_ref().map(|team| team.team_id.clone()),
            agent_profile_id: head.profile_id.clone(),
            agent_name: head.profile_name.clone(),
            agent_handle: head.agent_handle.clone(),
            invocation_source: head.invocation_source(),
            playbook_id: head.playbook_id.clone(),
            playbook_name: head.playbook_name.clone(),
            understood: head.understood.clone(),
            query: head.query.clone(),
            run_context: head.context,
            invoked_by: head.invoked_by.clone(),
            status,
            started_at: head.started_at,
            finished_at: head.finished_at,
            warnings: Vec::new(),
        }
    }
}

/// Runs a shared agent, as a member of the team, and answers at once: 202 with the id. Whoever signs for the agent signs for this
/// run too, except its caller.
#[utoipa::path(
    post, path = "/teams/{id}/agents/{profile_id}/executions", tag = "teams", request_body = SharedStart,
    params(("id" = String, Path, description = "`team_…`"), ("profile_id" = String, Path, description = "`prof_…`"), ("Idempotency-Key" = Option<String>, Header, description = "the same key starts the same run")),
    responses((status = 202, body = SharedRun), (status = 403, description = "PERMISSION_DENIED: the share lets no members run it, or the caller or the owner may not do a step"), (status = 404, description = "NOT_FOUND"), (status = 409, description = "PROFILE_INACTIVE, PLAYBOOK_AMBIGUOUS, or TEAM_ACCESS_MISSING: the agent reads the posts of another team, or a step needs a grant that this team does not give"), (status = 422, description = "INVALID_INPUT, PLAYBOOK_NOT_CHOSEN or APPROVAL_UNREACHABLE"), (status = 429, description = "QUOTA_EXCEEDED: the caller's own"))
)]
pub(crate) async fn start(
    Named(ctx, signed, (team, id)): Named<(TeamId, ProfileId), Signed>,
    key: Key,
    Json(body): Json<SharedStart>,
) -> Result<Response, Problem> {
    let member = analyst(&signed)?;
    let (share, profile) = shared(&ctx, member, &team, &id).await?;
    let place = format!("/teams/{team}/agents/{id}/executions");
    let attempt = Attempt::new(member, &format!("POST {place}"), key, &body)?;
    do_once(&ctx, &attempt, async {
        let starter = ctx.starter();
        let by_mention = by_mention(body.invocation_source)?;
        let member = Invoker { by_mention, ..invoker(&signed) };
        let member = run_start::as_member(starter, member, &profile, &share, &body.inputs).await?;
        let question = Question {
            run: RunId::from_bytes(attempt.id()),
            profile: &profile,
            playbook: body.playbook.as_deref(),
            query: &body.query,
            inputs: &body.inputs,
            mode: body.execution_mode,
            today: today(),
            occasion: Occasion::by_hand(body.run_context),
            occurrence: None,
            source_limit: None,
            conversation: None,
        };
        accepted(&place, run_start::ask(starter, &member, &question).await?)
    })
    .await
}

fn accepted(place: &str, started: Started) -> Result<StoredAnswer, Problem> {
    let place = format!("/api/agent-factory{place}/{}", started.head.run);
    let line = SharedRun::of(&started.head, RunStatus::Running);
    let line = SharedRun { warnings: started.warnings, ..line };
    StoredAnswer::new(StatusCode::ACCEPTED, Some(place), &line)
}

/// The runs of a shared agent that the caller has started as a member of the team, newest first.
#[utoipa::path(
    get, path = "/teams/{id}/agents/{profile_id}/executions", tag = "teams",
    params(("id" = String, Path, description = "`team_…`"), ("profile_id" = String, Path, description = "`prof_…`"), PageQuery),
    responses((status = 200, body = Page<SharedRun>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(
    asked: Asked<PageQuery>,
    Path((team, id)): Path<(TeamId, ProfileId)>,
) -> PageOf<SharedRun> {
    let (ctx, member) = (&asked.ctx, &asked.owner);
    shared(ctx, member, &team, &id).await?;
    let filters = [("team", Some(team.as_str())), ("profile", Some(id.as_str()))];
    let paging = Paging::of(ctx, member, "team-runs", &filters, &asked.query).await?;
    let of = (member, &team, id.as_str());
    let found = ctx.runs.of_member(of, paging.window()).await?;
    let lines = found.items.into_iter().map(|head| async move {
        let status = match head.status {
            Some(status) => status,
            None => state(ctx, &head).await?.status,
        };
        Ok::<_, Problem>(SharedRun::of(&head, status))
    });
    let items = futures::stream::iter(lines).buffered(AT_ONCE).try_collect().await?;
    paging.page(Stored { items, next: found.next })
}
