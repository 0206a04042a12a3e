//! `/api/admin/users/{id}/revoke-tokens`.

use axum::extract::State;
use countersign_web::{Json, Path, Problem, Signed};
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::admin_user::person;
use super::{Ctx, administrator, now};

/// Which tokens.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Which {
    /// One token, by its id (`jti`), or one session of the user pool, by its own (`origin_jti`); all tokens that were issued
    /// until now when left out.
    #[serde(default)]
    token_id: Option<String>,
}

/// Makes tokens void at once, everywhere.
#[utoipa::path(
    post, path = "/users/{id}/revoke-tokens", tag = "administration", request_body = Which,
    params(("id" = String, Path, description = "id, username or address")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn revoke(
    ctx: Ctx,
    signed: Signed,
    Path(id): Path<String>,
    Json(body): Json<Which>,
) -> Result<StatusCode, Problem> {
    // Longer than any token or session lives.
    const YEAR: i64 = 366 * 24 * 3600;
    let State(ctx) = ctx;
    administrator(&signed)?;
    let user = person(&ctx, &id).await?;
    match &body.token_id {
        Some(token) => {
            let expires = now().as_second() + YEAR;
            ctx.directory.revoke_token(&user.id, token, expires, now()).await?;
        }
        None => ctx.directory.revoke_all_tokens(&user.id, now()).await?,
    }
    Ok(StatusCode::NO_CONTENT)
}
