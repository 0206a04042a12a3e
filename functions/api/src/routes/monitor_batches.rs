//! `/monitors/{id}/batches`, `/batches/{number}` and `/parked`: what was new, and what became of it.
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use axum::extract::State;
use countersign_identity::UserId;
use countersign_monitor::{Batch, BatchItem, BatchState, MonitorId};
use countersign_run::RunId;
use countersign_store_catalog::Batched;
use countersign_web::{Cursor, Json, Page, PageQuery, Path, Problem, Query};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Ctx, Reader, found, monitors};
use crate::Context;
use crate::pagination::sifted;

/// Which batches.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct BatchQuery {
    /// At most so many batches, 1 to 100; 50 when left out.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// Only `open`, `committed` or `parked` ones.
    #[param(value_type = Option<String>)]
    state: Option<BatchState>,
}

/// Which page.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ParkedQuery {
    /// The items of at most so many batches, 1 to 20; 5 when left out.
    #[param(minimum = 1, maximum = 20)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
}

/// What was new at one look.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchLine {
    /// 1, 2, … for each monitor.
    number: u64,
    /// `open`, `committed` (its run came to its end) or `parked` (its runs failed, or were refused, three times, or somebody
    /// stopped one).
    #[schema(value_type = String)]
    state: BatchState,
    /// How many items it has.
    count: usize,
    /// Its run, or its last one.
    #[schema(value_type = String)]
    execution_id: RunId,
    /// Which try that is.
    attempt: u32,
    /// How that ended.
    run_status: Option<String>,
    /// Why the run was refused, where it was.
    refused_for: Option<String>,
    /// Whether the watermarks moved behind it.
    has_moved: bool,
    /// When it was found.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it was committed or parked.
    #[schema(value_type = Option<String>, format = DateTime)]
    closed_at: Option<Timestamp>,
}

/// A batch with its items.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchView {
    #[serde(flatten)]
    batch: BatchLine,
    /// What was new.
    items: Vec<ItemView>,
}

/// An item.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ItemView {
    /// The batch.
    batch: u64,
    /// The detection step that found it.
    step: String,
    /// What names it in its source.
    key: String,
    /// Why the run of its batch was refused, where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused_for: Option<String>,
}

fn refused_for(batch: &Batch) -> Option<String> {
    Some(batch.refused_for.as_ref()?.message.clone())
}

impl From<&Batch> for BatchLine {
    fn from(batch: &Batch) -> Self {
        Self {
            number: batch.number,
            state: batch.state,
            count: batch.count,
            execution_id: batch.run.clone(),
            attempt: batch.attempt,
            run_status: batch.run_status.clone(),
            refused_for: refused_for(batch),
            has_moved: batch.has_moved,
            created_at: batch.created_at,
            closed_at: batch.closed_at,
        }
    }
}

/// What a monitor found new, newest first.
#[utoipa::path(
    get, path = "/monitors/{id}/batches", tag = "monitors", params(("id" = String, Path, description = "`mon_…`"), BatchQuery),
    responses((status = 200, body = Page<BatchLine>), (status = 404, description = "NOT_FOUND"), (status = 422, description = "INVALID_INPUT: a limit out of bounds, a state that there is not"))
)]
pub(crate) async fn list(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path(id): Path<MonitorId>,
    Query(query): Query<BatchQuery>,
) -> Result<Json<Page<BatchLine>>, Problem> {
    let paging = PageQuery { limit: query.limit, cursor: query.cursor };
    let page = page(&ctx, owner, &id, &paging, query.state).await?;
    let items = page.items.iter().map(|batched| BatchLine::from(&batched.batch)).collect();
    Ok(Json(Page { items, next: page.next }))
}

/// A page of batches in one state, or in any.
async fn page(
    ctx: &Context,
    owner: &UserId,
    id: &MonitorId,
    paging: &PageQuery,
    state: Option<BatchState>,
) -> Result<Page<Batched>, Problem> {
    monitors::own(ctx, owner, id).await?;
    let word = state.map(BatchState::as_str);
    let filters = [("monitor", Some(id.as_str())), ("state", word)];
    let cursor = Cursor::new(ctx.cursors.get().await?, owner, "batches", &filters);
    let page = sifted(
        paging.limit()?,
        paging.after(&cursor)?,
        |limit, after| {
            Box::pin(async move { Ok(ctx.monitors.batches(id, limit, after.as_deref()).await?) })
        },
        |batched| state.is_none_or(|state| batched.batch.state == state),
    )
    .await?;
    Ok(cursor.page(page.items, page.next.as_deref()))
}

/// One batch with its items.
#[utoipa::path(
    get, path = "/monitors/{id}/batches/{number}", tag = "monitors",
    params(("id" = String, Path, description = "`mon_…`"), ("number" = u64, Path, description = "its number")),
    responses((status = 200, body = BatchView), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path((id, number)): Path<(MonitorId, u64)>,
) -> Result<Json<BatchView>, Problem> {
    monitors::own(&ctx, owner, &id).await?;
    let batched = found(ctx.monitors.batch(&id, number).await?)?;
    let items = items(&ctx, &batched).await?;
    Ok(Json(BatchView { batch: BatchLine::from(&batched.batch), items }))
}

async fn items(ctx: &Context, batched: &Batched) -> Result<Vec<ItemView>, Problem> {
    let (batch, why) = (batched.batch.number, refused_for(&batched.batch));
    let view = |BatchItem { step, key }| ItemView { batch, step, key, refused_for: why.clone() };
    Ok(ctx.monitors.content(batched).await?.items.into_iter().map(view).collect())
}

/// The items whose runs failed, or were refused, three times, newest first. Nothing processes them any more; resetting the watermarks of their
/// step does.
#[utoipa::path(
    get, path = "/monitors/{id}/parked", tag = "monitors", params(("id" = String, Path, description = "`mon_…`"), ParkedQuery),
    responses((status = 200, body = Page<ItemView>), (status = 404, description = "NOT_FOUND"), (status = 422, description = "INVALID_INPUT: a limit out of bounds"))
)]
pub(crate) async fn parked(
    State(ctx): Ctx,
    Reader(ref owner): Reader,
    Path(id): Path<MonitorId>,
    Query(query): Query<ParkedQuery>,
) -> Result<Json<Page<ItemView>>, Problem> {
    if query.limit.is_some_and(|limit| !(1..=20).contains(&limit)) {
        return Err(Problem::field("limit", "must be from 1 to 20"));
    }
    let paging = PageQuery { limit: query.limit.or(Some(5)), cursor: query.cursor };
    let page = page(&ctx, owner, &id, &paging, Some(BatchState::Parked)).await?;
    let mut all = Vec::new();
    for batched in &page.items {
        all.extend(items(&ctx, batched).await?);
    }
    Ok(Json(Page { items: all, next: page.next }))
}
