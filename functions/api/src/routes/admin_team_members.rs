//! `/api/admin/teams/{id}/members`.

use axum::extract::State;
use countersign_team::TeamId;
use countersign_web::{Page, PageQuery, Path, Query};

use super::team_members::{MemberLine, members};
use super::{Administrator, Ctx, found};
use crate::lists::PageOf;

/// The members of a team.
#[utoipa::path(
    get, path = "/teams/{id}/members", tag = "administration", params(("id" = String, Path, description = "`team_…`"), PageQuery),
    responses((status = 200, body = Page<MemberLine>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(
    State(ctx): Ctx,
    Administrator(ref user): Administrator,
    Path(id): Path<TeamId>,
    Query(query): Query<PageQuery>,
) -> PageOf<MemberLine> {
    found(ctx.directory.team(&id).await?)?;
    members(&ctx, user, &id, &query).await
}
