//! `/api/admin/teams/{id}/posts/{post}`.

use countersign_team::{PostId, TeamId};
use countersign_web::Problem;
use http::StatusCode;

use super::{Administrator, Named, found, now};

/// Takes the text of a post away, whoever wrote it; its replies stay.
#[utoipa::path(
    delete, path = "/teams/{id}/posts/{post}", tag = "administration",
    params(("id" = String, Path, description = "`team_…`"), ("post" = String, Path, description = "`post_…`")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn remove(
    Named(ctx, _, (team, id)): Named<(TeamId, PostId), Administrator>,
) -> Result<StatusCode, Problem> {
    found(ctx.content.remove_post(&team, &id, now()).await?)?;
    Ok(StatusCode::NO_CONTENT)
}
