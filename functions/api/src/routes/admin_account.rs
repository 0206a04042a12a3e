//! `/api/admin/users/{id}/account`.

use countersign_web::Problem;
use http::StatusCode;

use super::admin_user::person;
use super::{Administrator, Named, now};

/// Parts a person from their account of the user pool, for instance when it was deleted or is in wrong hands: its tokens
/// are void, and it never signs in as anybody again. The next account that signs in with the person's address, verified,
/// takes its place. Without an account nothing happens.
#[utoipa::path(
    delete, path = "/users/{id}/account", tag = "administration",
    params(("id" = String, Path, description = "id, username or address")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"), (status = 409, description = "VERSION_CONFLICT"))
)]
pub(crate) async fn part(
    Named(ctx, _, id): Named<String, Administrator>,
) -> Result<StatusCode, Problem> {
    let user = person(&ctx, &id).await?;
    if user.account.is_some() {
        ctx.directory.part(&user, now()).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}
