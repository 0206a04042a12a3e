//! `/api/admin/users/{id}/capabilities/{capability}`.

use countersign_identity::Capability;
use countersign_web::Problem;
use http::StatusCode;

use super::admin_user::person;
use super::{Administrator, Named};

/// Takes a capability back.
#[utoipa::path(
    delete, path = "/users/{id}/capabilities/{capability}", tag = "administration",
    params(("id" = String, Path, description = "id, username or address"), ("capability" = String, Path, description = "`decide`, `publish` or `administer`")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn take(
    Named(ctx, _, (id, capability)): Named<(String, Capability), Administrator>,
) -> Result<StatusCode, Problem> {
    let user = person(&ctx, &id).await?;
    ctx.directory.take(&user.id, capability).await?;
    Ok(StatusCode::NO_CONTENT)
}
