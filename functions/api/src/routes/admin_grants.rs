//! `/api/admin/users/{id}/grants`.

use countersign_identity::{Group, Role, Scope};
use countersign_web::{Json, Problem};
use http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::admin_user::person;
use super::{Administrator, Named, now};

/// A scope to grant.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Grant {
    /// `{topic}:{role}` or `global:{role}`; roles are `reader`, `editor`, `analyst`, `admin`.
    scope: String,
}

/// Grants a scope. Granting it again changes nothing.
#[utoipa::path(
    post, path = "/users/{id}/grants", tag = "administration", request_body = Grant,
    params(("id" = String, Path, description = "id, username or address")),
    responses((status = 204), (status = 404, description = "NOT_FOUND"), (status = 422, description = "INVALID_INPUT"))
)]
pub(crate) async fn grant(
    Named(ctx, Administrator(ref by), id): Named<String, Administrator>,
    Json(body): Json<Grant>,
) -> Result<StatusCode, Problem> {
    let scope = scope(&body.scope).ok_or_else(|| Problem::field("scope", unreadable()))?;
    let user = person(&ctx, &id).await?;
    ctx.directory.grant(&user.id, &scope, by, now()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reads a scope that can be granted: the marked ones only come out of intersections.
pub(super) fn scope(text: &str) -> Option<Scope> {
    text.parse().ok().filter(|scope: &Scope| !matches!(scope.group, Group::ThroughGlobal(_)))
}

/// What a scope must be.
fn unreadable() -> String {
    let roles = Role::ALL.map(Role::as_str).join("`, `");
    format!("must be `{{topic}}:{{role}}` or `global:{{role}}`, with one of the roles `{roles}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_012_the_roles_are_named() {
        let said = "must be `{topic}:{role}` or `global:{role}`, with one of the roles `reader`, `editor`, `analyst`, `admin`";
        assert_eq!(unreadable(), said);
    }

    fn check(text: &str, grantable: bool) {
        assert_eq!(scope(text).is_some(), grantable, "{text}");
    }

    #[test]
    fn a_012_only_whole_scopes_are_granted() {
        check("macro:analyst", true);
        check("global:admin", true);
        check("~macro:analyst", false);
        check("macro:emperor", false);
        check("macro", false);
    }
}
