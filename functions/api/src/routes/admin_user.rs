//! `/api/admin/users/{id}`. The id may be `user_…`, a username or a mail address.

use countersign_store_directory::{User, UserChange};
use countersign_web::{Json, Problem};
use serde::Deserialize;
use utoipa::ToSchema;

use super::admin_users::PersonView;
use super::answers::PersonAnswer;
use super::dated::Dated;
use super::{Administrator, JsonOf, Named, found, now};
use crate::Context;

/// What may change about a person.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PersonChange)]
pub(crate) struct Change {
    /// Another display name.
    #[serde(default)]
    display_name: Option<String>,
    /// Inactive people can do nothing, from their next request and their runs' next step on.
    #[serde(default)]
    active: Option<bool>,
    /// Whether an administrator vouches for the address.
    #[serde(default)]
    email_verified: Option<bool>,
}

/// One person with what they may do.
#[utoipa::path(
    get, path = "/users/{id}", tag = "administration", params(("id" = String, Path, description = "id, username or address")),
    responses((status = 200, body = PersonView), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(Named(ctx, _, id): Named<String, Administrator>) -> JsonOf<PersonView> {
    let user = person(&ctx, &id).await?;
    let entry = ctx.directory.entry_of(&user.id).await?;
    Ok(Json(PersonView { user: Dated(user), entry: entry.map(Dated) }))
}

/// Changes a person.
#[utoipa::path(
    patch, path = "/users/{id}", tag = "administration", request_body = Change,
    params(("id" = String, Path, description = "id, username or address")),
    responses((status = 200, body = PersonAnswer), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn change(
    Named(ctx, _, id): Named<String, Administrator>,
    Json(body): Json<Change>,
) -> JsonOf<Dated<User>> {
    let user = person(&ctx, &id).await?;
    let change = UserChange {
        display_name: body.display_name,
        active: body.active,
        email_verified: body.email_verified,
    };
    let changed = change.checked().map_err(Problem::at("display_name"))?;
    Ok(Json(Dated(ctx.directory.change(&user.id, &changed, now()).await?)))
}

/// Finds a person by any of their names.
pub(super) async fn person(ctx: &Context, name: &str) -> Result<User, Problem> {
    found(ctx.directory.find(name).await?)
}
