//! `/occurrences`, `/schedules/{id}/occurrences` and `/triggers/{id}/occurrences`: what was due, and what became of it.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use countersign_identity::UserId;
use countersign_run::{Occurrence, OccurrenceId, OccurrenceSource};
use countersign_schedule::{ScheduleId, ScheduleSpec};
use countersign_store_catalog::Stored;
use countersign_trigger::TriggerId;
use countersign_web::{Cursor, Json, Page, PageQuery, Path, Problem, Query};
use http::header;
use serde_json::Value;

use super::{Ctx, Reader, found, triggers};
use crate::Context;
use crate::queries::OccurrenceQuery;

/// What was due for the caller, newest first: `id` (`{source}-{time}`), `source`, `source_id`, `name`, `profile_id`, `due_at`,
/// `noticed_at`, `asked_by` of one that was started by hand, `fired_by` and `chain` of a trigger's, `state` (`due`, `queued`,
/// `started`, `skipped`, `missed`, `finished`), `reason` (`code`, `message`), `runs` (a run and its repetitions), `status` of the
/// last run, and `finished_at`.
#[utoipa::path(get, path = "/occurrences", tag = "schedules", params(OccurrenceQuery), responses((status = 200, body = Page<Value>)))]
pub(crate) async fn all(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Query(query): Query<OccurrenceQuery>,
) -> Result<Json<Page<Occurrence>>, Problem> {
    let OccurrenceQuery { limit, cursor, source } = query;
    page(&ctx, owner, (None, source), &PageQuery { limit, cursor }).await
}

/// One occurrence, as the list has it.
#[utoipa::path(
    get, path = "/occurrences/{id}", tag = "schedules", params(("id" = String, Path, description = "`{source}-{time}`")),
    responses((status = 200, body = Value), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path(id): Path<OccurrenceId>,
) -> Result<Json<Occurrence>, Problem> {
    Ok(Json(found(ctx.catalog.occurrence(owner, &id).await?)?))
}

/// The body of the webhook that fired a trigger, byte for byte as it was signed.
#[utoipa::path(
    get, path = "/occurrences/{id}/body", tag = "schedules", params(("id" = String, Path, description = "of a webhook's")),
    responses((status = 200, body = Value), (status = 404, description = "NOT_FOUND: nothing of this id, or no webhook has fired it"))
)]
pub(crate) async fn body(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path(id): Path<OccurrenceId>,
) -> Result<Response, Problem> {
    let occurrence = found(ctx.catalog.occurrence(owner, &id).await?)?;
    let body = found(ctx.clock.hook_bodies.of(&occurrence).await?)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
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
    page(&ctx, owner, (Some(id.as_str()), None), &query).await
}

/// What has fired one trigger, newest first.
#[utoipa::path(
    get, path = "/triggers/{id}/occurrences", tag = "triggers", params(("id" = String, Path, description = "`trig_…`"), PageQuery),
    responses((status = 200, body = Page<Value>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn of_trigger(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path(id): Path<TriggerId>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<Occurrence>>, Problem> {
    triggers::own(&ctx, owner, &id).await?;
    page(&ctx, owner, (Some(id.as_str()), None), &query).await
}

/// A page of those of one source, or of one kind of sources.
async fn page(
    ctx: &Context,
    owner: &UserId,
    (source, kind): (Option<&str>, Option<OccurrenceSource>),
    query: &PageQuery,
) -> Result<Json<Page<Occurrence>>, Problem> {
    let filters = [("source", source), ("kind", kind.map(OccurrenceSource::as_str))];
    let cursor = Cursor::new(ctx.cursors.get().await?, owner, "occurrences", &filters);
    let (limit, after) = (query.limit()?, query.after(&cursor)?);
    let mut page = ctx.catalog.occurrences(owner, source, limit, after.as_deref()).await?;
    page.items.retain(|one| kind.is_none_or(|kind| one.source == kind));
    Ok(Json(cursor.page(page.items, page.next.as_deref())))
}
