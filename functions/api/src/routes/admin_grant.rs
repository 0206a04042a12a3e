//! `/api/admin/users/{id}/grants/{scope}`.

use countersign_web::Problem;
use http::StatusCode;

use super::admin_grants::scope;
use super::admin_user::person;
use super::{Administrator, Named};

/// Takes a scope back. The next step of every run and the next click already go without it.
#[utoipa::path(
    delete, path = "/users/{id}/grants/{scope}", tag = "administration",
    params(("id" = String, Path, description = "id, username or address"), ("scope" = String, Path, description = "`{group}:{role}`")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn revoke(
    Named(ctx, _, (id, text)): Named<(String, String), Administrator>,
) -> Result<StatusCode, Problem> {
    let scope = scope(&text).ok_or_else(Problem::not_found)?;
    let user = person(&ctx, &id).await?;
    ctx.directory.revoke(&user.id, &scope).await?;
    Ok(StatusCode::NO_CONTENT)
}
