//! `/occurrences`, `/schedules/{id}/occurrences` and `/monitors/{id}/occurrences`: what asked for a run without a person, and
//! what became of it.
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use axum::extract::State;
use countersign_identity::UserId;
use countersign_monitor::MonitorId;
use countersign_run::{Occurrence, OccurrenceSource, OccurrenceState};
use countersign_schedule::{ScheduleId, ScheduleSpec};
use countersign_store_catalog::{OccurrencesOf, Stored};
use countersign_web::{Cursor, Json, Page, PageQuery, Path, Problem, Query};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::{Ctx, Reader, found, monitors};
use crate::Context;
use crate::pagination::sifted;

/// Which occurrences.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct OccurrenceQuery {
    /// At most so many, 1 to 100; 50 when left out.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// Only those of one kind of source: `schedule`, `monitor`.
    #[param(value_type = Option<String>)]
    source: Option<OccurrenceSource>,
    /// Only those of the source with this id, such as `sched_…` or `mon_…`.
    source_id: Option<String>,
    /// Only those in one state: `due`, `queued`, `started`, `skipped`, `missed`, `finished`.
    #[param(value_type = Option<String>)]
    state: Option<OccurrenceState>,
    /// Only those of the agent with this id.
    profile: Option<String>,
    /// Only those that were due at this time or later (RFC 3339).
    #[param(value_type = Option<String>)]
    since: Option<Timestamp>,
    /// Only those that were due before this time (RFC 3339).
    #[param(value_type = Option<String>)]
    until: Option<Timestamp>,
}

impl OccurrenceQuery {
    /// What the store is asked for.
    fn range(&self) -> Result<OccurrencesOf<'_>, Problem> {
        let (from, before) = (self.since, self.until);
        if from.zip(before).is_some_and(|(from, before)| from >= before) {
            return Err(Problem::field("until", "must be after `since`"));
        }
        Ok(OccurrencesOf { source: self.source_id.as_deref(), from, before })
    }

    /// All filters as one text: a cursor belongs to them.
    fn narrowed(&self) -> String {
        let Self { source, source_id, state, profile, since, until, .. } = self;
        json!([source, source_id, state, profile, since, until]).to_string()
    }

    fn takes(&self, one: &Occurrence) -> bool {
        self.source.is_none_or(|source| one.source == source)
            && self.state.is_none_or(|state| one.state == state)
            && self.profile.as_ref().is_none_or(|profile| one.profile_id == *profile)
    }
}

/// What was due for the caller, newest first, whatever asked: `id` (`{source}-{time}`), `source` (`schedule`, `monitor`),
/// `source_id`, `name`, `profile_id`, `due_at`, `noticed_at`, `asked_by` of one that was started by hand, `state` (`due`,
/// `queued`, `started`, `skipped`, `missed`, `finished`), `reason` (`code`, `message`), `runs` (a run and its repetitions),
/// `status` of the last run, and `finished_at`. A page that is narrowed may be short and still have a `next`.
#[utoipa::path(
    get, path = "/occurrences", tag = "schedules", params(OccurrenceQuery),
    responses((status = 200, body = Page<Value>), (status = 422, description = "INVALID_INPUT: a limit out of bounds, or times the wrong way round"))
)]
pub(crate) async fn all(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Query(query): Query<OccurrenceQuery>,
) -> Result<Json<Page<Occurrence>>, Problem> {
    page(&ctx, owner, &query).await
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
    page(&ctx, owner, &of(id.to_string(), query)).await
}

/// What one monitor found new, newest first: an occurrence for each batch.
#[utoipa::path(
    get, path = "/monitors/{id}/occurrences", tag = "monitors", params(("id" = String, Path, description = "`mon_…`"), PageQuery),
    responses((status = 200, body = Page<Value>), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn of_monitor(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path(id): Path<MonitorId>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<Occurrence>>, Problem> {
    monitors::own(&ctx, owner, &id).await?;
    page(&ctx, owner, &of(id.to_string(), query)).await
}

fn of(source_id: String, query: PageQuery) -> OccurrenceQuery {
    let PageQuery { limit, cursor } = query;
    OccurrenceQuery { limit, cursor, source_id: Some(source_id), ..OccurrenceQuery::default() }
}

async fn page(
    ctx: &Context,
    owner: &UserId,
    query: &OccurrenceQuery,
) -> Result<Json<Page<Occurrence>>, Problem> {
    let (of, narrowed) = (query.range()?, query.narrowed());
    let filters = [("narrowed", Some(narrowed.as_str()))];
    let cursor = Cursor::new(ctx.cursors.get().await?, owner, "occurrences", &filters);
    let paging = PageQuery { limit: query.limit, cursor: query.cursor.clone() };
    let page = sifted(
        paging.limit()?,
        paging.after(&cursor)?,
        |limit, after| {
            Box::pin(async move {
                Ok(ctx.catalog.occurrences_of(owner, of, limit, after.as_deref()).await?)
            })
        },
        |one| query.takes(one),
    )
    .await?;
    Ok(Json(cursor.page(page.items, page.next.as_deref())))
}
