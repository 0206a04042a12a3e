//! `/api/admin/teams`.

use axum::extract::State;
use axum::response::Response;
use countersign_document::{MaybeBlank, Text};
use countersign_team::{Team, TeamId};
use countersign_web::idempotency::{Attempt, Key};
use countersign_web::{Json, Page, PageQuery, Problem, Query};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answers::TeamAnswer;
use super::{Administrator, Ctx, now};
use crate::idempotency::{created, do_once};
use crate::lists::{PageOf, Paging};

/// A team to make.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTeam {
    /// Its name for people.
    #[schema(value_type = String, min_length = 1, max_length = 100)]
    name: Text<100>,
    /// What it is for.
    #[serde(default)]
    #[schema(value_type = String, max_length = 2000)]
    description: MaybeBlank<2_000>,
}

/// Makes a team, without members.
#[utoipa::path(
    post, path = "/teams", tag = "administration", request_body = NewTeam,
    params(("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, body = TeamAnswer), (status = 403, description = "PERMISSION_DENIED"), (status = 422, description = "INVALID_INPUT"))
)]
pub(crate) async fn create(
    State(ctx): Ctx,
    Administrator(ref by): Administrator,
    key: Key,
    Json(body): Json<NewTeam>,
) -> Result<Response, Problem> {
    let attempt = Attempt::new(by, "POST /api/admin/teams", key, &body)?;
    do_once(&ctx, &attempt, async {
        let now = now();
        let team = Team {
            id: TeamId::from_bytes(attempt.id()),
            name: body.name.clone(),
            description: body.description.clone(),
            is_active: true,
            created_by: by.clone(),
            created_at: now,
            updated_at: now,
            version: 1,
        };
        let team = ctx.directory.create_team(&team).await?;
        created(format!("/api/admin/teams/{}", team.id), &team)
    })
    .await
}

/// Every team, by name.
#[utoipa::path(get, path = "/teams", tag = "administration", params(PageQuery), responses((status = 200, body = Page<TeamAnswer>)))]
pub(crate) async fn list(
    State(ctx): Ctx,
    Administrator(ref user): Administrator,
    Query(query): Query<PageQuery>,
) -> PageOf<Team> {
    let paging = Paging::of(&ctx, user, "teams", &[], &query).await?;
    paging.page(ctx.directory.teams(paging.window()).await?)
}
