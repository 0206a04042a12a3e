//! `/teams/{id}/agents/{profile_id}/executions/{run_id}`: a run that the caller has started as a member.

use countersign_identity::UserId;
use countersign_profile::ProfileId;
use countersign_run::{Head, Response, RunId, StepState, StepStatus};
use countersign_team::TeamId;
use countersign_web::{Json, Problem};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::execution::state;
use super::execution_cancel::{Cancelled, cancelled};
use super::team_agents::profile;
use super::team_runs::SharedRun;
use super::teams::own_team;
use super::{Analyst, JsonOf, Named, Reader, found};
use crate::Context;

/// A step as a member sees it.
#[derive(Debug, Serialize, ToSchema)]
struct SharedStep {
    name: String,
    /// Where it stands.
    #[schema(value_type = String)]
    status: StepStatus,
    /// The stable code of its error or reason, explained at `/errors/{code}`.
    code: Option<String>,
    /// How many records came out.
    count: Option<u64>,
}

impl From<(String, StepState)> for SharedStep {
    fn from((name, state): (String, StepState)) -> Self {
        Self { name, status: state.status, code: state.code, count: state.count }
    }
}

/// What a run gave back.
#[derive(Debug, Serialize, ToSchema)]
struct SharedAnswer {
    format: String,
    /// Up to 512 KB.
    content: Option<String>,
    bytes: u64,
}

impl From<Response> for SharedAnswer {
    fn from(response: Response) -> Self {
        Self { format: response.format, content: response.content, bytes: response.bytes }
    }
}

/// A run of a shared agent with its steps and its answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SharedRunView {
    #[serde(flatten)]
    line: SharedRun,
    /// Its inputs as the member gave them, and as they were read from the question.
    #[schema(value_type = Object)]
    inputs: Map<String, Value>,
    /// Its steps, in the order of the plan.
    steps: Vec<SharedStep>,
    /// How many values, files or pages its steps could not read as they should be.
    warning_count: u64,
    /// The code of why it could not begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// What it gave back, once it is over, and while the agent is shared with the team for members to run.
    response: Option<SharedAnswer>,
}

/// One run that the caller has started as a member of the team.
#[utoipa::path(
    get, path = "/teams/{id}/agents/{profile_id}/executions/{run_id}", tag = "teams",
    params(("id" = String, Path, description = "`team_…`"), ("profile_id" = String, Path, description = "`prof_…`"), ("run_id" = String, Path, description = "`run_…`")),
    responses((status = 200, body = SharedRunView), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    Named(ctx, Reader(ref member), (team, id, run)): Named<(TeamId, ProfileId, RunId)>,
) -> JsonOf<SharedRunView> {
    let head = own(&ctx, member, (&team, &id), &run).await?;
    let state = state(&ctx, &head).await?;
    let response = match state.status.is_final() && answers_members(&ctx, &team, &id).await? {
        true => ctx.runs.response(&run).await?,
        false => None,
    };
    Ok(Json(SharedRunView {
        line: SharedRun::of(&head, state.status),
        inputs: inputs(&ctx, &head).await?,
        steps: state.steps.into_iter().map(SharedStep::from).collect(),
        warning_count: head.warnings.iter().fold(0, |all, one| all.saturating_add(one.count)),
        code: head.stop.and_then(|stop| stop.code),
        response: response.map(SharedAnswer::from),
    }))
}

/// Ends a run early that the caller has started as a member of the team, as its owner may.
#[utoipa::path(
    post, path = "/teams/{id}/agents/{profile_id}/executions/{run_id}/cancel", tag = "teams",
    params(("id" = String, Path, description = "`team_…`"), ("profile_id" = String, Path, description = "`prof_…`"), ("run_id" = String, Path, description = "`run_…`")),
    responses((status = 200, body = Cancelled), (status = 404, description = "NOT_FOUND"), (status = 409, description = "RUN_FINISHED"))
)]
pub(crate) async fn cancel(
    Named(ctx, Analyst(ref member), (team, id, run)): Named<(TeamId, ProfileId, RunId), Analyst>,
) -> JsonOf<Cancelled> {
    let head = own(&ctx, member, (&team, &id), &run).await?;
    cancelled(&ctx, &head, member, "cancelled by the member who started it").await
}

/// The inputs that the member gave, and those that were read from their question: what the agent's skill gives is its owner's.
async fn inputs(ctx: &Context, head: &Head) -> Result<Map<String, Value>, Problem> {
    let Value::Object(mut all) = ctx.runs.inputs(&head.run).await? else { return Ok(Map::new()) };
    let understood = |name: &String| head.understood.iter().any(|one| one.input == *name);
    all.retain(|name, _| head.given_inputs.contains(name) || understood(name));
    Ok(all)
}

/// Whether members of the team may read what the agent answers them now.
async fn answers_members(ctx: &Context, team: &TeamId, id: &ProfileId) -> Result<bool, Problem> {
    let share = ctx.catalog.share(id.as_str(), team).await?;
    match share.filter(|share| share.terms.lets_members_run()) {
        Some(share) => Ok(profile(ctx, &share).await?.is_some()),
        None => Ok(false),
    }
}

/// A run that the caller has started as a member of a team that they are in now; any other is not there.
async fn own(
    ctx: &Context,
    member: &UserId,
    (team, id): (&TeamId, &ProfileId),
    run: &RunId,
) -> Result<Head, Problem> {
    own_team(ctx, member, team).await?;
    let head = ctx.runs.head(run).await?;
    found(head.filter(|head| {
        let is_of_team = head.team_context.as_ref().is_some_and(|of| of.team_id == *team);
        is_of_team && head.member() == Some(member) && head.profile_id == id.as_str()
    }))
}
