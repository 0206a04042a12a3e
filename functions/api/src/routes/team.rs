//! `/teams/{id}`.

use axum::extract::State;
use countersign_team::{Team, TeamId};
use countersign_web::{Json, Path};

use super::answers::TeamAnswer;
use super::teams::own_team;
use super::{Ctx, JsonOf, Reader};

/// A team of the caller.
#[utoipa::path(
    get, path = "/teams/{id}", tag = "teams", params(("id" = String, Path, description = "`team_…`")),
    responses((status = 200, body = TeamAnswer), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    State(ctx): Ctx,
    Reader(ref user): Reader,
    Path(id): Path<TeamId>,
) -> JsonOf<Team> {
    Ok(Json(own_team(&ctx, user, &id).await?))
}
