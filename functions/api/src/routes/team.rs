//! `/teams/{id}`.

use countersign_team::{Team, TeamId};
use countersign_web::Json;

use super::answers::TeamAnswer;
use super::teams::own_team;
use super::{JsonOf, Named, Reader};

/// A team of the caller.
#[utoipa::path(
    get, path = "/teams/{id}", tag = "teams", params(("id" = String, Path, description = "`team_…`")),
    responses((status = 200, body = TeamAnswer), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(Named(ctx, Reader(ref user), id): Named<TeamId>) -> JsonOf<Team> {
    Ok(Json(own_team(&ctx, user, &id).await?))
}
