//! `/teams/{id}/members`.

use countersign_identity::UserId;
use countersign_team::{Member, TeamId};
use countersign_web::{Page, PageQuery, Path, Problem};
use futures::{StreamExt as _, TryStreamExt as _};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::teams::own_team;
use crate::Context;
use crate::documented::documented;
use crate::lists::{Asked, PageOf, Paging};

/// People of a page that are looked up together.
const AT_ONCE: usize = 8;

/// A member in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemberLine {
    user_id: UserId,
    /// The name they sign in with.
    username: Option<String>,
    /// The name that others see.
    name: Option<String>,
    /// The administrator who made them a member.
    added_by: UserId,
    added_at: Timestamp,
}

documented!(MemberLine);

/// The members of a team of the caller.
#[utoipa::path(
    get, path = "/teams/{id}/members", tag = "teams", params(("id" = String, Path, description = "`team_…`"), PageQuery),
    responses((status = 200, body = Page<MemberLine>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(asked: Asked<PageQuery>, Path(id): Path<TeamId>) -> PageOf<MemberLine> {
    own_team(&asked.ctx, &asked.owner, &id).await?;
    members(&asked.ctx, &asked.owner, &id, &asked.query).await
}

/// A page of the members of a team.
pub(super) async fn members(
    ctx: &Context,
    reader: &UserId,
    team: &TeamId,
    query: &PageQuery,
) -> PageOf<MemberLine> {
    let filters = [("team", Some(team.as_str()))];
    let paging = Paging::of(ctx, reader, "members", &filters, query).await?;
    let found = ctx.directory.members(team, paging.window()).await?;
    let lines = found.items.into_iter().map(|member| line(ctx, member));
    let lines = futures::stream::iter(lines).buffered(AT_ONCE).try_collect().await?;
    paging.page(countersign_store_kit::Page { items: lines, next: found.next })
}

async fn line(ctx: &Context, member: Member) -> Result<MemberLine, Problem> {
    let person = ctx.directory.user(&member.user_id).await?;
    Ok(MemberLine {
        username: person.as_ref().map(|person| person.username.to_string()),
        name: person.map(|person| person.display_name),
        user_id: member.user_id,
        added_by: member.added_by,
        added_at: member.added_at,
    })
}
