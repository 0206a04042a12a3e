//! `/approvals/{id}/rounds`: what was asked at the same step before a request (C-034).

use countersign_approval::{ApprovalId, Digest, Position, Request, Status};
use countersign_store_kit::Page as Stored;
use countersign_web::{Page, PageQuery, Path, Problem};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::approval_history::{ClosedView, who_closed};
use super::approval_seen::{may_see, seen_by};
use crate::Context;
use crate::documented::documented;
use crate::lists::{Asked, PageOf};

/// A request that was made at a step before another one.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ApprovalRound {
    /// Which one at the step, from 0; `position.round` of a request is the same number.
    round: u32,
    /// The request: all that it showed is read by this id.
    approval: ApprovalId,
    /// One line.
    title: String,
    status: Status,
    /// The digest of what it showed in the end.
    digest: Digest,
    opened_at: Timestamp,
    /// How it ended, with the changes that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    closed: Option<ClosedView>,
}

documented!(ApprovalRound);

/// The requests that were made at the same step before this one, the latest first, of those that the caller may see: of each how it
/// ended, and which changes were asked for then. A gate asks again when changes were asked for, and when what was approved is not any
/// more what would be sent. What a step asks for itself, such as when nobody knows whether its approved call was made, has rounds of
/// its own, also where a gate has asked about it before.
#[utoipa::path(
    get, path = "/approvals/{id}/rounds", tag = "approvals",
    params(("id" = String, Path, description = "`appr_…`"), PageQuery),
    responses((status = 200, body = Page<ApprovalRound>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn list(
    asked: Asked<PageQuery>,
    Path(id): Path<ApprovalId>,
) -> PageOf<ApprovalRound> {
    let (ctx, person) = (&asked.ctx, &asked.owner);
    let request = seen_by(ctx, &id, person).await?;
    let paging = asked.paging("rounds", &[("approval", Some(id.as_str()))]).await?;
    let rounds = part(request.position.round, paging.limit, paging.after());
    let mut items = Vec::with_capacity(rounds.items.len());
    for round in rounds.items {
        let position = Position { round, ..request.position.clone() };
        let earlier = ctx.approvals.request(&position.approval_id(&request.tenant)).await?;
        // Who may decide now may have been none of those who were asked then.
        if let Some(earlier) = earlier.filter(|earlier| may_see(earlier, person)) {
            items.push(line(ctx, earlier).await?);
        }
    }
    paging.page(Stored { items, next: rounds.next })
}

async fn line(ctx: &Context, request: Request) -> Result<ApprovalRound, Problem> {
    let closed = match request.closed {
        Some(closed) => {
            let by = who_closed(ctx, &closed).await?;
            Some(ClosedView::of(closed, by))
        }
        None => None,
    };
    Ok(ApprovalRound {
        round: request.position.round,
        approval: request.id,
        title: request.title,
        status: request.status,
        digest: request.digest,
        opened_at: request.opened_at,
        closed,
    })
}

/// The rounds before `end`, or before where the last page ended, the latest first; those of a request do not change.
fn part(end: u32, limit: i32, after: Option<&str>) -> Stored<u32> {
    let end = after.map_or(end, |after| after.parse().unwrap_or_default()).min(end);
    let start = end.saturating_sub(u32::try_from(limit).unwrap_or_default());
    Stored { items: (start..end).rev().collect(), next: (start > 0).then(|| start.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_034_pages_of_rounds_follow_one_another_without_a_gap() {
        let mut seen = Vec::new();
        let mut after = None;
        loop {
            let page = part(7, 3, after.as_deref());
            seen.extend(page.items);
            let Some(next) = page.next else { break };
            after = Some(next);
        }
        assert_eq!(seen, [6, 5, 4, 3, 2, 1, 0]);
        assert_eq!(part(3, 3, None).next, None);
        for (end, after) in [(0, None), (3, Some("no")), (3, Some("0"))] {
            assert_eq!(part(end, 3, after).items, [] as [u32; 0]);
        }
        assert_eq!(part(2, 3, Some("9")).items, [1, 0], "none is shown that is not earlier");
    }
}
