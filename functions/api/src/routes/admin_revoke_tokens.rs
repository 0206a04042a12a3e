//! `/api/admin/users/{id}/revoke-tokens`.

use countersign_web::{Json, Problem};
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::admin_user::person;
use super::{Administrator, Named, now};

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
    Named(ctx, _, id): Named<String, Administrator>,
    Json(body): Json<Which>,
) -> Result<StatusCode, Problem> {
    let user = person(&ctx, &id).await?;
    match &body.token_id {
        Some(token) => {
            check(token)?;
            ctx.directory.revoke_token(&user.id, token, now()).await?;
        }
        None => ctx.directory.revoke_all_tokens(&user.id, now()).await?,
    }
    Ok(StatusCode::NO_CONTENT)
}

/// What can be the id of a token or a session. A whole token is none, and must not be kept.
fn check(id: &str) -> Result<(), Problem> {
    let visible = |b: u8| b.is_ascii_graphic() && b != b'#';
    if (1..=128).contains(&id.len()) && id.bytes().all(visible) && id.split('.').count() != 3 {
        return Ok(());
    }
    let message =
        "is neither a token's id (`jti`) nor a session's (`origin_jti`); `GET /me` shows both";
    Err(Problem::field("token_id", message.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_whole_token_is_no_id_of_one() {
        for id in ["0198c3c5-7b1e-7c0e-8a5e-000000000001", "t-1", "a.b"] {
            assert!(check(id).is_ok(), "{id}");
        }
        for id in ["", "   ", "eyJhbGciOiJIUzI1NiJ9.e30.c2ln", "a#b", &"x".repeat(129)] {
            assert!(check(id).is_err(), "{id}");
        }
    }
}
