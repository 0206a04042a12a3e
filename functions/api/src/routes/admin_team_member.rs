//! `/api/admin/teams/{id}/members/{user}`.

use countersign_team::{Member, TeamId};
use countersign_web::Problem;
use http::StatusCode;

use super::admin_user::person;
use super::{Administrator, Named, found, now};

/// Makes a person a member. Doing it again changes nothing.
#[utoipa::path(
    put, path = "/teams/{id}/members/{user}", tag = "administration",
    params(("id" = String, Path, description = "`team_…`"), ("user" = String, Path, description = "id, username or address")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn add(
    Named(ctx, Administrator(by), (team_id, user)): Named<(TeamId, String), Administrator>,
) -> Result<StatusCode, Problem> {
    let user_id = person(&ctx, &user).await?.id;
    let member = Member { team_id, user_id, added_by: by, added_at: now() };
    ctx.directory.add_member(&member).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes a person out of a team. From their next request on they see nothing of it, and their agents read nothing more there.
#[utoipa::path(
    delete, path = "/teams/{id}/members/{user}", tag = "administration",
    params(("id" = String, Path, description = "`team_…`"), ("user" = String, Path, description = "id, username or address")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn remove(
    Named(ctx, _, (team, user)): Named<(TeamId, String), Administrator>,
) -> Result<StatusCode, Problem> {
    found(ctx.directory.team(&team).await?)?;
    let user = person(&ctx, &user).await?;
    ctx.directory.remove_member(&team, &user.id).await?;
    Ok(StatusCode::NO_CONTENT)
}
