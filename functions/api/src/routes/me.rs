//! `GET /me`: who the caller is, and what remains of their token.

use axum::extract::State;
use countersign_identity::{Capability, Role, Scopes, UserId};
use countersign_team::{Team, TeamId};
use countersign_web::{Json, Signed};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Ctx, JsonOf};

/// The caller.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Me {
    /// The directory's id.
    #[schema(value_type = String)]
    user_id: UserId,
    /// The name they sign in with; null for the deployment's own operator, who is no person.
    username: Option<String>,
    /// The name that others see.
    name: Option<String>,
    /// Where mail reaches them.
    email: Option<String>,
    /// Whether the address was proved; mail goes to proved ones only.
    email_verified: bool,
    /// Effective scopes: token ∩ directory.
    #[schema(value_type = Vec<String>)]
    scopes: Scopes,
    /// The highest role held.
    #[schema(value_type = Option<String>)]
    role: Option<Role>,
    /// Effective capabilities.
    #[schema(value_type = Vec<String>)]
    capabilities: Vec<Capability>,
    /// The teams that they are a member of.
    teams: Vec<TeamName>,
    /// The token's id (`jti`); whoever administers can make it void.
    token_id: String,
    /// The session at the user pool (`origin_jti`), if there is one; void with all its tokens by the same door.
    session_id: Option<String>,
}

/// A team by its name.
#[derive(Debug, Serialize, ToSchema)]
struct TeamName {
    #[schema(value_type = String)]
    id: TeamId,
    name: String,
}

impl From<Team> for TeamName {
    fn from(team: Team) -> Self {
        Self { id: team.id, name: team.name.to_string() }
    }
}

/// Who the caller is, and what remains of their token.
#[utoipa::path(get, path = "/me", tag = "operation", responses((status = 200, body = Me)))]
pub(crate) async fn me(State(ctx): Ctx, signed: Signed) -> JsonOf<Me> {
    let caller = signed.caller;
    let person = ctx.directory.user(&caller.user).await?;
    let teams = ctx.directory.teams_of(&caller.user).await?;
    let role = caller.scopes.highest();
    Ok(Json(Me {
        user_id: caller.user,
        username: person.as_ref().map(|person| person.username.to_string()),
        name: person.as_ref().map(|person| person.display_name.clone()),
        email: person.as_ref().map(|person| person.email.to_string()),
        email_verified: person.is_some_and(|person| person.email_verified),
        scopes: caller.scopes,
        role,
        capabilities: caller.capabilities.into_iter().collect(),
        teams: teams.into_iter().map(TeamName::from).collect(),
        token_id: caller.token_id,
        session_id: signed.presented.session,
    }))
}
