//! `/api/admin/users/{id}/capabilities`.

use countersign_identity::Capability;
use countersign_web::{Json, Problem};
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::admin_user::person;
use super::{Administrator, Named, now};

/// A capability to give.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Gift {
    /// `decide`, `publish` or `administer`.
    #[schema(value_type = String)]
    capability: Capability,
}

/// Gives a capability. It only works in tokens of an interactive login.
#[utoipa::path(
    post, path = "/users/{id}/capabilities", tag = "administration", request_body = Gift,
    params(("id" = String, Path, description = "id, username or address")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn give(
    Named(ctx, Administrator(ref by), id): Named<String, Administrator>,
    Json(body): Json<Gift>,
) -> Result<StatusCode, Problem> {
    let user = person(&ctx, &id).await?;
    ctx.directory.give(&user.id, body.capability, by, now()).await?;
    Ok(StatusCode::NO_CONTENT)
}
