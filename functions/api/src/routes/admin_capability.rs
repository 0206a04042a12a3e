//! `/api/admin/users/{id}/capabilities/{capability}`.

use axum::extract::State;
use countersign_identity::Capability;
use countersign_web::{Path, Problem, Signed};
use http::StatusCode;

use super::admin_user::person;
use super::{Ctx, administrator};

/// Takes a capability back.
#[utoipa::path(
    delete, path = "/users/{id}/capabilities/{capability}", tag = "administration",
    params(("id" = String, Path, description = "id, username or address"), ("capability" = String, Path, description = "`decide`, `publish` or `administer`")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn take(
    ctx: Ctx,
    signed: Signed,
    Path((id, capability)): Path<(String, Capability)>,
) -> Result<StatusCode, Problem> {
    let State(ctx) = ctx;
    administrator(&signed)?;
    let user = person(&ctx, &id).await?;
    ctx.directory.take(&user.id, capability).await?;
    Ok(StatusCode::NO_CONTENT)
}
