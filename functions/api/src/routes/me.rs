//! `GET /me`: who the caller is, and what remains of their token.

use countersign_identity::{Capability, Role, Scopes, UserId};
use countersign_web::{Json, Signed};
use serde::Serialize;
use utoipa::ToSchema;

/// The caller.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Me {
    /// The directory's id.
    #[schema(value_type = String)]
    user_id: UserId,
    /// Effective scopes: token ∩ directory.
    #[schema(value_type = Vec<String>)]
    scopes: Scopes,
    /// The highest role held.
    #[schema(value_type = Option<String>)]
    role: Option<Role>,
    /// Effective capabilities.
    #[schema(value_type = Vec<String>)]
    capabilities: Vec<Capability>,
    /// The token's id (`jti`); whoever administers can make it void.
    token_id: String,
    /// The session at the user pool (`origin_jti`), if there is one; void with all its tokens by the same door.
    session_id: Option<String>,
}

/// Who the caller is, and what remains of their token.
#[utoipa::path(get, path = "/me", tag = "operation", responses((status = 200, body = Me)))]
pub(crate) async fn me(signed: Signed) -> Json<Me> {
    let caller = signed.caller;
    let role = caller.scopes.highest();
    Json(Me {
        user_id: caller.user,
        scopes: caller.scopes,
        role,
        capabilities: caller.capabilities.into_iter().collect(),
        token_id: caller.token_id,
        session_id: signed.presented.session,
    })
}
