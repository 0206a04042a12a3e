//! `/api/admin/teams/{id}`.

use countersign_document::{MaybeBlank, Text};
use countersign_team::{Team, TeamChange, TeamId};
use countersign_web::Json;
use serde::Deserialize;
use utoipa::ToSchema;

use super::answers::TeamAnswer;
use super::{Administrator, JsonOf, Named, json_of, now};

/// What of a team is to be different; what is left out stays as it is.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TeamPatch {
    /// Another name.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 100)]
    name: Option<Text<100>>,
    /// Another description.
    #[schema(value_type = Option<String>, max_length = 2000)]
    description: Option<MaybeBlank<2_000>>,
    /// Whether the team is active. While it is not, its members see nothing of it and no agent reads its posts.
    is_active: Option<bool>,
}

/// One team.
#[utoipa::path(
    get, path = "/teams/{id}", tag = "administration", params(("id" = String, Path, description = "`team_…`")),
    responses((status = 200, body = TeamAnswer), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(Named(ctx, _, id): Named<TeamId, Administrator>) -> JsonOf<Team> {
    json_of(ctx.directory.team(&id).await?)
}

/// Changes a team. Its posts and shares stay when it is switched off.
#[utoipa::path(
    patch, path = "/teams/{id}", tag = "administration", request_body = TeamPatch,
    params(("id" = String, Path, description = "`team_…`")),
    responses((status = 200, body = TeamAnswer), (status = 404, description = "NOT_FOUND"), (status = 409, description = "VERSION_CONFLICT"))
)]
pub(crate) async fn change(
    Named(ctx, _, id): Named<TeamId, Administrator>,
    Json(patch): Json<TeamPatch>,
) -> JsonOf<Team> {
    let TeamPatch { name, description, is_active } = patch;
    let change = TeamChange { name, description, is_active };
    if change == TeamChange::default() {
        return json_of(ctx.directory.team(&id).await?);
    }
    Ok(Json(ctx.directory.change_team(&id, &change, now()).await?))
}
