//! `/teams`.

use axum::extract::State;
use countersign_identity::UserId;
use countersign_team::{Team, TeamId};
use countersign_web::{Json, Page, Problem};

use super::answers::TeamAnswer;
use super::{Ctx, Reader, found};
use crate::Context;
use crate::lists::PageOf;

/// The teams of the caller.
#[utoipa::path(get, path = "/teams", tag = "teams", responses((status = 200, body = Page<TeamAnswer>)))]
pub(crate) async fn list(State(ctx): Ctx, Reader(ref user): Reader) -> PageOf<Team> {
    Ok(Json(Page { items: ctx.directory.teams_of(user).await?, next: None }))
}

/// A team of the caller; others are not there for them.
pub(super) async fn own_team(ctx: &Context, user: &UserId, id: &TeamId) -> Result<Team, Problem> {
    found(ctx.directory.team_of(user, id).await?)
}
