//! `/monitors/{id}/batches`, `/batches/{number}` and `/parked`: what was new, and what became of it.
#![expect(
    unused_qualifications,
    reason = "the macro of the route writes the type of the query with a path"
)]

use std::collections::BTreeMap;

use countersign_monitor::{Batch, BatchItem, BatchState, MonitorId};
use countersign_run::RunId;
use countersign_store_catalog::Batched;
use countersign_store_kit::{Page as Stored, Window};
use countersign_web::{Json, Page, PageQuery, Path, Problem};
use futures::future::BoxFuture;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::monitor_repeats::{Repeated, repeats};
use super::{JsonOf, Named, Reader, found, monitors};
use crate::Context;
use crate::lists::{Asked, PageOf, Paging, paged};

/// So many batches are read at once.
const AT_ONCE: usize = 8;

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

paged!(BatchQuery);

/// Which page.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ParkedQuery {
    /// The items of at most so many batches, 1 to 20; 5 when left out. When few of many batches have some, a page may have fewer and
    /// still a `next`.
    #[param(minimum = 1, maximum = 20)]
    limit: Option<u32>,
    /// `next` of the page before.
    cursor: Option<String>,
    /// Only those that this detection step found.
    step: Option<String>,
    /// Only those of the batch with this number.
    batch: Option<u64>,
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
    /// When it was parked and its owner had it processed after all, the last time.
    #[schema(value_type = Option<String>, format = DateTime)]
    reopened_at: Option<Timestamp>,
    /// The last run by which somebody has repeated its run since it was parked.
    repeated: Option<Repeated>,
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
#[derive(Debug, Clone, Serialize, ToSchema)]
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
    /// The last run by which somebody has repeated the run of its batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeated: Option<Repeated>,
}

fn refused_for(batch: &Batch) -> Option<String> {
    Some(batch.refused_for.as_ref()?.message.clone())
}

impl BatchLine {
    fn of(batch: &Batch, repeats: &BTreeMap<RunId, Repeated>) -> Self {
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
            reopened_at: batch.reopened_at,
            repeated: repeats.get(&batch.run).cloned(),
        }
    }
}

/// What a monitor found new, newest first.
#[utoipa::path(
    get, path = "/monitors/{id}/batches", tag = "monitors", params(("id" = String, Path, description = "`mon_…`"), BatchQuery),
    responses((status = 200, body = Page<BatchLine>), (status = 404, description = "NOT_FOUND"), (status = 422, description = "INVALID_INPUT: a limit out of bounds, a state that there is not"))
)]
pub(crate) async fn list(asked: Asked<BatchQuery>, Path(id): Path<MonitorId>) -> PageOf<BatchLine> {
    let (ctx, state) = (&asked.ctx, asked.query.state);
    monitors::own(ctx, &asked.owner, &id).await?;
    let filters = [("monitor", Some(id.as_str())), ("state", state.map(BatchState::as_str))];
    let paging = asked.paging("batches", &filters).await?;
    let read = |window| ctx.monitors.batches(&id, window);
    let in_state = |one: &Batched| state.is_none_or(|state| one.batch.state == state);
    let page = paging.sifted(read, in_state).await?;
    let repeats = repeats(ctx, page.items.iter().map(|batched| &batched.batch)).await?;
    paging.page(page.map(|batched| BatchLine::of(&batched.batch, &repeats)))
}

/// One batch with its items.
#[utoipa::path(
    get, path = "/monitors/{id}/batches/{number}", tag = "monitors",
    params(("id" = String, Path, description = "`mon_…`"), ("number" = u64, Path, description = "its number")),
    responses((status = 200, body = BatchView), (status = 404, description = "NOT_FOUND"))
)]
pub(crate) async fn detail(
    Named(ctx, Reader(ref owner), (id, number)): Named<(MonitorId, u64)>,
) -> JsonOf<BatchView> {
    monitors::own(&ctx, owner, &id).await?;
    let batched = found(ctx.monitors.batch(&id, number).await?)?;
    let repeats = repeats(&ctx, std::iter::once(&batched.batch)).await?;
    let items = items(&ctx, &batched, &repeats).await?;
    Ok(Json(BatchView { batch: BatchLine::of(&batched.batch, &repeats), items }))
}

