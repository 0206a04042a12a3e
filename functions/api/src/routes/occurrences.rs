//! `/occurrences`, and those of one schedule, monitor or trigger: what asked for a run without a person, and what became of it.

use axum::response::{IntoResponse as _, Response};
use countersign_identity::UserId;
use countersign_monitor::MonitorId;
use countersign_run::{Occurrence, OccurrenceId};
use countersign_schedule::{ScheduleId, ScheduleSpec};
use countersign_store_catalog::Stored;
use countersign_trigger::TriggerId;
use countersign_web::{Page, PageQuery, Path, Problem};
use http::header;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answers::OccurrenceAnswer;
use super::{JsonOf, Named, Reader, found, json_of, monitors, triggers};
use crate::Context;
use crate::documented::documented;
use crate::lists::{Asked, PageOf, Paged, Paging};
use crate::queries::OccurrenceQuery;

/// What was due for the caller, newest first, whatever asked: `id` (`{source}-{time}`), `source` (`schedule`, `monitor`,
/// `trigger`), `source_id`, `name`, `profile_id`, `due_at`, `noticed_at`, `asked_by` of one that was started by hand, `fired_by`
/// and `chain` of a trigger's, `state` (`due`, `queued`, `started`, `skipped`, `missed`, `finished`), `reason` (`code`,
/// `message`), `runs` (a run and its repetitions), `status` of the last run, and `finished_at`. A page that is narrowed may be
/// short and still have a `next`.
#[utoipa::path(
    get, path = "/occurrences", tag = "schedules", params(OccurrenceQuery),
    responses((status = 200, body = Page<OccurrenceAnswer>), (status = 422, description = "INVALID_INPUT: a limit out of bounds, or times the wrong way round"))
)]
pub(crate) async fn all(asked: Asked<OccurrenceQuery>) -> PageOf<Occurrence> {
    page(&asked.ctx, &asked.owner, &asked.query).await
}

/// One occurrence, as the list has it.
#[utoipa::path(
    get, path = "/occurrences/{id}", tag = "schedules", params(("id" = String, Path, description = "`{source}-{time}`")),
    responses((status = 200, body = OccurrenceAnswer), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    Named(ctx, Reader(ref owner), id): Named<OccurrenceId>,
) -> JsonOf<Occurrence> {
    json_of(ctx.catalog.occurrence(owner, &id).await?)
}

/// Whatever JSON the sender of a webhook has sent; the answer is its bytes, as they were signed.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct HookBody(Value);

documented!(HookBody);

/// The body of the webhook that fired a trigger, byte for byte as it was signed. Of one that came to no run only size and digest are
/// kept, in `fired_by` of the occurrence.
#[utoipa::path(
    get, path = "/occurrences/{id}/body", tag = "schedules", params(("id" = String, Path, description = "of a webhook's")),
    responses((status = 200, body = HookBody), (status = 404, description = "NOT_FOUND: nothing of this id, no webhook has fired it, or no run came of it"))
)]
pub(crate) async fn body(
    Named(ctx, Reader(ref owner), id): Named<OccurrenceId>,
) -> Result<Response, Problem> {
    let occurrence = found(ctx.catalog.occurrence(owner, &id).await?)?;
    let body = found(ctx.clock.hook_bodies.of(&occurrence).await?)?;
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

/// What was due for one schedule, newest first.
#[utoipa::path(
    get, path = "/schedules/{id}/occurrences", tag = "schedules", params(("id" = String, Path, description = "`sched_…`"), PageQuery),
    responses((status = 200, body = Page<OccurrenceAnswer>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn of_schedule(
    asked: Asked<PageQuery>,
    Path(id): Path<ScheduleId>,
) -> PageOf<Occurrence> {
    let schedules = asked.ctx.catalog.collection::<Stored<ScheduleSpec>>();
    found(schedules.own(&asked.owner, &id).await?)?;
    of(asked, id.to_string()).await
}

/// What one monitor found new, newest first: an occurrence for each batch.
#[utoipa::path(
    get, path = "/monitors/{id}/occurrences", tag = "monitors", params(("id" = String, Path, description = "`mon_…`"), PageQuery),
    responses((status = 200, body = Page<OccurrenceAnswer>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn of_monitor(
    asked: Asked<PageQuery>,
    Path(id): Path<MonitorId>,
) -> PageOf<Occurrence> {
    monitors::own(&asked.ctx, &asked.owner, &id).await?;
    of(asked, id.to_string()).await
}

async fn of(asked: Asked<PageQuery>, source_id: String) -> PageOf<Occurrence> {
    let PageQuery { limit, cursor } = asked.query;
    let (source_id, rest) = (Some(source_id), OccurrenceQuery::default());
    let query = OccurrenceQuery { limit, cursor, source_id, ..rest };
    page(&asked.ctx, &asked.owner, &query).await
}

/// What has fired one trigger, newest first.
#[utoipa::path(
    get, path = "/triggers/{id}/occurrences", tag = "triggers", params(("id" = String, Path, description = "`trig_…`"), PageQuery),
    responses((status = 200, body = Page<OccurrenceAnswer>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn of_trigger(
    asked: Asked<PageQuery>,
    Path(id): Path<TriggerId>,
) -> PageOf<Occurrence> {
    triggers::own(&asked.ctx, &asked.owner, &id).await?;
    of(asked, id.to_string()).await
}

async fn page(ctx: &Context, owner: &UserId, query: &OccurrenceQuery) -> PageOf<Occurrence> {
    let (of, narrowed) = (query.range()?, query.narrowed());
    let filters = [("narrowed", Some(narrowed.as_str()))];
    let paging = Paging::of(ctx, owner, "occurrences", &filters, &query.page()).await?;
    let read = |window| ctx.catalog.occurrences_of(owner, of, window);
    paging.page(paging.sifted(read, |one| query.takes(one)).await?)
}
