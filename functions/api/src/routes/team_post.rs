//! `/teams/{id}/posts/{post}`.

use countersign_team::{Post, PostId, TeamId};
use countersign_web::Problem;
use http::StatusCode;

use super::answers::PostAnswer;
use super::teams::own_team;
use super::{JsonOf, Named, Reader, found, json_of, now};

/// One post of a team of the caller.
#[utoipa::path(
    get, path = "/teams/{id}/posts/{post}", tag = "teams",
    params(("id" = String, Path, description = "`team_…`"), ("post" = String, Path, description = "`post_…`")),
    responses((status = 200, body = PostAnswer), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    Named(ctx, Reader(ref user), (team, id)): Named<(TeamId, PostId)>,
) -> JsonOf<Post> {
    own_team(&ctx, user, &team).await?;
    json_of(ctx.content.post(&team, &id).await?)
}

/// Takes the text of a post of the caller away; its replies stay.
#[utoipa::path(
    delete, path = "/teams/{id}/posts/{post}", tag = "teams",
    params(("id" = String, Path, description = "`team_…`"), ("post" = String, Path, description = "`post_…`")),
    responses((status = 204), (status = 403, description = "PERMISSION_DENIED: it is another member's"), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn remove(
    Named(ctx, Reader(ref user), (team, id)): Named<(TeamId, PostId)>,
) -> Result<StatusCode, Problem> {
    own_team(&ctx, user, &team).await?;
    let post = found(ctx.content.post(&team, &id).await?)?;
    if post.author_id != *user {
        let message = "only its author may remove a post";
        return Err(Problem::new(StatusCode::FORBIDDEN, "PERMISSION_DENIED", message)
            .with_hint("ask the author or an administrator"));
    }
    found(ctx.content.remove_post(&team, &id, now()).await?)?;
    Ok(StatusCode::NO_CONTENT)
}
