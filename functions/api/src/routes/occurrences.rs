//! `/occurrences` and `/schedules/{id}/occurrences`: what was due, and what became of it.

use axum::extract::State;
use countersign_identity::UserId;
use countersign_run::Occurrence;
use countersign_schedule::{ScheduleId, ScheduleSpec};
use countersign_store_catalog::Stored;
use countersign_web::{Cursor, Json, Page, PageQuery, Path, Problem, Query};
use serde_json::Value;

use super::{Ctx, Reader, found};
use crate::Context;

/// What was due for the caller, newest first: `id` (`{source}-{time}`), `source`, `source_id`, `name`, `profile_id`, `due_at`,
/// `noticed_at`, `asked_by` of one that was started by hand, `state` (`due`, `queued`, `started`, `skipped`, `missed`,
/// `finished`), `reason` (`code`, `message`), `runs` (a run and its repetitions), `status` of the last run, and `finished_at`.
#[utoipa::path(get, path = "/occurrences", tag = "schedules", params(PageQuery), responses((status = 200, body = Page<Value>)))]
pub(crate) async fn all(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<Occurrence>>, Problem> {
    page(&ctx, owner, None, &query).await
}

/// What was due for one schedule, newest first.
#[utoipa::path(
    get, path = "/schedules/{id}/occurrences", tag = "schedules", params(("id" = String, Path, description = "`sched_…`"), PageQuery),
    responses((status = 200, body = Page<Value>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn of_schedule(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path(id): Path<ScheduleId>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<Occurrence>>, Problem> {
    found(ctx.catalog.collection::<Stored<ScheduleSpec>>().own(owner, &id).await?)?;
    page(&ctx, owner, Some(id.as_str()), &query).await
}

async fn page(
    ctx: &Context,
    owner: &UserId,
    source: Option<&str>,
    query: &PageQuery,
) -> Result<Json<Page<Occurrence>>, Problem> {
    let cursor = Cursor::new(ctx.cursors.get().await?, owner, "occurrences", &[("source", source)]);
    let (limit, after) = (query.limit()?, query.after(&cursor)?);
    let page = ctx.catalog.occurrences(owner, source, limit, after.as_deref()).await?;
    Ok(Json(cursor.page(page.items, page.next.as_deref())))
}
