//! `/api/admin/users`.

use axum::extract::State;
use axum::response::Response;
use countersign_identity::{DirectoryEntry, UserId};
use countersign_store_directory::{Email, NewUser, User, Username};
use countersign_web::idempotency::{Attempt, Key};
use countersign_web::{Json, Page, PageQuery, Problem, Query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::answers::PersonAnswer;
use super::dated::Dated;
use super::{Administrator, Ctx, now};
use crate::documented::documented;
use crate::idempotency::{created, do_once};
use crate::lists::{PageOf, Paging};

/// Somebody to enter. Passwords live with the identity provider, never here.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Person {
    /// The name they sign in with: 2 to 64 lower-case letters, digits, dots, hyphens, underscores.
    username: String,
    /// Where mail reaches them.
    email: String,
    /// Whether the administrator vouches for the address. Approval mail goes to verified addresses only.
    #[serde(default)]
    email_verified: bool,
    /// What others see; the username when left out.
    #[serde(default)]
    display_name: Option<String>,
}

/// A person with what they may do.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PersonDetail")]
pub(crate) struct PersonView {
    /// The person.
    #[serde(flatten)]
    pub(super) user: Dated<User>,
    /// Granted scopes and capabilities.
    #[serde(rename = "standing")]
    pub(super) entry: Option<Dated<DirectoryEntry>>,
}

documented!(PersonView);

/// Enters a person, without any rights.
#[utoipa::path(
    post, path = "/users", tag = "administration", request_body = Person,
    params(("Idempotency-Key" = Option<String>, Header)),
    responses((status = 201, body = PersonAnswer), (status = 403, description = "PERMISSION_DENIED"), (status = 409, description = "USER_TAKEN"))
)]
pub(crate) async fn create(
    State(ctx): Ctx,
    Administrator(ref by): Administrator,
    key: Key,
    Json(body): Json<Person>,
) -> Result<Response, Problem> {
    let attempt = Attempt::new(by, "POST /api/admin/users", key, &body)?;
    do_once(&ctx, &attempt, async {
        let username = Username::parse(&body.username).map_err(Problem::at("username"));
        let email = Email::parse(&body.email).map_err(Problem::at("email"));
        let (username, email) = Problem::both(username, email)?;
        let new = NewUser {
            id: UserId::from_bytes(attempt.id()),
            email,
            email_verified: body.email_verified,
            display_name: body.display_name.clone().unwrap_or_else(|| username.to_string()),
            username,
            account: None,
        };
        let user = new.at(now()).map_err(Problem::at("display_name"))?;
        let user = ctx.directory.create(&user).await?;
        let place = format!("/api/admin/users/{}", user.id);
        created(place, &Dated(user))
    })
    .await
}

/// Everybody, by username.
#[utoipa::path(get, path = "/users", tag = "administration", params(PageQuery), responses((status = 200, body = Page<PersonAnswer>)))]
pub(crate) async fn list(
    State(ctx): Ctx,
    Administrator(ref user): Administrator,
    Query(query): Query<PageQuery>,
) -> PageOf<Dated<User>> {
    let paging = Paging::of(&ctx, user, "users", &[], &query).await?;
    let page = ctx.directory.list(paging.window()).await?;
    paging.page(page.map(Dated))
}
