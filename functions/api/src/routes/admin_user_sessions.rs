//! `/api/admin/users/{id}/sessions`.

use countersign_web::{Json, Signed};

use super::admin_user::person;
use super::me_sessions::SessionList;
use super::{Administrator, JsonOf, Named};

/// The sessions of a person of which a token was used here within the last 30 days, with when they began. `revoke-tokens` ends one by
/// its `session_id`.
#[utoipa::path(
    get, path = "/users/{id}/sessions", tag = "administration", params(("id" = String, Path, description = "id, username or address")),
    responses((status = 200, body = SessionList), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(
    Named(ctx, _, id): Named<String, Administrator>,
    signed: Signed,
) -> JsonOf<SessionList> {
    let user = person(&ctx, &id).await?;
    // Nobody else has a session of this id.
    let current = signed.presented.session.as_deref();
    Ok(Json(SessionList::of(&ctx, &user.id, current).await?))
}