async fn items(
    ctx: &Context,
    batched: &Batched,
    repeats: &BTreeMap<RunId, Repeated>,
) -> Result<Vec<ItemView>, Problem> {
    let (batch, why) = (batched.batch.number, refused_for(&batched.batch));
    let repeated = repeats.get(&batched.batch.run);
    let view = |BatchItem { step, key }| {
        let (refused_for, repeated) = (why.clone(), repeated.cloned());
        ItemView { batch, step, key, refused_for, repeated }
    };
    Ok(ctx.monitors.content(batched).await?.items.into_iter().map(view).collect())
}

/// The items whose runs failed, or were refused, three times, newest first. Nothing processes them by itself: retry a batch that never had a
/// run, repeat the last run of one that had, or reset the watermarks of their step.
#[utoipa::path(
    get, path = "/monitors/{id}/parked", tag = "monitors", params(("id" = String, Path, description = "`mon_…`"), ParkedQuery),
    responses((status = 200, body = Page<ItemView>), (status = 404, description = "NOT_FOUND"), (status = 422, description = "INVALID_INPUT: a limit out of bounds"))
)]
pub(crate) async fn parked(
    asked: Asked<ParkedQuery>,
    Path(id): Path<MonitorId>,
) -> PageOf<ItemView> {
    let ParkedQuery { limit, cursor, step, batch } = &asked.query;
    if limit.is_some_and(|limit| !(1..=20).contains(&limit)) {
        return Err(Problem::field("limit", "must be from 1 to 20"));
    }
    let (ctx, owner, step) = (&*asked.ctx, &asked.owner, step.as_deref());
    monitors::own(ctx, owner, &id).await?;
    let query = PageQuery { limit: limit.or(Some(5)), cursor: cursor.clone() };
    let of = batch.map(|batch| batch.to_string());
    let filters = [("monitor", Some(id.as_str())), ("step", step), ("batch", of.as_deref())];
    let paging = Paging::of(ctx, owner, "parked", &filters, &query).await?;
    let page = match batch {
        Some(number) => {
            let one = ctx.monitors.batch(&id, *number).await?;
            let one = parked_in(ctx, one.into_iter().collect(), step).await?;
            Stored { items: one, next: None }
        }
        None => {
            let read = |window| -> BoxFuture<'_, Result<_, Problem>> {
                Box::pin(parked_page(ctx, &id, step, window))
            };
            paging.sifted(read, |items: &Vec<ItemView>| !items.is_empty()).await?
        }
    };
    paging.page(Stored { items: page.items.concat(), next: page.next })
}

/// The parked items of a page of batches, of each batch.
async fn parked_page(
    ctx: &Context,
    id: &MonitorId,
    step: Option<&str>,
    window: Window,
) -> Result<Stored<Vec<ItemView>>, Problem> {
    let page = ctx.monitors.batches(id, window).await?;
    Ok(Stored { items: parked_in(ctx, page.items, step).await?, next: page.next })
}

/// The items of these batches, of each one, that are parked and were found by this step, or by any.
async fn parked_in(
    ctx: &Context,
    batches: Vec<Batched>,
    step: Option<&str>,
) -> Result<Vec<Vec<ItemView>>, Problem> {
    let repeats = &repeats(ctx, batches.iter().map(|batched| &batched.batch)).await?;
    let of_step = |item: &ItemView| step.is_none_or(|step| item.step == step);
    let read = |batched: Batched| async move {
        match batched.batch.state.is_parked() {
            true => items(ctx, &batched, repeats).await,
            false => Ok(Vec::new()),
        }
    };
    let all: Vec<Vec<ItemView>> =
        stream::iter(batches).map(read).buffered(AT_ONCE).try_collect().await?;
    Ok(all.into_iter().map(|items| items.into_iter().filter(of_step).collect()).collect())
}
