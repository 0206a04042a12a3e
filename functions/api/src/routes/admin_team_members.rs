//! `/api/admin/teams/{id}/members`.

use countersign_team::TeamId;
use countersign_web::{Page, PageQuery, Query};

use super::team_members::{MemberLine, members};
use super::{Administrator, Named, found};
use crate::lists::PageOf;

/// The members of a team.
#[utoipa::path(
    get, path = "/teams/{id}/members", tag = "administration", params(("id" = String, Path, description = "`team_…`"), PageQuery),
    responses((status = 200, body = Page<MemberLine>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(
    Named(ctx, Administrator(ref user), id): Named<TeamId, Administrator>,
    Query(query): Query<PageQuery>,
) -> PageOf<MemberLine> {
    found(ctx.directory.team(&id).await?)?;
    members(&ctx, user, &id, &query).await
}
